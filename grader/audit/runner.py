"""Confined processes that run an assignment's tests against programs, several at a time.

Each task is a fork of this process, which never runs an assignment's code itself. So Python, NumPy
and pytest are loaded once, a task starts within milliseconds, and no program affects the next one.
A fork drops its rights before it loads any code of the assignment. It sends back JSON, which is
validated as data.
"""

import contextlib
import functools
import gc
import importlib
import itertools
import json
import os
import re
import resource
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Self, TypeAlias

from grader.audit.confined import pytest_run
from grader.authoring.sources.assignment import Assignment
from grader.errors import DefinitionError, GraderFault, Location, SandboxFault
from grader.sandbox.channel import Channel
from grader.sandbox.confine import CALLS, FILES, confine_this_process
from grader.sandbox.fork import Fork
from grader.sandbox.printable import printable

Message: TypeAlias = dict[str, Any]
Send: TypeAlias = Callable[[Message], None]

_MAX_BYTES = 64 << 20  # largest total of a task's messages, in bytes, including recorded calls
_TOO_LONG = "did not end in time"
_NO_RIGHTS, _FAULT = "confine", "fault"
_NUMBER, _OR_NONE = (int, float), (int, type(None))
_FIELDS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    _NO_RIGHTS: {},
    _FAULT: {"message": str},
    "end": {},
    "begins": {"id": str},
    "test": {
        "id": str, "outcome": str, "message": str, "seconds": _NUMBER, "cpu": _NUMBER,
        "lines": list, "calls": bool,
    },
    "not loaded": {"file": str, "message": str},
    "broken": {"message": str},
    "calls": {"data": str},
    "digests": {"tests": dict},
    "changed": {"ids": list},
    "alike": {"facts": list},
    "match": {
        "number": int, "target": str, "max_arguments": int, "own_index": _OR_NONE,
        "exercise_index": _OR_NONE,
    },
    "found": {"name": str, "example": str, "expected": str, "got": str, "body": list,
        "unread": bool,
    },
}  # fmt: skip
"""The fields of each kind of message, with their types."""
_ITEMS: Mapping[str, type] = {"lines": int, "ids": str, "body": str, "facts": str}
_MAX_TRACEBACK_LENGTH = 2000  # longest kept traceback, in characters
# Imported before the first fork if the assignment imports them, since each takes at least a tenth
# of a second. Each task imports other packages itself.
_IMPORTED_AHEAD = frozenset({"hypothesis", "matplotlib", "pandas", "scipy", "sklearn", "torch"})


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """The limits of one task."""

    cpu_seconds: int = 60
    wall_seconds: float = 120.0


@dataclass(frozen=True, slots=True)
class Task:
    """Work for a confined process."""

    name: str  # identifies the task's result
    source: str  # the program that replaces the solution
    # Runs in the confined process, in the assignment's folder, and sends messages.
    work: Callable[[Send], None]
    limits: TaskLimits = TaskLimits()
    # Additional files by name.
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class TaskOutcome:
    """The messages of a task, and how it ended."""

    messages: list[Message] = field(default_factory=list)
    ended: str = ""
    """The way the task ended, such as "did not end in time"; "" for an ordinary end."""

    def select(self, kind: str) -> list[Message]:
        """Return the messages of one kind, without their `kind` field."""
        return [
            {name: value for name, value in message.items() if name != "kind"}
            for message in self.messages
            if message["kind"] == kind
        ]


class Runner:
    """A runner of tasks in copies of an assignment's folder; a context manager."""

    def __init__(self, assignment: Assignment, jobs: int = 1) -> None:
        self.assignment = assignment
        self._jobs = jobs
        self._root = Path(tempfile.mkdtemp(prefix="etude-audit-"))
        self._slots: list[Path] = []

    def __enter__(self) -> Self:
        texts = {**self.assignment.modules, **self.assignment.tests}
        try:
            for number in range(self._jobs):
                # Folder names of equal length keep tracebacks identical.
                slot = self._root / f"{number:04}"
                self._slots.append(slot)
                sources = {name: text.encode() for name, text in texts.items()}
                for name, content in {**self.assignment.data, **sources}.items():
                    path = self._path(slot, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
            # Import what every task needs, and what the assignment imports.
            for name in _IMPORTED_AHEAD:
                if any(re.search(f"(?:import|from) {name}", text) for text in texts.values()):
                    with contextlib.suppress(ImportError):
                        importlib.import_module(name)
            try:
                pytest_run.warm_up()
            except Exception as error:
                raise GraderFault(f"pytest does not start: {error}") from error
        except BaseException:
            shutil.rmtree(self._root, ignore_errors=True)
            raise
        gc.collect()
        gc.freeze()  # keeps memory pages shared with the forks
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._root, ignore_errors=True)

    def run(self, task: Task) -> TaskOutcome:
        """Run one task."""
        ((_, outcome),) = self.run_all([task])
        return outcome

    def run_all(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, TaskOutcome]]:
        """Run tasks, and yield each one with its outcome as it ends.

        Raises:
            SandboxFault: This host does not let a process drop its rights.
        """
        waiting = iter(tasks)
        free = deque(self._slots)
        running: list[_RunningTask] = []
        try:
            while True:
                # Each task needs a slot of its own, because its source is a file there.
                for task in itertools.islice(waiting, len(free)):
                    slot = free.popleft()
                    program = {self.assignment.solution: task.source}
                    for name, text in {**program, **task.extra}.items():
                        self._path(slot, name).write_text(text, encoding="utf-8")
                    modules = (*self.assignment.modules, *self.assignment.tests)
                    fork = Fork(functools.partial(_serve, task, slot, modules), echoes=False)
                    deadline = time.monotonic() + task.limits.wall_seconds
                    running.append(_RunningTask(task, slot, fork, deadline))
                if not running:
                    return
                for process in _wait_for_ended(running):
                    running.remove(process)
                    free.append(process.slot)
                    for name in process.task.extra:
                        self._path(process.slot, name).unlink()
                    yield process.task, process.finish()
        finally:
            for process in running:
                process.end("stopped")
                process.finish()

    def _path(self, slot: Path, name: str) -> Path:
        parts = PurePosixPath(name)
        if parts.is_absolute() or ".." in parts.parts:
            place = Location(Path(name))
            raise DefinitionError.at(place, "the file lies outside of the assignment")
        return slot / parts


