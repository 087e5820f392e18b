"""Serves one submission: load it, call it, run statements after it, answer with plain data.

A request is a list `[number, operation, ...]`, its answer `[number, status, payload]`:

    ["load", source, names]      "ok": {"names": every public callable, "defined": {name: facts}}
    ["call", name, args, kwargs] "ok": the returned value
    ["call_and_look", name, args, kwargs]  "ok": [the value, args and kwargs as they are now]
    ["method_and_look", object, name, args, kwargs]  likewise
    ["attribute", object, name]  "ok": [true, null] for a method, else [false, the value]
    ["method", object, name, args, kwargs]  "ok": the returned value
    ["run", statements, given]   "ok": null; what was printed is in the output descriptor

Instances of the submission's classes stay here; what crosses is a handle.

`status` is `ok`, `raised` (the submission's own exception) or `unsupported` (a value that cannot
cross). A submission can tamper with all of this, in its own process only: the other side believes
nothing but values, and compares them with expected ones that are not here.
"""

import gc
import inspect
import io
import linecache
import os
import socket
import sys
import types
from typing import Any

import numpy as np

from . import wire

FILE_NAME = "submission.py"
_MAX_MESSAGE = 2000
_MAX_FRAMES = 8
_MAX_NAMES = 200
_READ_AHEAD, _MOST_AT_ONCE = 1 << 12, 1 << 20


class OutputLimitError(Exception):
    """The submission printed more than it may."""


class _Output(io.TextIOBase):
    """Standard output that writes straight through and stops at a cap."""

    def __init__(self, descriptor: int, cap: int) -> None:
        self._descriptor = descriptor
        self._left = cap

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        data = text.encode("utf-8", "backslashreplace")
        os.write(self._descriptor, data[: self._left])
        self._left -= len(data)
        if self._left < 0:
            self._left = 0
            raise OutputLimitError("too much output")
        return len(text)


class _Objects:
    """Keeps the instances that the trusted side has handles of."""

    def __init__(self) -> None:
        self._kept: list[object] = []

    def keep(self, value: object) -> wire.Handle | None:
        kind = type(value)
        if kind is types.CoroutineType:
            value.close()  # type: ignore[attr-defined]  # or Python warns that nobody awaited it
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


class _Submission:
    """The submission's module and what may be asked of it."""

    def __init__(self) -> None:
        self.module = types.ModuleType("submission")
        self.module.__file__ = FILE_NAME

    def load(self, source: str, names: list[str]) -> dict[str, object]:
        lines = source.splitlines(keepends=True)
        linecache.cache[FILE_NAME] = (len(source), None, lines, FILE_NAME)
        sys.modules["submission"] = self.module
        exec(compile(source, FILE_NAME, "exec"), self.module.__dict__)  # noqa: S102  what this process is for
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

    def run(self, statements: str, given: dict[str, Any]) -> None:
        # A copy of the namespace: what the statements assign stays out of the submission.
        code = compile(statements, "<test>", "exec")
        exec(code, {**self.module.__dict__, **given})  # noqa: S102  what this process is for


def _without_functions(value: Any) -> Any:  # noqa: ANN401  any value
    """Put None where a function stands: it came in as source and does not go back."""
    if isinstance(value, types.FunctionType):
        return None
    if type(value) in (list, tuple):
        return type(value)([_without_functions(item) for item in value])
    if type(value) is dict:
        return {key: _without_functions(item) for key, item in value.items()}
    return value


def _facts(value: object) -> dict[str, object]:
    """Say what stands behind a name, so that a wrong signature can be explained."""
    code = getattr(value, "__code__", None)
    if not isinstance(code, types.CodeType):
        return {"callable": callable(value), "type": type(value).__name__}
    return {
        "callable": True,
        "type": "function",
        "line": code.co_firstlineno,
        "signature": _signature(value),
    }


def _signature(value: object) -> str:
    try:
        return str(inspect.signature(value))[:_MAX_MESSAGE]  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001  a submission's decorators may do anything
        return "(...)"


def _frames(error: BaseException) -> list[tuple[int, str]]:
    """Give the submission's own frames, innermost last, as line and function."""
    frames: list[tuple[int, str]] = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == FILE_NAME:
            frames.append((traceback.tb_lineno, code.co_name))
            del frames[:-_MAX_FRAMES]
        traceback = traceback.tb_next
    return frames


def _raised(error: BaseException) -> dict[str, object]:
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
    if isinstance(error, SyntaxError):
        answer |= {"message": error.msg, "line": error.lineno, "text": (error.text or "")[:200]}
    return answer


def _answer(
    submission: _Submission, objects: _Objects, request: list[Any]
) -> list[bytes | memoryview]:
    """Do what was asked; every way in which the submission can fail is an answer too."""
    number, operation, *arguments = request
    try:
        return wire.encode([number, "ok", getattr(submission, operation)(*arguments)], objects)
    except wire.UnsupportedValueError as error:
        where = error.path.removeprefix("[2]")
        return wire.encode([number, "unsupported", {"kind": error.kind, "path": where}])
    except BaseException as error:  # noqa: BLE001  SystemExit and KeyboardInterrupt too
        return wire.encode([number, "raised", _raised(error)])


def _send(connection: socket.socket, pieces: list[bytes | memoryview]) -> None:
    while pieces:
        count = connection.sendmsg(pieces)
        while pieces and count >= len(pieces[0]):
            count -= len(pieces.pop(0))
        if pieces and count:
            pieces[0] = memoryview(pieces[0])[count:]


class _Requests:
    """Reads requests, ahead where it can: a small one takes one call of the kernel."""

    def __init__(self, connection: socket.socket, objects: _Objects) -> None:
        self._connection = connection
        self._objects = objects
        self._received = bytearray()

    def next(self) -> list[Any]:
        header, body = wire.lengths(self._take(wire.PREFIX))
        request: Any = wire.decode(self._take(header), self._take(body), self._objects)
        return request  # type: ignore[no-any-return]

    def _take(self, length: int) -> bytearray:
        while len(self._received) < length:
            wanted = max(length - len(self._received), _READ_AHEAD)
            piece = self._connection.recv(min(wanted, _MOST_AT_ONCE))
            if not piece:
                os._exit(0)  # the trusted side hung up
            self._received += piece
        taken = self._received[:length]
        del self._received[:length]
        return taken


def serve(connection: socket.socket, output: int, output_cap: int) -> None:
    """Answer requests until the trusted side hangs up."""
    sys.stdout = sys.stderr = _Output(output, output_cap)
    gc.enable()
    submission = _Submission()
    _send(connection, wire.encode([0, "ok", None]))  # locked in, nothing of the submission has run
    objects = _Objects()
    requests = _Requests(connection, objects)
    while True:
        _send(connection, _answer(submission, objects, requests.next()))
