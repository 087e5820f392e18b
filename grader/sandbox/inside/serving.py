"""Requests about one submission: load it, call it, run statements after it; answers are plain data.

A request is a list `[number, operation, ...]`, its answer `[number, status, payload]`:

    ["screen", source]           "ok": the program's uses, by its syntax tree; nothing runs
    ["answers", source, names]   "ok": null, or the first part that is no answer; nothing runs
    ["not_returned", source, name]  "ok": null, or name and line of a function's last value
    ["load", source, names]      "ok": {"names": every public callable, "defined": {name: facts}}
    ["load_answers", source, names]  likewise; the values are read off the syntax tree, nothing runs
    ["call", name, args, kwargs] "ok": the returned value
    ["call_and_look", name, args, kwargs]  "ok": [the value, args and kwargs as they are now]
    ["method_and_look", object, name, args, kwargs]  likewise
    ["attribute", object, name]  "ok": [true, null] for a method, else [false, the value]
    ["method", object, name, args, kwargs]  "ok": the returned value
    ["value", name]              "ok": the present value of the name
    ["run", statements, given]   "ok": the number of bytes printed; they are in the output
                                 descriptor, followed by standard error
    ["measure", operation, ...]  "ok" of the operation, with a fourth part: nanoseconds of CPU time
                                 and the most bytes that were allocated at once meanwhile

Instances of the submission's classes stay here; a handle crosses instead.

`status` is `ok`, `raised` (the submission's own exception), `unsupported` (a value that cannot
cross) or `stopped` (the CPU time is over; see `cpu_limit`). A submission can tamper with all of
this, but only in its own process: the trusted side takes only values, and compares them with
expected ones that are not here.
"""

import contextlib
import inspect
import io
import itertools
import linecache
import re
import sys
import types
from collections.abc import Iterator

# Imported now: a submission may replace them later. With a limit on CPU time the clock of the
# process moves in ticks; the clock of its one thread does not.
from tracemalloc import get_traced_memory as _traced_memory
from tracemalloc import start as _start_tracing
from tracemalloc import stop as _stop_tracing
from typing import Any

try:
    from time import thread_time_ns as _cpu_time
except ImportError:  # a browser has no clock of a thread
    from time import perf_counter_ns as _cpu_time

import numpy as np

from . import facts, literals, wire

FILE_NAME, MODULE_NAME = "submission.py", "submission"
_MAX_MESSAGE = 2000
_MAX_FRAMES = 8
_MAX_NAMES = 200
_MAX_SHAPES = 8
_MAX_CAUSES = 3
_MAX_ATTRIBUTES = 16
_MAX_ATTRIBUTE = 1 << 14  # bytes of plain data
_OF_BUILTINS = ("code", "name", "path", "value")  # attributes that are not in `vars`


class OutputLimitError(Exception):
    """The submission printed more than it may."""


class Output(io.TextIOBase):
    """Standard output that writes straight through and stops at a cap."""

    def __init__(self, cap: int) -> None:
        self.left = cap
        self.lost = 0  # bytes beyond the cap

    @property
    def position(self) -> int:
        """The number of bytes written."""
        raise NotImplementedError

    def put(self, data: bytes) -> None:
        """Write bytes that are within the cap."""
        raise NotImplementedError

    def writable(self) -> bool:
        """Return true: `print` asks for it."""
        return True

    def write(self, text: str) -> int:
        """Write up to the cap.

        Raises:
            OutputLimitError: the text is longer.
        """
        data = text.encode("utf-8", "backslashreplace")
        self.put(data[: self.left])
        self.left -= len(data)
        if self.left < 0:
            self.lost -= self.left
            self.left = 0
            raise OutputLimitError("too much output")
        return len(text)


