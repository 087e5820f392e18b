"""Proxies for the names and objects of a submission. Each use is a request to the sandbox."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from grader.grading.comparison.nested_values import walk
from grader.sandbox.answers import Raised, Unsupported
from grader.sandbox.in_child.sharing import Sharing
from grader.sandbox.in_child.wire import Handle
from grader.sandbox.interface import Child
from grader.sandbox.printable import printable

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


_forwards: ContextVar[bool] = ContextVar("_forwards", default=False)


@contextlib.contextmanager
def allow_forwarding() -> Iterator[None]:
    """Let proxies forward operations to the submission's objects while an author's code runs.

    Outside of such a block they forward nothing. Otherwise a comparison by the grader itself would
    send the expected value into the sandbox, and the submission would decide whether it is equal.
    """
    token = _forwards.set(True)
    try:
        yield
    finally:
        _forwards.reset(token)


@dataclass(slots=True, eq=False)
class RunningProgram:
    """A program in its child, with what outlasts a single test."""

    child: Child
    has_values: bool = field(default=False, kw_only=True)  # whether it has given a value already
    # The operators that its objects may answer.
    operators: frozenset[str] = field(default=frozenset(), kw_only=True)
    # Whether the exercise asks for objects. Otherwise a test may pass an object on, but not use it:
    # an object in place of an array could imitate the expected result.
    allows_objects: bool = field(default=True, kw_only=True)
    # The functions of tests that were passed to it, by number.
    functions: list[Any] = field(default_factory=list, kw_only=True)
    # The objects that the bodies of pytest tests share with it.
    sharing: Sharing = field(default_factory=Sharing, kw_only=True)


class Sender(Protocol):
    """The part of a test's requests that its proxies use; see `requests.Requests`."""

    program: RunningProgram

    def ask(self, operation: str, *arguments: Any) -> Any:
        """Send a request and return the value of its answer."""

    def call(self, operation: str, *arguments: Any) -> Any:
        """Send a call, which may change its arguments."""

    def remember(self, error: _Error) -> _Error:
        """Return an error, and note it."""


class Proxy:
    """A proxy for an object of a submission. The object itself stays in the sandbox."""

    __slots__ = ("_requests", "handle_")

    __array_ufunc__ = None  # makes NumPy leave operators to this class

    handle_: Handle

    def __init__(self, requests: Sender, handle: Handle) -> None:
        object.__setattr__(self, "_requests", requests)
        object.__setattr__(self, "handle_", handle)

    @property
    def __doc__(self) -> Any:  # type: ignore[override]  # the submission's, of any type
        return _attribute(self, "__doc__")

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters of a function or a class."""
        return _signature(self._requests.ask("signature", self))

    def __getattr__(self, name: str) -> Any:
        if not _forwards.get() or (name.startswith("__") and name not in _FORWARDED):
            raise AttributeError(name)
        if name == "__array__":
            return self._as_array
        return _attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        operate(self._requests, "setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        operate(self._requests, "delattr", self, name)

    def _as_array(self, dtype: Any = None, **_: object) -> Any:
        array = np.asarray(operate(self._requests, "asarray", self))
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        if not _forwards.get():
            return f"<{type(self).__name__} object>"
        if not self.handle_.is_builtin:
            with contextlib.suppress(Exception):
                return str(self._requests.ask("operate", "repr", [self]))
        return f"<{self.handle_.kind} object>"

    def __hash__(self) -> int:
        return (
            int(operate(self._requests, "hash", self)) if _forwards.get() else object.__hash__(self)
        )

    def __bool__(self) -> bool:
        return bool(operate(self._requests, "bool", self)) if _forwards.get() else True

    def __str__(self) -> str:
        return str(operate(self._requests, "str", self)) if _forwards.get() else repr(self)

    def __contains__(self, item: object) -> bool:
        if "in" in self._requests.program.operators:
            return bool(operate(self._requests, "contains", self, item))
        items = operate(self._requests, "iter", self)
        return any(each is item or each == item for each in items)

    def __enter__(self) -> Any:
        return call_method(self._requests, self, "__enter__", (), {})

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
        return operate(self._requests, "copy", self)

    def __deepcopy__(self, _: object) -> Any:
        return operate(self._requests, "deepcopy", self)

    def __instancecheck__(self, instance: object) -> bool:
        return bool(operate(self._requests, "isinstance", instance, self))

    def __subclasscheck__(self, kind: object) -> bool:
        return bool(operate(self._requests, "issubclass", kind, self))


class CallableProxy(Proxy):
    """A proxy for a function, a class or another callable of a submission."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the object in the sandbox."""
        return call_method(self._requests, self, "__call__", args, kwargs)


