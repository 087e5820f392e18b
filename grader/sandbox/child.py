"""The trusted ends of the connections to a submission's process and to its zygote."""

import json
import re
import select
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from grader.errors import SandboxFault
from grader.sandbox.answers import Answer, Cause, ChildGoneError, Stopped, read_stopped
from grader.sandbox.interface import Ending, FramedChild
from grader.sandbox.limits import CONTROL_SECONDS, Limits
from grader.sandbox.output_file import OutputFile
from grader.sandbox.printable import printable

_MAX_MESSAGE_BYTES = 1 << 16  # bytes of one message of the zygote
_TRACEBACK = 8192  # size in bytes of the longest traceback that `faulthandler` writes
_READ_AHEAD, _MAX_READ = 1 << 12, 1 << 20
# Share of the CPU limit from which a child counts as out of time. The kernel enforces the limit by
# ticks but measures the usage exactly, and on a busy machine the two differ a lot.
_CPU_SLACK = 0.5


class Control:
    """The control connection to a zygote, which answers requests in order.

    Args:
        connection: A SEQPACKET socket, which `close` closes.
        name: The backend's name, for errors.
        exit_reason: Returns the reason why the zygote has ended.
    """

    def __init__(
        self, connection: socket.socket, name: str, exit_reason: Callable[[], str]
    ) -> None:
        self.name = name
        self._connection = connection
        self._exit_reason = exit_reason
        self._sent = self._answered = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._unwanted: set[int] = set()

    def close(self) -> None:
        """Close the connection, which ends the zygote."""
        self._connection.close()

    def send(self, request: bytes, descriptors: Sequence[int] = ()) -> int:
        """Send a request (see `grader.sandbox.in_child.zygote`) without waiting for the answer.

        Returns:
            The request's number, for `answer`.

        Raises:
            SandboxFault: The zygote is gone.
        """
        try:
            socket.send_fds(self._connection, [request], descriptors)
        except OSError as error:
            raise SandboxFault(f"the {self.name} sandbox is gone: {error}") from error
        self._sent += 1
        return self._sent

    def answer(self, number: int) -> dict[str, Any]:
        """Wait for the answer to a request.

        Raises:
            SandboxFault: The zygote is gone or too slow.
        """
        while number not in self._answers:
            message = self.receive(CONTROL_SECONDS)
            self._answered += 1
            if self._answered in self._unwanted:
                self._unwanted.discard(self._answered)
            else:
                self._answers[self._answered] = message
        return self._answers.pop(number)

    def disregard(self, number: int) -> None:
        """Drop the answer to a request when it arrives."""
        if self._answers.pop(number, None) is None:
            self._unwanted.add(number)

    def receive(self, seconds: float) -> dict[str, Any]:
        """Wait for the next message.

        Raises:
            SandboxFault: No message came in time, or the zygote is gone.
        """
        try:
            self._connection.settimeout(seconds)
            message = self._connection.recv(_MAX_MESSAGE_BYTES)
        except TimeoutError as error:
            slow = f"the {self.name} sandbox did not answer in {seconds:g} s"
            raise SandboxFault(slow) from error
        except OSError as error:
            raise SandboxFault(f"the {self.name} sandbox is gone: {error}") from error
        if not message:
            raise SandboxFault(f"the {self.name} sandbox ended: {self._exit_reason()}")
        answer: dict[str, Any] = json.loads(message)
        return answer