class _Errors(io.TextIOBase):
    """Standard error: part of the output, or kept back while the output is compared."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._kept: list[str] | None = None
        self._room = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._kept is None:
            return self._output.write(text)
        self._kept.append(text)
        self._room -= len(text)
        if self._room < 0:
            raise OutputLimitError("too much output")
        return len(text)

    @contextlib.contextmanager
    def kept_back(self) -> Iterator[None]:
        """Keep back what is written meanwhile, and write it at the end."""
        self._kept, self._room = [], self._output.left
        try:
            yield
        finally:
            kept, self._kept = "".join(self._kept), None
            if kept:
                self._output.write(kept)


class _Instances:
    """The instances of which the trusted side has handles."""

    def __init__(self) -> None:
        self._kept: list[object] = []

    def keep(self, value: object) -> wire.Handle | None:
        kind = type(value)
        if kind is types.CoroutineType:
            value.close()  # type: ignore[attr-defined]  # or Python warns that it was not awaited
        if getattr(kind, "__module__", None) != "submission":
            return None
        self._kept.append(value)
        return wire.Handle(len(self._kept) - 1, str(kind.__name__)[:100])

    def find(self, number: int) -> object:
        return self._kept[number]

    def make(self, name: str, source: str) -> object:
        namespace: dict[str, Any] = {"np": np, "__name__": "given"}
        exec(compile(source, "<given>", "exec"), namespace)  # noqa: S102  the exercise's own code
        return namespace[name]


class _SubmissionModule:
    """The submission's module, with a method for each request."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._errors = _Errors(output)
        self.module = types.ModuleType(MODULE_NAME)
        self.module.__file__ = FILE_NAME

    def print_to(self, output: Output) -> None:
        """Direct the submission's output here."""
        sys.stdout, sys.stderr = self._output, self._errors = output, _Errors(output)

    def screen(self, source: str) -> object:
        return facts.uses(source)

    def answers(self, source: str, names: list[str]) -> object:
        return literals.beyond_answers(source, names)

    def not_returned(self, source: str, name: str) -> object:
        return facts.not_returned(source, name)

    def load(self, source: str, names: list[str]) -> dict[str, object]:
        self._begin(source)
        exec(compile(source, FILE_NAME, "exec"), self.module.__dict__)  # noqa: S102  what this process is for
        return self._defined(names)

    def load_answers(self, source: str, names: list[str]) -> dict[str, object]:
        self._begin(source)
        self.module.__dict__.update(literals.answers(source, names, FILE_NAME))
        return self._defined(names)

    def _begin(self, source: str) -> None:
        lines = source.splitlines(keepends=True)
        linecache.cache[FILE_NAME] = (len(source), None, lines, FILE_NAME)
        sys.modules[MODULE_NAME] = self.module

    def _defined(self, names: list[str]) -> dict[str, object]:
        namespace = self.module.__dict__
        public = [n for n, v in namespace.items() if not n.startswith("_") and callable(v)]
        return {
            "names": public[:_MAX_NAMES],
            "defined": {name: _facts(namespace[name]) for name in names if name in namespace},
        }

    def call(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> object:
        return self.module.__dict__[name](*args, **kwargs)

    def call_and_look(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> object:
        return [self.call(name, args, kwargs), _without_functions(args), _without_functions(kwargs)]

    def value(self, name: str) -> object:
        return self.module.__dict__[name]

    def attribute(self, instance: object, name: str) -> object:
        value = getattr(instance, name)
        return [True, None] if callable(value) else [False, value]

    def method(
        self, instance: object, name: str, args: list[Any], kwargs: dict[str, Any]
    ) -> object:
        return getattr(instance, name)(*args, **kwargs)

    def method_and_look(
        self, instance: object, name: str, args: list[Any], kwargs: dict[str, Any]
    ) -> object:
        value = self.method(instance, name, args, kwargs)
        return [value, _without_functions(args), _without_functions(kwargs)]

    def run(self, statements: str, given: dict[str, Any]) -> int:
        # A copy of the namespace: what the statements assign stays out of the submission.
        code = compile(statements, "<test>", "exec")
        begin = self._output.position
        # A warning is no part of the output, and Python shows it only the first time.
        with self._errors.kept_back():
            exec(code, {**self.module.__dict__, **given})  # noqa: S102  what this process is for
            return self._output.position - begin


def _without_functions(value: Any) -> Any:  # noqa: ANN401  any value
    """Replace functions by None: they came as source and do not go back."""
    if isinstance(value, types.FunctionType):
        return None
    if type(value) in (list, tuple):
        return type(value)([_without_functions(item) for item in value])
    if type(value) is dict:
        return {key: _without_functions(item) for key, item in value.items()}
    return value


def _facts(value: object) -> dict[str, object]:
    """Return what is known of a name's value, to explain a wrong signature."""
    code = getattr(value, "__code__", None)
    if isinstance(value, type):
        return {"callable": True, "type": "class", "signature": _signature(value)}
    if not isinstance(code, types.CodeType):
        return {"callable": callable(value), "type": type(value).__name__}
    return {
        "callable": True,
        "type": "function",
        "line": code.co_firstlineno,
        "signature": _signature(value),
    }


def _signature(value: object) -> str:
    if type(value) is types.FunctionType:
        code = value.__code__
        # `inspect.signature` takes as long as several calls; most signatures are just names.
        if not (
            value.__defaults__
            or value.__kwdefaults__
            or value.__annotations__
            or value.__dict__
            or code.co_posonlyargcount
            or code.co_kwonlyargcount
            or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        ):
            return f"({', '.join(code.co_varnames[: code.co_argcount])})"
    try:
        return str(inspect.signature(value))[:_MAX_MESSAGE]  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001  a submission's decorators may do anything
        return "(...)"


def _frames(error: BaseException) -> list[tuple[int, str]]:
    """Return the submission's own frames, innermost last, as line and function."""
    frames: list[tuple[int, str]] = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == FILE_NAME:
            frames.append((traceback.tb_lineno, code.co_name))
            del frames[:-_MAX_FRAMES]
        traceback = traceback.tb_next
    return frames


def _shapes(error: BaseException) -> list[list[object]]:
    """Return the shapes of the arrays in the submission's line that raised the error."""
    traceback, frame, number = error.__traceback__, None, 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE_NAME:
            frame, number = traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next
    if frame is None:
        return []
    names = dict.fromkeys(re.findall(r"[^\W\d]\w*", linecache.getline(FILE_NAME, number)))
    values = [(name, frame.f_locals.get(name)) for name in names]
    arrays = [[name, list(value.shape)] for name, value in values if type(value) is np.ndarray]
    return arrays[:_MAX_SHAPES]


def _names_in_scope(error: BaseException) -> list[str]:
    """Return the names that the submission could have meant by one that is not defined."""
    traceback, names = error.__traceback__, dict[str, None]()
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_filename == FILE_NAME:
            names |= dict.fromkeys([*frame.f_locals, *frame.f_globals])
        traceback = traceback.tb_next
    return [name for name in names if not name.startswith("__")][:_MAX_NAMES]


def _attributes(error: BaseException) -> dict[str, object]:
    """Return the attributes of an error that are small plain data."""
    found = {name: getattr(error, name) for name in _OF_BUILTINS if hasattr(error, name)}
    found |= vars(error)
    small = {name: value for name, value in found.items() if _is_plain(value)}
    return dict(itertools.islice(small.items(), _MAX_ATTRIBUTES))


def _is_plain(value: object) -> bool:
    try:
        return sum(map(len, wire.encode(value))) <= _MAX_ATTRIBUTE
    except wire.UnsupportedValueError:
        return False


def _raised(error: BaseException, depth: int = 0) -> dict[str, object]:
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001  a submission's __str__ may do anything
        message = ""
    answer: dict[str, object] = {
        "type": type(error).__name__,
        "bases": [base.__name__ for base in type(error).__mro__],
        "message": message[:_MAX_MESSAGE],
        "frames": _frames(error),
    }
    with contextlib.suppress(BaseException):  # a submission may have tampered with anything
        answer["shapes"] = _shapes(error)
        if type(error) is NameError:
            answer["names"] = _names_in_scope(error)
        answer["attributes"] = _attributes(error)
        if _is_plain(error.args):
            answer["args"] = error.args
        if error.__cause__ is not None and depth < _MAX_CAUSES:
            answer["cause"] = _raised(error.__cause__, depth + 1)
    if isinstance(error, SyntaxError):
        answer |= {"message": error.msg, "line": error.lineno, "text": (error.text or "")[:200]}
    return answer


def _measured(
    submission: _SubmissionModule, operation: str, *arguments: object
) -> tuple[object, list[int]]:
    """Execute a request and measure it; NumPy reports its arrays to `tracemalloc` too."""
    act = getattr(submission, operation)
    _start_tracing()
    try:
        begin = _cpu_time()
        value = act(*arguments)
        taken = _cpu_time() - begin
        peak = _traced_memory()[1]
    finally:
        _stop_tracing()
    return value, [taken, peak]


def _answer(
    submission: _SubmissionModule, objects: _Instances, request: list[Any]
) -> list[bytes | memoryview]:
    """Execute a request; every failure of the submission is an answer too."""
    number, operation, *arguments = request
    try:
        if operation == "measure":
            return wire.encode([number, "ok", *_measured(submission, *arguments)], objects)
        return wire.encode([number, "ok", getattr(submission, operation)(*arguments)], objects)
    except wire.UnsupportedValueError as error:
        where = error.path.removeprefix("[2]")
        if (arguments[0] if operation == "measure" else operation).endswith("_and_look"):
            where = where.removeprefix("[0]")  # of the value, beside the arguments
        return wire.encode([number, "unsupported", {"kind": error.kind, "path": where}])
    except BaseException as error:  # noqa: BLE001  SystemExit and KeyboardInterrupt too
        return wire.encode([number, "raised", _raised(error)])


class SubmissionServer:
    """One submission, and the answers to requests about it, in a sandbox or in a page.

    Args:
        output: takes the submission's output, until `print_to` replaces it.
    """

    def __init__(self, output: Output) -> None:
        self._submission = _SubmissionModule(output)
        self._objects = _Instances()
        self._number = 0  # of the request that is being answered

    def print_to(self, output: Output) -> None:
        """Direct the submission's output here."""
        self._submission.print_to(output)

    def answer(
        self, header: bytes | bytearray, body: bytes | bytearray
    ) -> list[bytes | memoryview]:
        """Execute a request's frame, and return the pieces of the answer's frame."""
        request: Any = wire.decode(header, body, self._objects)
        self._number = request[0]
        return _answer(self._submission, self._objects, request)

    def stopped(self, report: dict[str, object]) -> list[bytes | memoryview]:
        """Return the answer that no other will follow: the CPU time is over."""
        return wire.encode([self._number, "stopped", report])