class NameProxy(CallableProxy):
    """A proxy for a name that a submission defines. Each call looks the name up again."""

    __slots__ = ("name_",)

    name_: str

    def __init__(self, requests: Sender, name: str) -> None:
        super().__init__(requests, Handle(-1, "function", is_builtin=True))
        object.__setattr__(self, "name_", name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the object that is bound to the name now."""
        return self._requests.call("call", self.name_, list(args), dict(kwargs))


class MethodProxy:
    """A proxy for a method of an object of a submission."""

    def __init__(self, requests: Sender, owner: Proxy, name: str) -> None:
        self._requests = requests
        self.__self__ = owner
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method in the sandbox."""
        return call_method(self._requests, self.__self__, self.__name__, args, kwargs)

    @property
    def __doc__(self) -> Any:  # type: ignore[override]  # the submission's, of any type
        return operate(self._requests, "getattr", self.__self__, self.__name__).__doc__

    @property
    def __signature__(self) -> Any:
        """The parameters of the method, without `self`."""
        return operate(self._requests, "getattr", self.__self__, self.__name__).__signature__


def _attribute(proxy: Proxy, name: str) -> Any:
    """Return the value of an attribute of an object in the sandbox, or a proxy for a method."""
    requests = proxy._requests  # noqa: SLF001  a name without underscore could hide an attribute
    refuse_object(requests, proxy, name)
    match requests.ask("attribute", proxy, name):
        case [False, value]:
            return value
    return MethodProxy(requests, proxy, name)


def operate(requests: Sender, name: str, *operands: Any) -> Any:
    """Apply an operator or a built-in function in the sandbox."""
    for operand in operands:
        refuse_object(requests, operand)
    try:
        return requests.call("operate", name, list(operands))
    except NoValueError as error:
        kind = error.answer.type if isinstance(error.answer, Raised) else ""
        if name == "next" and kind == "StopIteration":
            raise StopIteration from error
        if name == "len" and kind == "TypeError":  # `list` calls `len` but does not need it
            raise _NoLengthError(error.answer) from error
        raise


def call_method(
    requests: Sender, owner: Proxy, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Call a method of an object in the sandbox."""
    refuse_object(requests, owner, name)
    return requests.call("method", owner, name, list(args), dict(kwargs))


def refuse_object(requests: Sender, value: object, attribute: str = "") -> None:
    """Raise `NoValueError` if a test uses an object although the exercise does not ask for one.

    Functions and iterators are allowed, but not attributes that only arrays have.
    """
    if requests.program.allows_objects or not isinstance(value, Proxy):
        return
    handle = value.handle_
    if not handle.is_builtin or handle.kind == "type" or attribute in _ARRAY_ATTRIBUTES:
        raise requests.remember(NoValueError(Unsupported(printable(handle.kind), "")))


def _forward(name: str, *, operator: str = "", reflected: bool = False) -> Callable[..., Any]:
    """Return a special method that forwards to the submission's object.

    An operator is forwarded only if the exercise lists it. Its operand may be the expected value
    and its result decides the test, so an object that claims to equal everything must not pass.
    """

    def act(self: Proxy, *others: Any) -> Any:
        if not _forwards.get():
            return NotImplemented
        if operator and operator not in self._requests.program.operators:
            refuse_object(self._requests, self)
            return NotImplemented
        operands = (*others, self) if reflected else (self, *others)
        return operate(self._requests, name, *operands)

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


@functools.lru_cache(64)
def make_class(kind: str, is_callable: bool) -> type[Proxy]:
    """Return a class of proxies with the name of a class of the submission."""
    base = CallableProxy if is_callable else Proxy
    return type(
        kind or "object",
        (base,),
        {"__slots__": (), "__doc__": vars(Proxy)["__doc__"]},
    )


def _signature(facts: Any) -> inspect.Signature:
    """Return the signature that a submission describes by plain values and names of types."""
    parameters, returns = facts
    return inspect.Signature(
        [
            inspect.Parameter(
                str(name),
                inspect._ParameterKind(kind),  # noqa: SLF001  the enum has no public name
                default=_decode_fact(default),
                annotation=_decode_fact(annotation),
            )
            for name, kind, default, annotation in parameters
        ],
        return_annotation=_decode_fact(returns),
    )


def _decode_fact(fact: Any) -> Any:
    match fact:
        case [value, is_type]:
            return _TYPES.get(value, value) if is_type else value
    return inspect.Parameter.empty


def raise_for_functions(value: object) -> None:
    """Raise `NoValueError` for a value that contains a function or an iterator."""
    for proxy, path in find_objects(value):
        if proxy.handle_.is_builtin:
            raise NoValueError(Unsupported(proxy.handle_.kind, path))


def find_objects(value: object) -> Iterator[tuple[Proxy, str]]:
    """Yield the proxies for objects in a value, each with its path."""
    for path, part in walk(value):
        if isinstance(part, Proxy):
            yield part, "".join(f"[{key!r:.40}]" for key in path)


def builtin_kind(error: BaseException) -> str:
    """Return the name of the most specific built-in class of an exception."""
    return next(k.__name__ for k in type(error).__mro__ if k.__module__ == "builtins")
