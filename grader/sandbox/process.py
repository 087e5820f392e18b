"""The trusted side of the sandbox: start it, put a submission into a child, ask, and clean up."""

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum, auto
from typing import IO, Any, Self

from grader.errors import SandboxFault
from grader.sandbox.backends import Backend
from grader.sandbox.host import this_host
from grader.sandbox.inside import wire
from grader.sandbox.limits import (
    ANSWERS_CAP,
    CONTROL_SECONDS,
    DEFAULT_LIMITS,
    SOURCE_CAP,
    START_SECONDS,
    Limits,
)
from grader.sandbox.printable import printable

# linux/fcntl.h; the fcntl module names them from Python 3.13 on.
_F_ADD_SEALS, _F_SEAL_SEAL, _F_SEAL_SHRINK, _F_SEAL_GROW = 1033, 1, 2, 4

_READ_AHEAD, _MOST_AT_ONCE = 1 << 12, 1 << 20

# The limit counts CPU time by ticks, the usage is measured: on a busy machine they differ a lot.
_CPU_SLACK = 0.5


class Cause(Enum):
    """Why a child is gone."""

    CPU_TIME = auto()
    WALL_TIME = auto()
    EXIT = auto()
    SIGNAL = auto()
    KILLED = auto()  # by the system, or by us after it had hung up
    PROTOCOL = auto()  # it sent something that is no answer


class ChildGoneError(Exception):
    """The child has ended or was ended; it will not answer again."""

    def __init__(self, cause: Cause, detail: str = "") -> None:
        self.cause = cause
        self.detail = detail
        super().__init__(f"{cause.name.lower()}: {detail}")


@dataclass(frozen=True, slots=True)
class Returned:
    """The submission returned a value, rebuilt here as exact types."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The submission raised; everything in here is what it said of itself."""

    type: str
    bases: tuple[str, ...]
    message: str
    frames: tuple[tuple[int, str], ...]
    line: int | None = None  # of a syntax error
    text: str = ""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The submission returned a value of a kind that cannot cross."""

    kind: str
    path: str


Answer = Returned | Raised | Unsupported


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended and what it used, as the kernel counted it."""

    status: int  # exit code, or minus the signal
    cpu: float  # seconds
    rss: int  # KiB at the peak


