"""Stand-ins for the names that a submission defines: using one crosses into the sandbox.

Results are plain data, or stand-ins for objects that stay in the sandbox.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, NoReturn, TypeVar

from grader.definitions.exercise import Tolerance
from grader.errors import DefinitionError, EtudeError, Location, Problem
from grader.grading.comparison.ladder import compare
from grader.grading.comparison.memory_size import arrays_in, bytes_in
from grader.grading.feedback.difference_sentences import describe
from grader.sandbox.answers import (
    Answer,
    Cause,
    ChildGoneError,
    Raised,
    Returned,
    Unsupported,
    Usage,
)
from grader.sandbox.inside.wire import MAX_BODY, Function, Handle, UnsupportedValueError
from grader.sandbox.interface import Child
from grader.sandbox.printable import printable

_EXACT = Tolerance(0.0, 0.0)
_Error = TypeVar("_Error", bound=Exception)


class NoValueError(Exception):
    """The answer to a call is no value; it ends the evaluation of the test."""

    def __init__(self, answer: Raised | Unsupported) -> None:
        self.answer = answer
        super().__init__()


class Proxies:
    """The stand-ins for one test.

    Args:
        child: where the submission runs.
        where: the test's place, for errors of its author.
        keep_inputs: whether to look for arguments that a call changes in place.
        usages: where to add what each call takes; it is measured only if there is such a place.
        error: makes what is raised here when the submission raises.
        something_came_back: whether the submission has given a value already.
        most: bytes that the arrays in a result may have; a larger one is refused.

    Attributes:
        largest: bytes of the arrays in the largest result so far.
        changed: the first argument that a call changed in place, with its position or keyword.
        unexpected: the first thing that went wrong in a way that no test can expect, also if the
            test caught it: the program's end, a value that cannot cross, an error that is not the
            submission's.
    """

    def __init__(
        self,
        child: Child,
        where: Location,
        *,
        keep_inputs: bool = False,
        usages: list[Usage] | None = None,
        error: Callable[[Raised], BaseException] = NoValueError,
        something_came_back: bool = False,
        most: int = MAX_BODY,
    ) -> None:
        self._child = child
        self._where = where
        self._keep_inputs = keep_inputs
        self._usages = usages
        self._error = error
        self._something_came_back = something_came_back
        self._has_answered = something_came_back
        self._methods: set[Callable[..., Any]] = set()
        self._most = most
        self.largest = 0
        self.changed: tuple[str, Any] | None = None
        self.unexpected: Exception | None = None

    def function(self, name: str) -> Callable[..., Any]:
        """Return the stand-in for a function or a class of the submission."""

        def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  any value
            child = self._child
            return self._call((child.call, child.call_and_look), (name,), args, kwargs)

        return call

    def current(self, name: str) -> Any:  # noqa: ANN401  any value
        """Return the current value of a name of the submission."""
        return self._value(lambda: self._child.value(name))

    def _call(
        self,
        ways: tuple[Callable[..., Answer], Callable[..., Answer]],
        target: tuple[object, ...],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:  # noqa: ANN401  any value
        """Call, in one of two ways: the second also returns the arguments after the call."""
        ask, ask_and_look = ways
        sent, named = self.outgoing(list(args)), self.outgoing(dict(kwargs))
        options = {"measure": True} if self._usages is not None else {}
        if not self._keep_inputs:
            return self._value(lambda: ask(*target, sent, named, **options))
        match self._value(lambda: ask_and_look(*target, sent, named, **options)):
            case [value, list(args_after), dict(kwargs_after)]:
                before = {**{f"argument {n}": arg for n, arg in enumerate(args, 1)}, **kwargs}
                after = [*args_after, *kwargs_after.values()]
                if self.changed is None:
                    self.changed = next(_changed(before, after), None)
                return value
        raise self._remembered(ChildGoneError(Cause.PROTOCOL, "no arguments after a call"))

    def outgoing(self, value: Any) -> Any:  # noqa: ANN401  any value
        """Return a value with functions as their source and stand-ins as handles."""
        if isinstance(value, FunctionType):
            return self._source(value)
        if isinstance(value, RemoteObject):
            return value.handle_
        if isinstance(value, (list, tuple)):
            return type(value)([self.outgoing(item) for item in value])
        if isinstance(value, dict):
            return {key: self.outgoing(item) for key, item in value.items()}
        return value

    def run(self, statements: str, inputs: Mapping[str, Any]) -> Answer:
        """Run statements after the submission, with these names set."""
        try:
            return self._child.run(statements, self.outgoing(dict(inputs)))
        except UnsupportedValueError as error:
            self._author(f"{error.kind} cannot be sent into the sandbox")

    def _source(self, function: FunctionType) -> Function:
        if function in self._methods:
            method = f"`{function.__name__}` is a method, where a value is expected"
            raise self._remembered(TypeError(method))
        if function.__module__ == __name__:
            self._author("a function of the submission cannot be an argument of another")
        try:
            source = textwrap.dedent(inspect.getsource(function))
        except (OSError, TypeError):
            source = ""
        if not source.startswith("def "):
            self._author(f"the function {function.__name__} must be written with def, to be sent")
        return Function(function.__name__, source)

    def incoming(self, value: Any) -> Any:  # noqa: ANN401  any value
        """Return a value with handles, also in containers, as stand-ins."""
        if isinstance(value, Handle):
            return RemoteObject(self, Handle(value.number, printable(value.kind)))
        if isinstance(value, (list, tuple)):
            return type(value)([self.incoming(item) for item in value])
        if isinstance(value, dict):
            return {key: self.incoming(item) for key, item in value.items()}
        return value

    def attribute(self, handle: Handle, name: str) -> Any:  # noqa: ANN401  any value
        """Return an attribute of an object in the sandbox; of a method a stand-in."""
        match self._value(lambda: self._child.attribute(handle, name)):
            case [False, value]:
                return value

        def method(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  any value
            child = self._child
            return self._call((child.method, child.method_and_look), (handle, name), args, kwargs)

        method.__name__ = name
        self._methods.add(method)
        return method

    def _value(self, ask: Callable[[], Answer]) -> Any:  # noqa: ANN401  any value
        try:
            answer = ask()
        except UnsupportedValueError as error:
            if self._something_came_back:  # and was passed on: the submission made it what it is
                unsupported = NoValueError(Unsupported(error.kind, error.path))
                raise self._remembered(unsupported) from error
            self._author(f"an argument: {error.kind} cannot be sent into the sandbox")
        except (ChildGoneError, EtudeError) as error:
            raise self._remembered(error) from error.__cause__
        self._has_answered = True
        if isinstance(answer, Returned):
            self._something_came_back = True
            if self._usages is not None and answer.usage is not None:
                self._usages.append(answer.usage)
            value = answer.value
            size = bytes_in(value)
            if size > self._most:
                largest = max(arrays_in(value), key=lambda array: array.nbytes)
                kind = f"a value of {size / (1 << 20):.3g} MiB ({describe(largest)})"
                raise self._remembered(NoValueError(Unsupported(kind, "", is_too_large=True)))
            self.largest = max(self.largest, size)
            return self.incoming(value)
        if isinstance(answer, Raised):
            raised = self._error(answer)
            raise self._remembered(raised) if isinstance(raised, NoValueError) else raised
        raise self._remembered(NoValueError(answer))

    @property
    def has_answered(self) -> bool:
        """True if the submission has returned or raised: before, only the author can be wrong."""
        return self._has_answered

    def _author(self, message: str) -> NoReturn:
        raise self._remembered(DefinitionError([Problem(self._where, message)]))

    def _remembered(self, error: _Error) -> _Error:
        """Return an error, noted since a test might catch it though it cannot expect it."""
        self.unexpected = self.unexpected or error
        return error


def _changed(before: Mapping[str, Any], after: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments that are not as they were."""
    for (name, one), other in zip(before.items(), after, strict=False):
        if compare(_plain(one), _plain(other), _EXACT):
            yield name, one


def _plain(value: Any) -> Any:  # noqa: ANN401  any value
    """Return a value with None for functions and objects in the sandbox."""
    if isinstance(value, (FunctionType, RemoteObject)):
        return None
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


class RemoteObject:
    """An instance of a submission's class: attributes and methods are looked up in the sandbox."""

    def __init__(self, names: Proxies, handle: Handle) -> None:
        self._names = names
        self.handle_ = handle

    __array_ufunc__ = None  # no operand for NumPy, which would ask it for its memory

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any value
        if name.startswith("__"):  # Python's and NumPy's own questions are not the test's
            raise AttributeError(name)
        return self._names.attribute(self.handle_, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  any value
        """Call the object in the sandbox."""
        return self._names.attribute(self.handle_, "__call__")(*args, **kwargs)

    def __len__(self) -> int:
        return int(self._names.attribute(self.handle_, "__len__")())

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401  any value
        try:
            return self._names.attribute(self.handle_, "__getitem__")(key)
        except NoValueError as error:  # it ends a loop over the object
            if isinstance(error.answer, Raised) and error.answer.type == "IndexError":
                raise IndexError(key) from error
            raise

    def __repr__(self) -> str:
        return f"<{self.handle_.kind} object>"
