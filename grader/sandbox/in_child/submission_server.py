"""A server of requests about one submission, such as loading it or calling it.

A request is a list `[number, operation, ...]`, see `operations`, and its answer is the plain data
`[number, status, payload]`. These words may precede an operation, in this order:

    "usage"    the answer has a fourth part: the CPU time in nanoseconds, and the peak of the
               allocated memory in bytes
    "warnings" the payload is [value, warnings, bytes printed]; standard error is printed after
               the output
    "changes"  the payload is [value, changes]; changes are null if the arguments are unchanged,
               otherwise the new contents of each container and array of the request

If the message of a request shares objects, so do its answer and its callbacks (see `sharing`).

Instances of the submission's classes, functions and iterators stay here, and a handle crosses in
their place. During a request, `["call back", number, args, kwargs]` may call a function of the
trusted side. The answer is `["returned", status, value]`, possibly after other requests.

`status` is `ok`, `raised` (the submission's own exception), `unsupported` (a value that cannot
cross) or `stopped` (the CPU time is over, see `cpu_limit`). A submission can tamper with all of
this, but only in its own process: the trusted side only takes values, and compares them with
expected values that are not available here.
"""

import builtins
import contextlib
import copy
import functools
import types
from collections.abc import Callable, Iterator

# Imported early, since a submission may replace these functions. With a limit on CPU time the
# clock of the process advances in ticks, so the clock of its only thread is used.
from tracemalloc import get_traced_memory as _traced_memory
from tracemalloc import start as _start_tracing
from tracemalloc import stop as _stop_tracing
from typing import Any, TypeVar

try:
    from time import thread_time_ns as _cpu_time
except ImportError:  # a browser lacks the clock of a thread
    from time import perf_counter_ns as _cpu_time

import numpy as np

from . import sharing, wire
from .operations import OPERATIONS, SubmissionModule, describe_error, is_of_submission
from .streams import Stdout

_FUNCTIONS = (
    types.FunctionType, types.MethodType, types.MethodWrapperType, types.BuiltinMethodType,
    functools.partial, type(functools.lru_cache(len)),
)  # fmt: skip

Frame = tuple[bytes | bytearray, bytes | bytearray]
"""A header and a body."""

CallBack = Callable[[list[Any]], list[Any]]
"""A function that sends a request of the submission to the trusted side and returns the answer."""


class _KeptObjects:
    """The objects for which the trusted side has handles, and the functions that it provided."""

    def __init__(self, call_back: CallBack) -> None:
        self._call_back = call_back
        self._objects: list[object] = []
        # By the `id` of an object, which is kept alive.
        self._handles: dict[int, wire.Handle | wire.Callback] = {}

    def keep(self, value: object) -> wire.Handle | wire.Callback | None:
        entry = self._handles.get(id(value))
        if entry is not None:
            return entry
        kind = type(value)
        if kind is types.CoroutineType:
            value.close()  # type: ignore[attr-defined]  # avoids a warning that it was not awaited
        name, is_builtin = str(kind.__name__), not is_of_submission(kind)
        if is_builtin:
            if not (is_of_submission(value) or isinstance(value, (*_FUNCTIONS, Iterator))):
                return None
            name = wire.full_type_name(kind)
        number = len(self._objects)
        handle = wire.Handle(number, name[: wire.MAX_KIND], callable(value), is_builtin)
        return self._register(value, handle)

    def _register(self, value: object, handle: "_Handle") -> "_Handle":
        self._objects.append(value)
        self._handles[id(value)] = handle
        return handle

    def find(self, number: int) -> object:
        return self._objects[number]

    def make(self, function: wire.Function) -> object:
        namespace: dict[str, Any] = {"np": np, "__name__": "test_function"}
        exec(compile(function.source, "<test function>", "exec"), namespace)  # noqa: S102  the exercise's own code
        function_object: object = namespace[function.name]
        self._register(function_object, wire.Callback(function.number))
        return function_object

    def call_back(self, callback: wire.Callback) -> object:
        def call(*args: object, **kwargs: object) -> object:
            match self._call_back(["call back", callback.number, list(args), kwargs]):
                case [_, "ok", value]:
                    return value
                case [_, str(kind), message]:
                    error_type = getattr(builtins, kind, RuntimeError)
                    raise error_type(*([message] if message else []))
            raise RuntimeError

        proxy = _TrustedIterator(call) if callback.iterates else call
        self._register(proxy, callback)
        return proxy


_Handle = TypeVar("_Handle", wire.Handle, wire.Callback)


class _TrustedIterator(Iterator[Any]):
    """A proxy for an iterator of the trusted side."""

    def __init__(self, take_next: Callable[[], object]) -> None:
        self._take_next = take_next

    def __next__(self) -> object:
        return self._take_next()


def _measure(act: Callable[..., object], *arguments: object) -> tuple[object, list[int]]:
    """Run an operation and measure it. `tracemalloc` also counts NumPy's arrays."""
    _start_tracing()
    try:
        begin = _cpu_time()
        value = act(*arguments)
        taken = _cpu_time() - begin
        peak = _traced_memory()[1]
    finally:
        _stop_tracing()
    return value, [taken, peak]


