"""Proxies for the names and objects of a submission. Each use is a request to the sandbox.

Results are plain data, or proxies for objects that stay in the sandbox.
"""

import builtins
import contextlib
import functools
import inspect
import operator
import sys
import textwrap
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FunctionType, TracebackType
from typing import Any, Final, NoReturn, TypeVar

import numpy as np

from grader.errors import DefinitionError, EtudeError, Location
from grader.grading.comparison.compare import EXACT, compare, is_masked
from grader.grading.comparison.nested_values import iter_arrays, map_parts, walk
from grader.grading.feedback.difference_sentences import describe_value
from grader.grading.program.author_code import TooLargeError, TooLongError, is_forwarding_allowed
from grader.sandbox.answers import ChildGoneError, Raised, Returned, Unsupported, Usage
from grader.sandbox.in_child.sharing import Sharing, replace_contents
from grader.sandbox.in_child.value_types import with_items
from grader.sandbox.in_child.wire import (
    MAX_BODY,
    Callback,
    Function,
    Handle,
    Shared,
    UnsupportedValueError,
)
from grader.sandbox.interface import Child, Exchange
from grader.sandbox.printable import printable

_MAX_CALLBACKS: Final = 100_000  # calls of a test's functions in one test
_MAX_WARNINGS: Final = 50  # warnings of one call that are repeated
_MAX_WARNING_LENGTH: Final = 2000  # characters of a warning
_ARRAY_ATTRIBUTES: Final = frozenset(name for name in dir(np.ndarray) if not name.startswith("_"))
_Error = TypeVar("_Error", bound=Exception)
_TYPES: Final = {
    kind.__name__: kind
    for kind in (
        bool, bytes, complex, dict, float, frozenset, int, list, np.ndarray, object, set, str,
        tuple, type,
    )
}  # fmt: skip


class NoValueError(Exception):
    """A call gave an error or an unsupported value, which ends the evaluation of the test."""

    def __init__(self, answer: Raised | Unsupported) -> None:
        self.answer = answer
        super().__init__()


class _NoLengthError(NoValueError, TypeError):
    """The error of an object without a length. `list` expects a `TypeError` in that case."""


# The special attributes that are looked up in the sandbox. All others, which Python and NumPy look
# up on their own accord, are looked up only on the class of the proxy.
_FORWARDED: Final = frozenset(
    {
        "__annotations__", "__array__", "__call__", "__defaults__",
        "__dict__", "__enter__", "__func__", "__kwdefaults__", "__members__", "__module__",
        "__name__",
        "__post_init__", "__qualname__", "__self__", "__wrapped__",
    }
)  # fmt: skip


