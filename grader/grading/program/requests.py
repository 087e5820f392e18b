"""The requests of a test to a program, and the values and errors that come back.

A value is plain data, or has proxies for the objects that stay in the sandbox.
"""

import builtins
import operator
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np

from grader.errors import DefinitionError, EtudeError, Location
from grader.grading.comparison.compare import EXACT, compare, is_masked
from grader.grading.comparison.nested_values import iter_arrays, map_parts
from grader.grading.feedback.difference_sentences import describe_value
from grader.grading.program.author_code import TooLargeError, TooLongError
from grader.grading.program.crossing_functions import encode_function
from grader.grading.program.proxies import (
    MethodProxy,
    NameProxy,
    NoValueError,
    Proxy,
    RunningProgram,
    builtin_kind,
    find_objects,
    make_class,
    raise_for_functions,
)
from grader.sandbox.answers import ChildGoneError, Raised, Returned, Unsupported, Usage
from grader.sandbox.in_child.sharing import replace_contents
from grader.sandbox.in_child.value_types import with_items
from grader.sandbox.in_child.wire import (
    MAX_BODY,
    Callback,
    Function,
    Handle,
    Shared,
    UnsupportedValueError,
)
from grader.sandbox.interface import Exchange
from grader.sandbox.printable import printable

_MAX_CALLBACKS: Final = 100_000  # calls of a test's functions in one test
_MAX_WARNINGS: Final = 50  # warnings of one call that are repeated
_MAX_WARNING_LENGTH: Final = 2000  # characters of a warning
_Error = TypeVar("_Error", bound=Exception)