class SubmissionServer:
    """One submission, which answers requests, in a sandbox or in a page.

    Args:
        output: The stream for the submission's output, until `print_to` replaces it.
        ask: Sends the frame of a callback to the trusted side, and returns the next frame.
    """

    def __init__(self, output: Stdout, ask: Callable[[bytes], Frame]) -> None:
        self._submission = SubmissionModule(output)
        self._ask = ask
        self._objects = _KeptObjects(self._call_back)
        self._number = 0  # number of the current request
        self._sharing = sharing.Sharing()
        self._is_shared = False  # whether the current request shares objects

    def print_to(self, output: Stdout) -> None:
        """Redirect the submission's output."""
        self._submission.print_to(output)

    def answer(self, header: bytes | bytearray, body: bytes | bytearray) -> bytes:
        """Carry out the request in a frame, and return the frame of the answer."""
        shared = wire.Shared()
        return self._answer(self._decode((header, body), shared), shared, (header, body))

    def stop_report(self, report: dict[str, object]) -> bytes:
        """Return the frame of the last answer, which reports that the CPU time is over."""
        return wire.encode([self._number, "stopped", report])

    def _answer(self, request: list[Any], shared: wire.Shared, frame: Frame) -> bytes:
        """Carry out a request; every failure of the submission becomes an answer."""
        number, *arguments = request  # begins with options and the operation
        del request  # so that no reference keeps the arguments alive
        enclosing_number, self._number = self._number, number
        options = set()
        while arguments[0] in ("usage", "warnings", "changes"):
            options.add(arguments.pop(0))
        act = types.MethodType(OPERATIONS[arguments.pop(0)], self._submission)
        record, usage = list[object](), list[object]()
        states = (
            list(map(sharing.take_snapshot, shared.objects.values()))
            if "changes" in options
            else []
        )
        type_name = ""  # type of the submission's value
        try:
            with (
                self._submission.recording(record)
                if "warnings" in options
                else contextlib.nullcontext()
            ):
                if "usage" in options:
                    value, *usage = _measure(act, *arguments)
                else:
                    value = act(*arguments)
            arguments.clear()  # so that no reference keeps the arguments alive
            type_name = wire.full_type_name(type(value))
            if "changes" in options:
                value = [value, self._changes(shared, frame, states)]
            value = [value, *record] if "warnings" in options else value
            return self._message([number, "ok", value, *usage])
        except wire.UnsupportedValueError as error:
            where = error.path.removeprefix("[2]").removeprefix("[2]" if self._is_shared else "")
            for _ in options & {"warnings", "changes"}:
                where = where.removeprefix("[0]")
            answer = [number, "unsupported", {"kind": error.kind, "path": where}]
        except BaseException as error:  # noqa: BLE001  includes SystemExit and KeyboardInterrupt
            description = describe_error(error)
            answer = [number, "raised", description]
            if (
                type_name and not description["frames"]
            ):  # the value exists, but our code cannot send it
                answer = [number, "unsupported", {"kind": type_name, "path": ""}]
        finally:
            self._number = enclosing_number
        try:
            return self._message(answer)
        except wire.UnsupportedValueError:  # caused by a shared object that it changed
            return self._message(answer, changes=False)

    def _decode(self, frame: Frame, shared: wire.Shared | None = None) -> list[Any]:
        """Decode a message of the trusted side."""
        self._is_shared = frame[0].startswith(sharing.SHARES)
        if not self._is_shared:
            # The trusted side only sends lists.
            return wire.decode(*frame, self._objects, shared)  # type: ignore[return-value]
        received: list[Any] = self._sharing.receive(*frame, self._objects)
        self._sharing.settle()
        return received

    def _message(self, payload: list[Any], *, changes: bool = True) -> bytes:
        if self._is_shared:
            return self._sharing.send(payload, self._objects, changes=changes)
        return wire.encode(payload, self._objects)

    def _changes(
        self, shared: wire.Shared, frame: Frame, states: list[tuple[Any, ...] | None]
    ) -> list[object] | None:
        """Return the new contents of the request's objects, or None if all are unchanged.

        A submission can forge this like any answer, since it runs in the same process. It gains no
        more than by working on a copy of its arguments.
        """
        objects = list(shared.objects.values())
        new_states = map(sharing.take_snapshot, objects)
        if all(
            state is not None and sharing.is_same(*each, state)
            for each, state in zip(zip(objects, new_states, strict=True), states, strict=True)
        ):
            return None
        with contextlib.suppress(wire.UnsupportedValueError):
            if wire.split_frame(wire.encode(objects[-1], self._objects)) == frame:
                return None
        # Shallow copies, since the objects themselves would cross as references.
        return [copy.copy(o) if type(o) in sharing.CHANGEABLE else None for o in objects]

    def _call_back(self, request: list[Any]) -> list[Any]:
        """Call the trusted side, and answer the requests that it sends before its answer."""
        is_shared = self._is_shared
        frame = self._ask(self._message(request))
        while True:
            shared = wire.Shared()
            answer = self._decode(frame, shared)
            if answer[0] == "returned":
                self._is_shared = is_shared
                return answer
            frame = self._ask(self._answer(answer, shared, frame))