class Proxy:
    """A proxy for an object of a submission. The object itself stays in the sandbox."""

    __slots__ = ("_requests", "handle_")

    __array_ufunc__ = None  # makes NumPy leave operators to this class

    handle_: Handle

    def __init__(self, requests: "Proxies", handle: Handle) -> None:
        object.__setattr__(self, "_requests", requests)
        object.__setattr__(self, "handle_", handle)

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return self._requests.attribute(self, "__doc__")

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters of a function or a class."""
        return _signature(self._requests.ask("signature", self))

    def __getattr__(self, name: str) -> Any:
        if not is_forwarding_allowed() or (name.startswith("__") and name not in _FORWARDED):
            raise AttributeError(name)
        if name == "__array__":
            return self._as_array
        return self._requests.attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._requests.operate("setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._requests.operate("delattr", self, name)

    def _as_array(self, dtype: Any = None, **_: object) -> Any:
        array = np.asarray(self._requests.operate("asarray", self))
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        if not is_forwarding_allowed():
            return f"<{type(self).__name__} object>"
        text: str = self._requests.represent(self)
        return text

    def __hash__(self) -> int:
        return (
            int(self._requests.operate("hash", self))
            if is_forwarding_allowed()
            else object.__hash__(self)
        )

    def __bool__(self) -> bool:
        return bool(self._requests.operate("bool", self)) if is_forwarding_allowed() else True

    def __str__(self) -> str:
        return str(self._requests.operate("str", self)) if is_forwarding_allowed() else repr(self)

    def __contains__(self, item: object) -> bool:
        if "in" in self._requests.operators:
            return bool(self._requests.operate("contains", self, item))
        items = self._requests.operate("iter", self)
        return any(each is item or each == item for each in items)

    def __enter__(self) -> Any:
        return self._requests.call_method(self, "__enter__", (), {})

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _: TracebackType | None,
    ) -> bool:
        kind = None if error is None else builtin_kind(error)
        if not isinstance(error, (Exception, type(None))) or isinstance(error, AssertionError):
            self._requests.ask("leave", self, kind, "")
            return False  # a context manager of a submission must not hide a failed test
        return bool(self._requests.ask("leave", self, kind, "" if error is None else str(error)))

    def __copy__(self) -> Any:
        return self._requests.operate("copy", self)

    def __deepcopy__(self, _: object) -> Any:
        return self._requests.operate("deepcopy", self)

    def __instancecheck__(self, instance: object) -> bool:
        return bool(self._requests.operate("isinstance", instance, self))

    def __subclasscheck__(self, kind: object) -> bool:
        return bool(self._requests.operate("issubclass", kind, self))


class CallableProxy(Proxy):
    """A proxy for a function, a class or another callable of a submission."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the object in the sandbox."""
        return self._requests.call_method(self, "__call__", args, kwargs)