class ChildProcess(FramedChild):
    """The process of one submission."""

    def __init__(self, control: Control, limits: Limits) -> None:
        super().__init__(limits, CONTROL_SECONDS)
        self._control = control
        self._connection, theirs = socket.socketpair()
        self._connection.setblocking(False)
        self._poll = select.poll()
        self._output = OutputFile(limits.output)
        self._printed: int | None = None  # size of the output without a traceback of ours
        try:
            descriptors = [theirs.fileno(), self._output.descriptor]
            self._spawned = control.send(json.dumps(asdict(limits)).encode(), descriptors)
        except BaseException:
            self._connection.close()
            self._output.close()
            raise
        finally:
            theirs.close()
        self._known_pid: int | None = None

    @property
    def output_size(self) -> int:
        """The number of bytes printed so far."""
        if self._printed is not None:
            return self._printed
        return self._output.size

    def output(self, begin: int = 0, end: int | None = None) -> str:
        """Return the output between two values of `output_size`, by default all of it."""
        data = self._output.read(begin, self.output_size if end is None else end)
        return printable(data.decode("utf-8", "replace"), keep="\n\t")

    @property
    def _pid(self) -> int:
        """The child's pid in the zygote's namespace."""
        if self._known_pid is None:
            self._known_pid = int(self._control.answer(self._spawned)["pid"])
        return self._known_pid

    def end(self) -> Ending:
        """End the child and everything it started, and wait for it. May be called twice."""
        if self._ending is None:
            self._connection.close()
            answer = self._control.answer(self._reap())
            self._ending = Ending(answer["status"], answer["cpu"], answer["rss"])
        return self._ending

    def close(self) -> None:
        """End the child and everything it started, without waiting; close descriptors.

        The end of a child's namespaces takes longer than a small submission.
        """
        try:
            if self._ending is None:
                self._connection.close()
                self._control.disregard(self._reap())
        finally:
            self._output.close()

    def _reap(self) -> int:
        return self._control.send(b"%d" % self._pid)

    @property
    def _not_ready(self) -> str:
        return f"a child of the {self._control.name} sandbox was not locked in"

    def _verify_answer(self, tree: object, number: int, *, with_usage: bool = False) -> Answer:
        stopped = read_stopped(tree, number)
        if stopped and self._has_used_its_time():
            self._take_traceback()
            raise ChildGoneError(Cause.CPU_TIME, f"{self.limits.cpu_seconds} s", stopped)
        return super()._verify_answer(tree, number, with_usage=with_usage)

    def _send(self, frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            try:
                rest = rest[self._connection.send(rest) :]
            except BlockingIOError:
                self._wait(select.POLLOUT)
            except OSError:
                raise self._ending_error() from None

    def _receive(self, length: int) -> bytearray:
        """Return the next bytes. Reads ahead, so that a small answer takes one system call."""
        while len(self._received) < length:
            size = max(length - len(self._received), _READ_AHEAD)
            self._wait(select.POLLIN)
            try:
                piece = self._connection.recv(min(size, _MAX_READ))
            except BlockingIOError:
                continue
            except OSError:
                raise self._ending_error() from None
            if not piece:
                raise self._ending_error()
            self._received += piece
        return self._take(length)

    def _wait(self, event: int) -> None:
        """Wait until the connection is ready; at the deadline, end the child and raise."""
        self._poll.register(self._connection, event)
        seconds = self._remaining_seconds
        if seconds <= 0 or not self._poll.poll(seconds * 1000):
            ending = self.end()
            # On a busy machine, a computing loop may reach the wall-clock limit first.
            if self._has_used_its_time():
                raise ChildGoneError(Cause.CPU_TIME, f"{ending.cpu:.1g} s")
            raise ChildGoneError(Cause.WALL_TIME, f"{self.limits.wall_seconds:g} s")

    def _take_traceback(self) -> Stopped | None:
        """Remove our traceback from the end of the output, and return the place that it names."""
        length = min(self.output_size, _TRACEBACK)
        tail = self._output.read(self.output_size - length, self.output_size)
        begin = tail.rfind(b"Stack (most recent call first):\n")
        if begin < 0:
            return None
        self._printed = self.output_size - length + begin
        line = re.search(rb'  File "submission.py", line (\d{1,6}) ', tail[begin:])
        return Stopped(int(line[1]), is_loop=False, values=()) if line else None

    def _has_used_its_time(self) -> bool:
        return self.end().cpu > self.limits.cpu_seconds * _CPU_SLACK

    def _ending_error(self) -> ChildGoneError:
        """Return the error for a child that closed its connection."""
        ending = self.end()
        if ending.status == -signal.SIGKILL:
            if self._has_used_its_time():
                stopped = self._take_traceback()
                return ChildGoneError(Cause.CPU_TIME, f"{self.limits.cpu_seconds} s", stopped)
            return ChildGoneError(Cause.KILLED)
        return self._exit_error(ending.status)