class Sandbox:
    """A running zygote; `child()` gives a fresh, locked-in process for one submission.

    Args:
        backend: how to isolate.
        spare: whether to fork the next child ahead, while the one before is at work. For a batch.
    """

    def __init__(self, backend: Backend, *, spare: bool = False) -> None:
        self.backend = backend
        self.keeps_spare = spare
        self._spare: Child | None = None
        self._sent = self._answered = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._unwanted: set[int] = set()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed in close()
        try:
            launch = backend.launch(this_host(), theirs.fileno())
            self._process = subprocess.Popen(  # noqa: S603  our own command
                launch.command,
                env=launch.environment,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )
        except BaseException:
            self._control.close()
            self._errors.close()
            raise
        finally:
            theirs.close()
        self._ready = False

    def wait_until_ready(self) -> None:
        """Return when the zygote serves.

        Raises:
            SandboxFault: it did not start; the message has its last words.
        """
        if self._ready:
            return
        if "ready" not in self._receive(START_SECONDS):
            raise SandboxFault(f"the {self.backend.name} sandbox did not start")
        self._ready = True

    def child(self, limits: Limits = DEFAULT_LIMITS) -> "Child":
        """Fork a child and lock it in.

        Raises:
            SandboxFault: the zygote is gone or too slow.
        """
        self.wait_until_ready()
        ahead, self._spare = self._spare, None
        if ahead is not None and ahead.limits != limits:
            ahead.close()
            ahead = None
        child = ahead or Child(self, limits)
        if self.keeps_spare:
            self._spare = Child(self, limits)
        return child

    def close(self) -> None:
        """End the zygote and everything it started."""
        spare, self._spare = self._spare, None
        if spare is not None:
            with contextlib.suppress(SandboxFault):
                spare.close()
        self._control.close()
        # A confined process may signal nobody; hanging up is enough then.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()
        self._errors.close()

    @property
    def descriptors(self) -> tuple[int, int]:
        """What a fork of this process must keep open to use the sandbox in its place."""
        return self._control.fileno(), self._errors.fileno()

    def hand_over(self) -> None:
        """Leave the sandbox to a fork of this process; it ends when the fork closes it."""
        self._control.close()
        self._errors.close()

    def reap(self) -> None:
        """After `hand_over`, when the fork is done: wait for the process that was started here."""
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process that was started; the zygote itself may be a descendant of it."""
        return self._process.pid

    def send(self, request: Mapping[str, object], descriptors: Sequence[int] = ()) -> int:
        """Send the zygote a request (see `grader.sandbox.inside.zygote`), do not wait.

        Returns:
            the number to ask for its answer with.
        """
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], descriptors)
        except OSError as error:
            raise SandboxFault(f"the {self.backend.name} sandbox is gone: {error}") from error
        self._sent += 1
        return self._sent

    def answer(self, number: int) -> dict[str, Any]:
        """Wait for the answer to a request; answers come in the order of the requests."""
        while number not in self._answers:
            message = self._receive(CONTROL_SECONDS)
            self._answered += 1
            if self._answered in self._unwanted:
                self._unwanted.discard(self._answered)
            else:
                self._answers[self._answered] = message
        return self._answers.pop(number)

    def disregard(self, number: int) -> None:
        """Say that nobody will ask for this answer."""
        if self._answers.pop(number, None) is None:
            self._unwanted.add(number)

    def _receive(self, seconds: float) -> dict[str, Any]:
        try:
            self._control.settimeout(seconds)
            message = self._control.recv(1 << 16)
        except TimeoutError as error:
            raise SandboxFault(
                f"the {self.backend.name} sandbox did not answer in {seconds:g} s"
            ) from error
        except OSError as error:
            raise SandboxFault(f"the {self.backend.name} sandbox is gone: {error}") from error
        if not message:
            raise SandboxFault(f"the {self.backend.name} sandbox ended: {self._last_words()}")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def _last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._errors.seek(0)
        words = self._errors.read(4000).decode(errors="replace").strip().splitlines()
        return words[-1] if words else f"exit status {self._process.poll()}"


class Child:
    """One submission's process. Every method may raise `ChildGoneError` or `SandboxFault`."""

    def __init__(self, sandbox: Sandbox, limits: Limits) -> None:
        self._sandbox = sandbox
        self.limits = limits
        self._connection, theirs = socket.socketpair()
        self._connection.setblocking(False)
        self._received = bytearray()
        self._poll = select.poll()
        self._output = _capped_file(limits.output)
        self._requests = self._weight = 0
        self._ending: Ending | None = None
        try:
            request = {"op": "spawn", "limits": asdict(limits)}
            self._spawned = sandbox.send(request, [theirs.fileno(), self._output])
        except BaseException:
            self._connection.close()
            os.close(self._output)
            raise
        finally:
            theirs.close()
        self._known_pid: int | None = None
        self._deadline: float | None = None  # set by the first request: waiting costs nothing

    def load(self, source: str, names: Sequence[str]) -> Answer:
        """Run the submission's source; on success the value describes the names it defines."""
        return self._ask("load", source, list(names))

    def call(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Answer:
        """Call one of the submission's functions with copies of these arguments."""
        return self._ask("call", name, list(args), dict(kwargs))

    def call_and_look(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Answer:
        """Call, and also return the arguments as they are afterwards: `[value, args, kwargs]`."""
        return self._ask("call_and_look", name, list(args), dict(kwargs))

    def attribute(self, instance: wire.Handle, name: str) -> Answer:
        """Look up an attribute: `[True, None]` for a method, else `[False, value]`."""
        return self._ask("attribute", instance, name)

    def method(
        self, instance: wire.Handle, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Answer:
        """Call a method of an object that stays in the sandbox."""
        return self._ask("method", instance, name, list(args), dict(kwargs))

    def method_and_look(
        self, instance: wire.Handle, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Answer:
        """Call a method, and also return the arguments as they are afterwards."""
        return self._ask("method_and_look", instance, name, list(args), dict(kwargs))

    def run(self, statements: str, given: Mapping[str, Any]) -> Answer:
        """Run statements in (a copy of) the submission's namespace."""
        return self._ask("run", statements, dict(given))

    @property
    def printed(self) -> int:
        """How many bytes have been printed so far."""
        return min(os.lseek(self._output, 0, os.SEEK_CUR), self.limits.output)

    def output(self, begin: int, end: int) -> str:
        """Return what was printed between two values of `printed`."""
        data = os.pread(self._output, max(end - begin, 0), begin)
        return printable(data.decode("utf-8", "replace"), keep="\n\t")

    @property
    def output_full(self) -> bool:
        """Whether the cap on printing was reached."""
        return self.printed >= self.limits.output

    @property
    def _pid(self) -> int:
        """The child's pid as the zygote sees it."""
        if self._known_pid is None:
            self._known_pid = int(self._sandbox.answer(self._spawned)["pid"])
        return self._known_pid

    def end(self) -> Ending:
        """End the child with everything it started, and wait for it; may be called twice."""
        if self._ending is None:
            self._connection.close()
            answer = self._sandbox.answer(self._reap())
            self._ending = Ending(answer["status"], answer["cpu"], answer["rss"])
        return self._ending

    def close(self) -> None:
        """End the child with everything it started, without waiting; give descriptors back."""
        try:
            if self._ending is None:
                self._connection.close()
                self._sandbox.disregard(self._reap())
        finally:
            os.close(self._output)

    def _reap(self) -> int:
        return self._sandbox.send({"op": "reap", "pid": self._pid})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, operation: str, *arguments: object) -> Answer:
        if self._ending is not None:
            raise ChildGoneError(Cause.EXIT, "it has already ended")
        if self._deadline is None:
            self._greet()
            self._deadline = time.monotonic() + self.limits.wall_seconds
        self._requests += 1
        self._send(wire.encode([self._requests, operation, *arguments]))
        return self._read_answer()

    def _greet(self) -> None:
        """Wait for the child's word that it is locked in; no submission has run before it.

        What goes wrong up to here is the sandbox's fault, what goes wrong later the submission's.
        """
        self._deadline = time.monotonic() + CONTROL_SECONDS
        try:
            self._read_answer()
        except ChildGoneError as error:
            raise SandboxFault(
                f"a child of the {self._sandbox.backend.name} sandbox was not locked in: {error}"
            ) from error

    def _read_answer(self) -> Answer:
        try:
            header, body = wire.lengths(self._receive(wire.PREFIX))
            self._weigh(header + body)
            tree = wire.decode(self._receive(header), self._receive(body))
            return _answer(tree, self._requests)
        except wire.MalformedError as error:
            self.end()
            raise ChildGoneError(Cause.PROTOCOL, str(error)) from error

    def _weigh(self, length: int) -> None:
        self._weight += length
        if self._weight > ANSWERS_CAP:
            raise wire.MalformedError("answers of too many bytes")

    def _send(self, pieces: list[bytes | memoryview]) -> None:
        while pieces:
            try:
                count = self._connection.sendmsg(pieces)
            except BlockingIOError:
                self._wait(select.POLLOUT)
                continue
            except OSError:
                raise self._gone() from None
            while pieces and count >= len(pieces[0]):
                count -= len(pieces.pop(0))
            if count:
                pieces[0] = memoryview(pieces[0])[count:]

    def _receive(self, length: int) -> bytearray:
        """Return the next bytes, reading ahead: a small answer takes one call of the kernel."""
        while len(self._received) < length:
            wanted = max(length - len(self._received), _READ_AHEAD)
            self._wait(select.POLLIN)
            try:
                piece = self._connection.recv(min(wanted, _MOST_AT_ONCE))
            except BlockingIOError:
                continue
            except OSError:
                raise self._gone() from None
            if not piece:
                raise self._gone()
            self._received += piece
        taken = self._received[:length]
        del self._received[:length]
        return taken

    def _wait(self, event: int) -> None:
        """Wait until the connection is ready, or end the child at the deadline."""
        self._poll.register(self._connection, event)
        left = (self._deadline or 0) - time.monotonic()
        if left <= 0 or not self._poll.poll(left * 1000):
            ending = self.end()
            # On a busy machine a loop that computes may meet the wall clock first.
            if ending.cpu > self.limits.cpu_seconds * _CPU_SLACK:
                raise ChildGoneError(Cause.CPU_TIME, f"{ending.cpu:.1g} s")
            raise ChildGoneError(Cause.WALL_TIME, f"{self.limits.wall_seconds:g} s")

    def _gone(self) -> ChildGoneError:
        """The child hung up: find out why."""
        ending = self.end()
        if ending.status == -signal.SIGKILL:
            if ending.cpu > self.limits.cpu_seconds * _CPU_SLACK:
                return ChildGoneError(Cause.CPU_TIME, f"{self.limits.cpu_seconds} s")
            return ChildGoneError(Cause.KILLED)
        if ending.status < 0:
            return ChildGoneError(Cause.SIGNAL, _signal_name(-ending.status))
        return ChildGoneError(Cause.EXIT, str(ending.status))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has none
        return f"signal {number}"


def _capped_file(size: int) -> int:
    """Make an in-memory file that cannot grow: a flood of output stops at its end by itself."""
    descriptor = os.memfd_create("output", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, _F_ADD_SEALS, _F_SEAL_GROW | _F_SEAL_SHRINK | _F_SEAL_SEAL)
    return descriptor


def _answer(tree: object, number: int) -> Answer:
    """Read an answer that a submission may have forged: its form is checked, nothing believed."""
    if type(tree) is not list or [type(part) for part in tree[:2]] != [int, str]:
        raise wire.MalformedError("not an answer")
    match tree:
        case [answered, "ok", value] if answered == number:
            return Returned(value)
        case [answered, "unsupported", dict(facts)] if answered == number:
            return Unsupported(_text(facts, "kind", 200), _text(facts, "path", 200))
        case [answered, "raised", dict(facts)] if answered == number:
            return _raised(facts)
    raise wire.MalformedError("not an answer to what was asked")


def _raised(facts: dict[Any, Any]) -> Raised:
    line = facts.get("line")
    bases = facts.get("bases")
    return Raised(
        type=_text(facts, "type", 100),
        bases=tuple(b for b in bases[:50] if type(b) is str) if type(bases) is list else (),
        message=_text(facts, "message", 2000),
        frames=tuple(_frames(facts.get("frames"))),
        line=line if _is_line(line) else None,
        text=_text(facts, "text", 200),
    )


def _text(facts: dict[Any, Any], key: str, most: int) -> str:
    value = facts.get(key)
    return printable(value[:most]) if type(value) is str else ""


def _is_line(value: object) -> bool:
    return type(value) is int and 0 < value <= SOURCE_CAP + 1


def _frames(value: object) -> list[tuple[int, str]]:
    frames = []
    for frame in value[-8:] if type(value) is list else []:
        match frame:
            case (line, str(name)) if _is_line(line):
                frames.append((line, printable(name[:100])))
    return frames