class NameProxy(CallableProxy):
    """A proxy for a name that a submission defines. Each call looks the name up again."""

    __slots__ = ("_name",)

    def __init__(self, requests: "Proxies", name: str) -> None:
        super().__init__(requests, Handle(-1, "<function>"))
        object.__setattr__(self, "_name", name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the object that is bound to the name now."""
        request = "call", self._name, list(args), dict(kwargs)
        return self._requests.call(self._name, request, _label_arguments(args, kwargs))


class MethodProxy:
    """A proxy for a method of an object of a submission."""

    def __init__(self, requests: "Proxies", owner: Proxy, name: str) -> None:
        self._requests = requests
        self.__self__ = owner
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method in the sandbox."""
        return self._requests.call_method(self.__self__, self.__name__, args, kwargs)

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return self._requests.ask("member_attribute", self.__self__, self.__name__, "__doc__")

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters of the method, without `self`."""
        method = self._requests.operate("getattr", self.__self__, self.__name__)
        return _signature(self._requests.ask("signature", method))


def _forward(name: str, *, operator: str = "", reflected: bool = False) -> Callable[..., Any]:
    """Return a special method that forwards to the submission's object.

    An operator is forwarded only if the exercise lists it. Its operand may be the expected value
    and its result decides the test, so an object that claims to equal everything must not pass.
    """

    def act(self: Proxy, *others: Any) -> Any:
        if not is_forwarding_allowed():
            return NotImplemented
        if operator and operator not in self._requests.operators:
            self._requests.refuse_object(self, "")
            return NotImplemented
        operands = (*others, self) if reflected else (self, *others)
        return self._requests.operate(name, *operands)

    return act


_UNARY = ("abs", "complex", "float", "index", "int", "invert", "iter", "len", "neg", "next",
          "pos")  # fmt: skip
_OTHERS = ("delitem", "format", "getitem", "reversed", "round", "setitem")
_COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_BINARY = {
    "+": "add", "-": "sub", "*": "mul", "@": "matmul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor",
}  # fmt: skip


for _name in (*_UNARY, *_OTHERS):
    setattr(Proxy, f"__{_name}__", _forward(_name))
for _operator, _name in {**_COMPARISONS, "divmod": "divmod"}.items():
    setattr(Proxy, f"__{_name}__", _forward(_name, operator=_operator))
for _operator, _name in _BINARY.items():
    _request = f"{_name}_" if _name in ("and", "or") else _name
    setattr(Proxy, f"__{_name}__", _forward(_request, operator=_operator))
    setattr(Proxy, f"__r{_name}__", _forward(_request, operator=_operator, reflected=True))
    setattr(Proxy, f"__i{_name}__", _forward(f"i{_name}", operator=_operator))
for _kind in (CallableProxy, NameProxy):  # so that `__doc__` is the docstring of the object
    setattr(_kind, "__doc__", vars(Proxy)["__doc__"])  # noqa: B010  mypy rejects the assignment


@dataclass(eq=False)
class Proxies:
    """The proxies for one test, and their requests to the submission's child."""

    child: Child
    where: Location  # place of the test in its file, for the author's errors
    keep_inputs: bool = False  # whether to detect arguments that a call changes in place
    # Collects the resource usage of each call; None: not measured.
    usages: list[Usage] | None = None
    # Makes the exception that is raised here when the submission raises one.
    error: Callable[[Raised], BaseException] = NoValueError
    has_answered: bool = False  # whether the submission has already given a value
    max_bytes: int = MAX_BODY  # maximum size of the arrays in one result, in bytes
    # Whether a result may be a masked array. NumPy's assertions treat a masked entry as equal to
    # everything, so tests that do not mention masks refuse them.
    allows_masked: bool = True
    operators: frozenset[str] = frozenset()  # operators that the submission's objects may answer
    # Whether the exercise asks for objects. Otherwise a test may pass an object on, but not use it:
    # an object in place of an array could imitate the expected result.
    allows_objects: bool = True
    # Known pairs of class and method, which save a request for each attribute.
    methods: set[tuple[str, str]] = field(default_factory=set)
    # The functions of tests that were passed to the program, by number.
    functions: list[Any] = field(default_factory=list)
    # The objects shared with the child, in the body of a pytest test: a change that the body makes
    # to an object is repeated on the submission's copy.
    sharing: Sharing | None = None

    largest_result_bytes: int = field(default=0, init=False)  # size of its arrays
    # The first change of an argument in place: the name of the called function, the position or
    # keyword of the argument, and the argument.
    changed_argument: tuple[str, str, Any] | None = field(default=None, init=False)
    # The first error that no test can expect, even if the test caught it: the end of the program, a
    # value that cannot cross, an error that does not come from the submission, or a failed
    # assertion of the test that the submission caught.
    first_unexpected_error: Exception | None = field(default=None, init=False)
    # A `StopIteration` that a call raised, which would silently end `map` and `zip`.
    stop_iteration: NoValueError | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.was_asked = self.has_answered  # until it is True, an error is the author's
        self._current_call: tuple[str, Mapping[str, Any]] = "", {}
        self._first_function = len(self.functions)
        self._proxies: dict[int, Proxy] = {}
        self._callback_count = self._output_issued = 0
        self._own_errors: list[Exception] = []

    def function(self, name: str) -> NameProxy:
        """Return the proxy for a function or a class of the submission."""
        return NameProxy(self, name)

    def current(self, name: str) -> Any:
        """Return the current value of a name that the submission binds to plain data."""
        value = self.ask("value", name)
        raise_for_functions(value)
        return value

    def call(self, name: str, request: tuple[Any, ...], arguments: Mapping[str, Any]) -> Any:
        """Send a call, and note changes of its arguments where the test needs that.

        Args:
            name: The called function, method or operator, for the sentence about a change.
            request: The operation and its arguments, see `in_child.operations`.
            arguments: The arguments of the call, by position or keyword.
        """
        outer, self._current_call = self._current_call, (name, arguments)
        shares = self.sharing is not None
        # Changes of shared objects are noted in `change`.
        watched = Shared() if self.keep_inputs and not shares else None
        begin = self.child.output_size if shares else 0
        try:
            answer = self.ask(*request, watched=watched, with_warnings=shares)
            if watched is None and not shares:
                return answer
            match answer:
                case [value, list(warned), int(printed)] if shares:
                    self._issue_warnings_and_output(warned, begin, printed)
                    return value
                case [value, None] if watched is not None:
                    return value
                case [value, list(contents)] if watched is not None:
                    for passed, content in zip(watched.objects.values(), contents, strict=False):
                        if passed is request[-1]:  # later objects are not arguments
                            break
                        if content is not None and not any(passed is part for part in request):
                            self._note_change(passed, content)
                    return value
            raise self._end_forger()
        finally:
            self._current_call = outer

    def _note_change(self, passed: Any, contents: Any, *, is_ours: bool = False) -> None:
        """Note that a call has changed an argument in place, if it has.

        Args:
            is_ours: Whether the test passed the object in an earlier call.
        """
        called, args = self._current_call
        place = next((p for p, value in args.items() if _is_in(passed, value)), None)
        is_argument = is_ours or place is not None or self.sharing is None
        is_first = self.changed_argument is None and is_argument
        if is_first and compare(_plain(passed), _plain(contents), EXACT):
            argument = passed if place is None else args[place]
            self.changed_argument = called, place or "an argument", argument

    def change(self, passed: Any, contents: Any, is_ours: bool) -> None:
        """Repeat on an object of the body the change that the submission made to its copy."""
        self._refuse_arrays(contents)
        if self.keep_inputs:
            self._note_change(passed, contents, is_ours=is_ours)
        replace_contents(passed, self.incoming(contents))

    def _issue_warnings_and_output(self, warned: list[Any], begin: int, printed: int) -> None:
        """Repeat the warnings of a call, and print its output if the body captures output."""
        end = min(begin + max(printed, 0), self.child.output_size)
        begin = max(begin, self._output_issued)  # without the output of nested calls
        if sys.stdout is not sys.stderr and begin < end:
            sys.stdout.write(self.child.output(begin, end))
        self._output_issued = max(end, self._output_issued)
        for warning in warned[:_MAX_WARNINGS]:
            match warning:
                case [list(bases), str(message)]:
                    # The most specific built-in category that the warning belongs to.
                    kinds = [
                        getattr(module, name, None)
                        for name in bases
                        for module in (builtins, np.exceptions)
                        if type(name) is str
                    ]
                    warned_as = (k for k in kinds if isinstance(k, type) and issubclass(k, Warning))
                    category = next(warned_as, UserWarning)
                    warnings.warn(printable(message[:_MAX_WARNING_LENGTH]), category, stacklevel=4)

    def _end_forger(self) -> ChildGoneError:
        return self._remember(self.child.end_forger("not what was asked for"))

    def operate(self, name: str, *operands: Any) -> Any:
        """Apply an operator or a built-in function in the sandbox."""
        for operand in operands:
            self.refuse_object(operand, "")
        try:
            request = "operate", name, list(operands)
            return self.call(name, request, _label_arguments(operands[1:], {}))
        except NoValueError as error:
            kind = error.answer.type if isinstance(error.answer, Raised) else ""
            if name == "next" and kind == "StopIteration":
                raise StopIteration from error
            if name == "len" and kind == "TypeError":  # `list` calls `len` but does not need it
                raise _NoLengthError(error.answer) from error
            raise

    def as_data(self, value: Any) -> Any:
        """Return a result with each dataclass object replaced by its fields, for the comparison."""
        if not any(find_objects(value)):
            return value
        usages, self.usages = self.usages, None
        try:
            return self.ask("as_data", value)
        finally:
            self.usages = usages

    def represent(self, proxy: Proxy) -> str:
        """Return the `repr` of an object; for a function or an iterator only its kind."""
        kind = proxy.handle_.kind
        if not kind.startswith("<"):
            with contextlib.suppress(Exception):
                return str(self.ask("operate", "repr", [proxy]))
        return f"<{kind.strip('<>')} object>"

    def attribute(self, proxy: Proxy, name: str) -> Any:
        """Return the value of an attribute of an object in the sandbox, or a proxy for a method."""
        self.refuse_object(proxy, name)
        kind = proxy.handle_.kind
        if (kind, name) not in self.methods:
            match self.ask("attribute", proxy, name):
                case [False, value]:
                    return value
                case [True, True] if not kind.startswith("<"):
                    self.methods.add((kind, name))
        return MethodProxy(self, proxy, name)

    def call_method(
        self,
        proxy: Proxy,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call a method of an object in the sandbox."""
        self.refuse_object(proxy, name)
        request = "method", proxy, name, list(args), dict(kwargs)
        return self.call(name, request, _label_arguments(args, kwargs))

    def refuse_object(self, value: object, attribute: str) -> None:
        """Raise `NoValueError` if a test uses an object although the exercise does not ask for one.

        Functions and iterators are allowed, but not attributes that only arrays have.
        """
        if self.allows_objects or not isinstance(value, Proxy):
            return
        kind = value.handle_.kind
        if not kind.startswith("<") or kind == "<type>" or attribute in _ARRAY_ATTRIBUTES:
            raise self._remember(NoValueError(Unsupported(printable(kind.strip("<>")), "")))

    def keep(self, value: object) -> Handle | Function | Callback | None:
        """Return the wire form of an object that is not plain data; see `wire.Keeper`."""
        if isinstance(value, NameProxy) and value.handle_.number < 0:
            # The object behind a name is looked up when it is first passed as an argument.
            plain = self.ask("value", value._name, is_nested=True)  # noqa: SLF001  the proxy is ours
            if not isinstance(plain, Proxy):
                raise self._end_forger()
            object.__setattr__(value, "handle_", plain.handle_)
            self._proxies[plain.handle_.number] = value
        if isinstance(value, Proxy):
            return value.handle_
        if isinstance(value, MethodProxy):
            owner_and_name = [value.__self__, value.__name__]
            method = self.ask("operate", "getattr", owner_and_name, is_nested=True)
            return method.handle_ if isinstance(method, Proxy) else None
        number = self._first_function
        for number in range(self._first_function, len(self.functions) + 1):
            if number < len(self.functions) and self.functions[number] is value:
                break
        crossing = _as_function(number, value)
        if crossing is not None and number == len(self.functions):
            self.functions.append(value)
        return crossing

    def call_back(self, number: int, args: list[Any], kwargs: dict[Any, Any]) -> list[object]:
        """Call a function of the test for the submission; see `interface.Peer`."""
        self._callback_count += 1
        self.has_answered = True  # the arguments come from the submission
        if not self._first_function <= number < len(self.functions):
            raise self._end_forger()
        if self._callback_count > _MAX_CALLBACKS:
            message = f"a function of the test is called more than {_MAX_CALLBACKS:,} times"
            raise self._remember(TooLongError(message))
        function = self.functions[number]
        try:
            if isinstance(function, Iterator):
                return ["ok", next(function)]
            self._refuse_arrays([args, kwargs])
            keywords = {str(name): self.incoming(value) for name, value in kwargs.items()}
            args = list(self.incoming(args))
            if self.sharing is not None:
                self.sharing.settle()
            return ["ok", function(*args, **keywords)]
        except (ChildGoneError, EtudeError, TooLongError, TooLargeError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  raised again if the submission does not catch it
            self._own_errors.append(error)
            if isinstance(error, AssertionError):
                self._remember(error)  # a submission must not hide a failed test
            return [builtin_kind(error), str(error)]

    def run_statements(self, operation: str, statements: str, inputs: Mapping[str, Any]) -> Any:
        """Run statements in the submission's namespace, with the inputs as additional names.

        Args:
            operation: "run" or "draw_figure", see `in_child.operations` for the value of each.

        Raises:
            NoValueError: The statements raise an error.
        """
        try:
            answer = self.child.ask(
                operation, statements, dict(inputs), exchange=Exchange(peer=self)
            )
        except UnsupportedValueError as error:
            self._raise_definition_error(f"{error.kind} cannot be sent into the sandbox")
        if not isinstance(answer, Returned):
            raise NoValueError(answer)
        return answer.value

    def incoming(self, value: Any) -> Any:
        """Return a received value with handles replaced by proxies and callbacks by functions.

        Lists and dicts are changed in place.
        """
        if isinstance(value, Handle):
            proxy = self._proxies.get(value.number)
            if proxy is None:
                kind = printable(value.kind)
                proxy = _make_class(kind, value.is_callable)(self, Handle(value.number, kind))
                self._proxies[value.number] = proxy
            return proxy
        if isinstance(value, Callback):
            if not 0 <= value.number < len(self.functions):
                raise self._end_forger()
            return self.functions[value.number]
        if isinstance(value, (list, deque)):
            for number, item in enumerate(value):
                value[number] = self.incoming(item)
        elif isinstance(value, tuple):
            items = [self.incoming(item) for item in value]
            return value if all(map(operator.is_, items, value)) else with_items(value, items)
        elif isinstance(value, dict):
            for key, item in value.items():
                value[key] = self.incoming(item)
        return value

    def ask(
        self,
        operation: str,
        *arguments: Any,
        watched: Shared | None = None,
        with_warnings: bool = False,
        is_nested: bool = False,
    ) -> Any:
        """Send a request and return the value of its answer.

        Args:
            is_nested: Whether another request is being encoded; then no objects are shared.
        """
        sharing = None if is_nested else self.sharing
        exchange = Exchange(
            with_usage=self.usages is not None,
            with_warnings=with_warnings,
            watched=watched,
            sharing=sharing,
            peer=self,
        )
        self._own_errors.clear()
        self.was_asked = True
        try:
            answer = self.child.ask(operation, *arguments, exchange=exchange)
        except UnsupportedValueError as error:
            if self.has_answered:  # the object may come from the submission
                unsupported = NoValueError(Unsupported(error.kind, error.path))
                raise self._remember(unsupported) from error
            self._raise_definition_error(
                f"an argument: {error.kind} cannot be sent into the sandbox; let a `run` test make "
                "it there"
            )
        except (ChildGoneError, EtudeError) as error:
            raise self._remember(error) from error.__cause__
        value = None
        if isinstance(answer, Returned):
            self.has_answered = True
            if self.usages is not None and answer.usage is not None:
                self.usages.append(answer.usage)
            self._refuse_arrays(answer.value)
            value = self.incoming(answer.value)
        if sharing is not None:
            sharing.settle()
        if isinstance(answer, Returned):
            return value
        if isinstance(answer, Raised):
            raised = self._make_exception(answer)
            if isinstance(raised, StopIteration) and arguments[0] != "next":
                self.stop_iteration = NoValueError(answer)
            raise raised
        raise self._remember(NoValueError(answer))

    def _make_exception(self, answer: Raised) -> BaseException:
        """Return the error to raise; if it comes from a function of the test, the original."""
        self._refuse_arrays([answer.args, dict(answer.attributes)])
        for ours in self._own_errors[-1:]:
            if (answer.type, answer.message) == (builtin_kind(ours), str(ours)):
                if self.first_unexpected_error is ours:
                    self.first_unexpected_error = None
                return ours
        raised = self.error(answer)
        return self._remember(raised) if isinstance(raised, NoValueError) else raised

    def _refuse_arrays(self, value: object) -> None:
        """Raise `NoValueError` if arrays are too large, or masked without the test expecting it."""
        arrays = list(iter_arrays(value))
        size = sum(array.nbytes for array in arrays)
        refused: Unsupported | None = None
        if size > self.max_bytes:
            largest = max(arrays, key=lambda array: array.nbytes)
            kind = f"a value of {size / (1 << 20):.3g} MiB ({describe_value(largest)})"
            refused = Unsupported(kind, "", is_too_large=True)
        elif not self.allows_masked and any(map(is_masked, arrays)):
            refused = Unsupported("a masked array", "")
        if refused is not None:
            raise self._remember(NoValueError(refused))
        self.largest_result_bytes = max(self.largest_result_bytes, size)

    def _raise_definition_error(self, message: str) -> NoReturn:
        raise self._remember(DefinitionError.at(self.where, message))

    def _remember(self, error: _Error) -> _Error:
        """Return an error, and note it, since the test might catch it."""
        self.first_unexpected_error = self.first_unexpected_error or error
        return error


def _plain(value: Any) -> Any:
    """Return a value with None in place of functions and proxies."""
    return map_parts(
        lambda part: None if isinstance(part, (Proxy, MethodProxy)) or callable(part) else part,
        value,
    )


def _label_arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by their position or their keyword."""
    return {**{f"argument {number}": argument for number, argument in enumerate(args, 1)}, **kwargs}


def _is_in(part: object, container: object) -> bool:
    """Return whether a list, tuple or dictionary contains an object, by identity."""
    if isinstance(container, dict):
        container = list(container.values())
    is_inside = isinstance(container, (list, tuple)) and any(_is_in(part, x) for x in container)
    return part is container or is_inside


def _as_function(number: int, value: Any) -> Function | Callback | None:
    """Return a function as source code if it is self-contained, otherwise as a callback."""
    if value is Ellipsis:
        return Function(number, "given", "given = ...")
    if isinstance(value, Iterator):
        return Callback(number, iterates=True)
    if not callable(value):
        return None
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    module = module or getattr(value, "__objclass__", type(None)).__module__
    if type(value) is np.ufunc:
        module, name = "numpy", value.__name__
    if module and module.partition(".")[0] in ("builtins", "numpy", "math", "operator"):
        with contextlib.suppress(AttributeError):
            if operator.attrgetter(name)(sys.modules[module]) is value:
                return Function(number, "given", f"import {module}\ngiven = {module}.{name}")
    if isinstance(value, FunctionType) and _stands_alone(value):
        with contextlib.suppress(OSError, TypeError):
            source = textwrap.dedent(inspect.getsource(value))
            # Assertions must be checked in this process, so such a function becomes a callback.
            if source.startswith("def ") and "assert" not in source:
                return Function(number, value.__name__, source)
    return Callback(number)


def _stands_alone(function: FunctionType) -> bool:
    """Return whether a function uses only its own names, built-ins and `np`."""
    codes, used = [function.__code__], set[str]()
    for code in codes:
        used.update(code.co_names)
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    names = {name for name in used if name in function.__globals__} - {"np", function.__name__}
    defaults = function.__defaults__ or function.__kwdefaults__
    return not (function.__closure__ or names or defaults)


def raise_for_functions(value: object) -> None:
    """Raise `NoValueError` for a value that contains a function or an iterator."""
    for proxy, path in find_objects(value):
        if proxy.handle_.kind.startswith("<"):
            raise NoValueError(Unsupported(proxy.handle_.kind.strip("<>"), path))


@functools.lru_cache(64)
def _make_class(kind: str, is_callable: bool) -> type[Proxy]:
    """Return a class of proxies with the name of a class of the submission."""
    base = CallableProxy if is_callable else Proxy
    return type(
        kind.strip("<>") or "object",
        (base,),
        {"__slots__": (), "__doc__": vars(Proxy)["__doc__"]},
    )


def builtin_kind(error: BaseException) -> str:
    """Return the name of the most specific built-in class of an exception."""
    return next(k.__name__ for k in type(error).__mro__ if k.__module__ == "builtins")


def _signature(facts: Any) -> inspect.Signature:
    """Return the signature that a submission describes by plain values and names of types."""
    parameters, returns = [], inspect.Signature.empty
    for name, kind, default, annotation in facts:
        note = _decode_fact(annotation)
        if kind < 0:
            returns = note
        else:
            parameters.append(
                inspect.Parameter(
                    str(name),
                    inspect._ParameterKind(kind),  # noqa: SLF001  the enum has no public name
                    default=_decode_fact(default),
                    annotation=note,
                )
            )
    return inspect.Signature(parameters, return_annotation=returns)


def _decode_fact(fact: Any) -> Any:
    match fact:
        case [value, is_type]:
            return _TYPES.get(value, value) if is_type else value
    return inspect.Parameter.empty


def find_objects(value: object) -> Iterator[tuple[Proxy, str]]:
    """Yield the proxies for objects in a value, each with its path."""
    for path, part in walk(value):
        if isinstance(part, Proxy):
            yield part, "".join(f"[{key!r:.40}]" for key in path)