@dataclass(eq=False)
class Requests:
    """The requests of one test to a program."""

    program: RunningProgram
    where: Location  # place of the test in its file, for the author's errors
    keep_inputs: bool = False  # whether to detect arguments that a call changes in place
    # Whether the test is the body of a pytest test, which shares its objects: a change that it
    # makes to an object is repeated on the submission's copy.
    in_body: bool = False
    # Collects the resource usage of each call; None: not measured.
    usages: list[Usage] | None = None
    # Makes the exception that is raised here when the submission raises one.
    error: Callable[[Raised], BaseException] = NoValueError
    max_bytes: int = MAX_BODY  # maximum size of the arrays in one result, in bytes
    # Whether a result may be a masked array. NumPy's assertions treat a masked entry as equal to
    # everything, so tests that do not mention masks refuse them.
    allows_masked: bool = True

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
        self.has_answered = self.program.has_values
        self.was_asked = self.has_answered  # until it is True, an error is the author's
        sharing = self.program.sharing if self.in_body else None
        with_usage = self.usages is not None
        self._exchange = Exchange(with_usage=with_usage, sharing=sharing, peer=self)
        self._current_call: tuple[Any, ...] = "", "", [], {}
        self._functions = self.program.functions
        self._first_function = len(self._functions)
        self._proxies: dict[int, Proxy] = {}
        self._callback_count = self._output_issued = 0
        self._own_error: Exception | None = None  # raised by a function of the test

    def current(self, name: str) -> Any:
        """Return the current value of a name that the submission binds to plain data."""
        value = self.ask("value", name)
        raise_for_functions(value)
        return value

    def as_data(self, value: Any) -> Any:
        """Return a result with each dataclass object replaced by its fields, for the comparison."""
        if not any(find_objects(value)):
            return value
        return self.ask("as_data", value, exchange=replace(self._exchange, with_usage=False))

    def run_statements(self, operation: str, statements: str, inputs: Mapping[str, Any]) -> Any:
        """Run statements in the submission's namespace, with the inputs as additional names.

        Args:
            operation: "run" or "draw_figure", see `in_child.operations` for the value of each.

        Raises:
            NoValueError: The statements raise an error.
        """
        try:
            answer = self.program.child.ask(
                operation, statements, dict(inputs), exchange=Exchange(peer=self)
            )
        except UnsupportedValueError as error:
            message = f"{error.kind} cannot be sent into the sandbox"
            raise self.remember(DefinitionError.at(self.where, message)) from error
        if not isinstance(answer, Returned):
            raise NoValueError(answer)
        return answer.value

    def call(self, operation: str, *arguments: Any) -> Any:
        """Send a call, and note changes of its arguments where the test needs that.

        Args:
            operation: "call", "method" or "operate", see `in_child.operations`.
        """
        outer, self._current_call = self._current_call, (operation, *arguments)
        try:
            if self.in_body:
                return self._call_in_body(self._current_call)
            if self.keep_inputs:
                return self._call_watched(self._current_call)
            return self.ask(operation, *arguments)
        finally:
            self._current_call = outer

    def _call_in_body(self, request: tuple[Any, ...]) -> Any:
        """Send a call; repeat its warnings, and its output if the body captures output.

        Changes of its arguments are noted in `change`.
        """
        child = self.program.child
        begin = child.output_size
        match self.ask(*request, exchange=replace(self._exchange, with_warnings=True)):
            case [value, list(warned), int(printed)]:
                end = min(begin + max(printed, 0), child.output_size)
                begin = max(begin, self._output_issued)  # without the output of nested calls
                if sys.stdout is not sys.stderr and begin < end:
                    sys.stdout.write(child.output(begin, end))
                self._output_issued = max(end, self._output_issued)
                _issue_warnings(warned)
                return value
        raise self._end_forger()

    def _call_watched(self, request: tuple[Any, ...]) -> Any:
        """Send a call, and note the arguments that it changes."""
        watched = Shared()
        match self.ask(*request, exchange=replace(self._exchange, watched=watched)):
            case [value, None]:
                return value
            case [value, list(contents)]:
                for passed, content in zip(watched.objects.values(), contents, strict=False):
                    if passed is request[-1]:  # later objects are not arguments
                        break
                    if content is not None and not any(passed is part for part in request):
                        self._note_change(passed, content)
                return value
        raise self._end_forger()

    def _note_change(self, passed: Any, contents: Any, *, is_ours: bool = False) -> None:
        """Note that a call has changed an argument in place, if it has.

        Args:
            is_ours: Whether the test passed the object in an earlier call.
        """
        match self._current_call:
            case ("operate", called, [_, *positional]):
                named: dict[str, Any] = {}
            case (*_, called, positional, named):
                pass
        args = {f"argument {n}": value for n, value in enumerate(positional, 1)} | named
        place = next((p for p, value in args.items() if _is_in(passed, value)), None)
        is_argument = is_ours or place is not None or not self.in_body
        is_first = self.changed_argument is None and is_argument
        if is_first and compare(_plain(passed), _plain(contents), EXACT):
            argument = passed if place is None else args[place]
            self.changed_argument = called, place or "an argument", argument

    def change(self, passed: Any, contents: Any, is_ours: bool) -> None:
        """Repeat on an object of the body the change that the submission made to its copy."""
        self._refuse_arrays(contents)
        if self.keep_inputs:
            self._note_change(passed, contents, is_ours=is_ours)
        replace_contents(passed, self._incoming(contents))

    def keep(self, value: object) -> Handle | Function | Callback | None:
        """Return the wire form of an object that is not plain data; see `wire.ObjectTable`."""
        nested = Exchange(peer=self)  # shares no objects, since another request is being encoded
        if isinstance(value, NameProxy) and value.handle_.number < 0:
            # The object behind a name is looked up when it is first passed as an argument.
            plain = self.ask("value", value.name_, exchange=nested)
            if not isinstance(plain, Proxy):
                raise self._end_forger()
            object.__setattr__(value, "handle_", plain.handle_)
            self._proxies[plain.handle_.number] = value
        if isinstance(value, Proxy):
            return value.handle_
        if isinstance(value, MethodProxy):
            owner_and_name = [value.__self__, value.__name__]
            method = self.ask("operate", "getattr", owner_and_name, exchange=nested)
            return method.handle_ if isinstance(method, Proxy) else None
        count = len(self._functions)
        own_numbers = range(self._first_function, count)
        number = next((n for n in own_numbers if self._functions[n] is value), count)
        crossing = encode_function(number, value)
        if crossing is not None and number == count:
            self._functions.append(value)
        return crossing

    def call_back(self, number: int, args: list[Any], kwargs: dict[Any, Any]) -> list[object]:
        """Call a function of the test for the submission; see `interface.Peer`."""
        self._callback_count += 1
        self.has_answered = True  # the arguments come from the submission
        if not self._first_function <= number < len(self._functions):
            raise self._end_forger()
        if self._callback_count > _MAX_CALLBACKS:
            message = f"a function of the test is called more than {_MAX_CALLBACKS:,} times"
            raise self.remember(TooLongError(message))
        function = self._functions[number]
        try:
            if isinstance(function, Iterator):
                return ["ok", next(function)]
            self._refuse_arrays([args, kwargs])
            keywords = {str(name): self._incoming(value) for name, value in kwargs.items()}
            args = list(self._incoming(args))
            if self._exchange.sharing is not None:
                self._exchange.sharing.settle()
            return ["ok", function(*args, **keywords)]
        except (ChildGoneError, EtudeError, TooLongError, TooLargeError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  raised again if the submission does not catch it
            self._own_error = error
            if isinstance(error, AssertionError):
                self.remember(error)  # a submission must not hide a failed test
            return [builtin_kind(error), str(error)]

    def _incoming(self, value: Any) -> Any:
        """Return a received value with handles replaced by proxies and callbacks by functions.

        Lists and dicts are changed in place.
        """
        if isinstance(value, Handle):
            proxy = self._proxies.get(value.number)
            if proxy is None:
                handle = replace(value, kind=printable(value.kind))
                proxy = make_class(handle.kind, handle.is_callable)(self, handle)
                self._proxies[handle.number] = proxy
            return proxy
        if isinstance(value, Callback):
            if not 0 <= value.number < len(self._functions):
                raise self._end_forger()
            return self._functions[value.number]
        if isinstance(value, (list, deque)):
            for number, item in enumerate(value):
                value[number] = self._incoming(item)
        elif isinstance(value, tuple):
            items = [self._incoming(item) for item in value]
            return value if all(map(operator.is_, items, value)) else with_items(value, items)
        elif isinstance(value, dict):
            for key, item in value.items():
                value[key] = self._incoming(item)
        return value

    def ask(self, operation: str, *arguments: Any, exchange: Exchange | None = None) -> Any:
        """Send a request and return the value of its answer.

        Args:
            exchange: Its encoding, if it is another than that of the test's other requests.
        """
        exchange = exchange or self._exchange
        self._own_error = None
        self.was_asked = True
        try:
            answer = self.program.child.ask(operation, *arguments, exchange=exchange)
        except UnsupportedValueError as error:
            if self.has_answered:  # the object may come from the submission
                unsupported = NoValueError(Unsupported(error.kind, error.path))
                raise self.remember(unsupported) from error
            message = f"an argument: {error.kind} cannot be sent into the sandbox"
            advice = "let a `run` test make it there"
            raise self.remember(DefinitionError.at(self.where, f"{message}; {advice}")) from error
        except (ChildGoneError, EtudeError) as error:
            raise self.remember(error) from error.__cause__
        value = None
        if isinstance(answer, Returned):
            self.has_answered = True
            if self.usages is not None and answer.usage is not None:
                self.usages.append(answer.usage)
            self._refuse_arrays(answer.value)
            value = self._incoming(answer.value)
        if exchange.sharing is not None:
            exchange.sharing.settle()
        if isinstance(answer, Returned):
            return value
        if isinstance(answer, Raised):
            raised = self._make_exception(answer)
            if isinstance(raised, StopIteration) and arguments[0] != "next":
                self.stop_iteration = NoValueError(answer)
            raise raised
        raise self.remember(NoValueError(answer))

    def _make_exception(self, answer: Raised) -> BaseException:
        """Return the error to raise; if it comes from a function of the test, the original."""
        self._refuse_arrays([answer.args, dict(answer.attributes)])
        own = self._own_error
        if own is not None and (answer.type, answer.message) == (builtin_kind(own), str(own)):
            if self.first_unexpected_error is own:
                self.first_unexpected_error = None
            return own
        raised = self.error(answer)
        return self.remember(raised) if isinstance(raised, NoValueError) else raised

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
            raise self.remember(NoValueError(refused))
        self.largest_result_bytes = max(self.largest_result_bytes, size)

    def remember(self, error: _Error) -> _Error:
        """Return an error, and note it, since the test might catch it."""
        self.first_unexpected_error = self.first_unexpected_error or error
        return error

    def _end_forger(self) -> ChildGoneError:
        return self.remember(self.program.child.end_forger("not what was asked for"))


def _issue_warnings(warned: list[Any]) -> None:
    """Repeat the warnings of a call."""
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
                warnings.warn(printable(message[:_MAX_WARNING_LENGTH]), category, stacklevel=5)


def _plain(value: Any) -> Any:
    """Return a value with None in place of functions and proxies."""
    return map_parts(
        lambda part: None if isinstance(part, (Proxy, MethodProxy)) or callable(part) else part,
        value,
    )


def _is_in(part: object, container: object) -> bool:
    """Return whether a list, tuple or dictionary contains an object, by identity."""
    if isinstance(container, dict):
        container = list(container.values())
    is_inside = isinstance(container, (list, tuple)) and any(_is_in(part, x) for x in container)
    return part is container or is_inside