@dataclass(slots=True, eq=False)
class _RunningTask:
    """A task and its process."""

    task: Task
    slot: Path
    fork: Fork
    deadline: float
    outcome: TaskOutcome = field(default_factory=TaskOutcome)
    size: int = 0  # bytes of its messages
    is_over: bool = False

    def read(self) -> None:
        """Read a message."""
        data = self.fork.receive()
        if data is None:
            self.is_over = True
            return
        self.size += len(data)
        if self.size > _MAX_BYTES:
            self.end(f"sent more than {_MAX_BYTES:,} bytes")
        with contextlib.suppress(ValueError, RecursionError):
            message = json.loads(data)
            if _is_valid(message):
                self.outcome.messages.append(
                    {key: _printable(value) for key, value in message.items()}
                )

    def end(self, reason: str) -> None:
        """Kill the process."""
        self.fork.process.kill()
        self.outcome.ended, self.is_over = reason, True

    def finish(self) -> TaskOutcome:
        """Wait for the process, and return the outcome.

        Raises:
            SandboxFault: The process could not be confined.
            GraderFault: Our own part of the work failed.
        """
        status, outcome = self.fork.stop(), self.outcome
        if outcome.select(_NO_RIGHTS):
            raise SandboxFault(
                "this host cannot confine a process, so nothing was run: a kernel with Landlock "
                "(5.13 or newer) is needed; 'etude doctor' tells more"
            )
        for message in outcome.select(_FAULT):
            raise GraderFault(f"an audit's own process failed: {message['message']}")
        if not outcome.ended and status == -signal.SIGXCPU:
            outcome.ended = _TOO_LONG
        elif not outcome.ended and (status or not outcome.select("end")):
            outcome.ended = f"ended the process with status {status}"
        return outcome


def _is_valid(message: object) -> bool:
    """Return whether a message has the fields of its kind, since a test may have forged it."""
    if not isinstance(message, dict):
        return False
    types = _FIELDS.get(str(message.get("kind")))
    if types is None or not message.keys() - {"kind"} <= types.keys():
        return False
    return all(isinstance(message.get(key), kind) for key, kind in types.items()) and all(
        isinstance(item, kind) for key, kind in _ITEMS.items() for item in message.get(key, ())
    )


def _printable(value: Any) -> Any:
    """Replace terminal control characters."""
    if isinstance(value, str):
        return printable(value, "\n")
    return [*map(_printable, value)] if isinstance(value, list) else value


def _wait_for_ended(running: Sequence[_RunningTask]) -> list[_RunningTask]:
    """Wait for messages, and return the processes that have ended."""
    seconds = min(process.deadline for process in running) - time.monotonic()
    ready = wait([process.fork.channel.fileno() for process in running], max(seconds, 0))
    now = time.monotonic()
    for process in running:
        if process.fork.channel.fileno() in ready:
            process.read()
        elif now >= process.deadline:
            process.end(_TOO_LONG)
    return [process for process in running if process.is_over]


def _serve(task: Task, slot: Path, modules: Iterable[str], channel: Channel) -> None:
    """Drop all rights, then do the task's work."""
    import sys  # only the fork changes its path

    def send(message: Message) -> None:
        channel.send(json.dumps(message).encode())

    seconds = task.limits.cpu_seconds
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(slot)
    given_up = confine_this_process([slot])
    if not {FILES, CALLS} <= {*given_up}:
        send({"kind": _NO_RIGHTS})
        return
    warnings.resetwarnings()
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(slot))
    pytest_run.forget_modules(modules)
    try:
        task.work(send)
    except Exception:  # noqa: BLE001  said to the parent
        send({"kind": _FAULT, "message": traceback.format_exc()[-_MAX_TRACEBACK_LENGTH:]})
    send({"kind": "end"})
    os._exit(0)  # code of the assignment must not run at the exit
