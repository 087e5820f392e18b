"""A child in the page's own process, since the browser is the sandbox.

Requests and answers are encoded by the same code as those of a sandbox child, so that types,
copies, errors and the cap on output are the same.
"""

import contextlib
import io
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from grader.browser.submission_globals import SubmissionGlobals
from grader.browser.time_limit import TimeLimit
from grader.sandbox.answers import (
    Answer,
    Cause,
    ChildGoneError,
    ForgedError,
    Raised,
    read_answer,
    read_call_back,
    read_stopped,
)
from grader.sandbox.in_child import wire
from grader.sandbox.in_child.operations import remove_submission
from grader.sandbox.in_child.streams import Stdout
from grader.sandbox.in_child.submission_server import SubmissionServer
from grader.sandbox.interface import PLAIN, Child, Ending, Exchange
from grader.sandbox.limits import MAX_ANSWER_BYTES, Limits
from grader.sandbox.printable import printable

_TOO_LARGE: Final = (
    "array is too big",
    "cannot fit 'int' into an index-sized integer",
    "iterator is too large",
    "Maximum allowed dimension exceeded",
    "Maximum allowed size exceeded",
)


class _InMemory(Stdout):
    """A standard output that is kept in memory."""

    def __init__(self, cap: int) -> None:
        super().__init__(-1, cap)
        self.data = bytearray()

    @property
    def position(self) -> int:
        return len(self.data)

    def put(self, data: bytes) -> None:
        self.data += data


class PageChild(Child):
    """One submission in this process. Only one may be open at a time."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._output = _InMemory(limits.output)
        self._server = SubmissionServer(self._output, self._answer_call)
        self._exchange = PLAIN
        # An error of the author's function, raised again even if the submission caught it.
        self._authors_error: BaseException | None = None
        self._streams = sys.stdin, sys.stdout, sys.stderr
        self._state = SubmissionGlobals()
        self._time = TimeLimit(limits.cpu_seconds)
        self._requests = self._answered_bytes = 0
        self._folder = ""  # the working folder; empty if the submission has no files

    def start(self) -> None:
        """Do nothing, since this child is always ready."""

    @property
    def output_size(self) -> int:
        """The number of bytes printed so far."""
        return len(self._output.data)

    @property
    def lost(self) -> int:
        """The number of bytes printed beyond the cap."""
        return self._output.lost

    def forget_output(self) -> None:
        """Empty the output, as for a new cell of a lesson."""
        self._output = _InMemory(self.limits.output)

    def output(self, begin: int = 0, end: int | None = None) -> str:
        """Return the text printed between two values of `output_size`, by default all of it."""
        return printable(self._output.data[begin:end].decode("utf-8", "replace"), keep="\n\t")

    def put_files(self, contents: Mapping[str, bytes]) -> Answer:
        """Write read-only files into this child's own working folder."""
        self._folder = self._folder or tempfile.mkdtemp()
        return super().put_files(contents)

    def end(self) -> Ending:
        """Remove the submission and return an ending without usage, which is not measured here."""
        self.close()
        return Ending(0, 0.0, 0)

    def close(self) -> None:
        """Remove the submission and its files."""
        remove_submission()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def ask(self, operation: str, *arguments: object, exchange: Exchange = PLAIN) -> Answer:
        """Send a request and return its answer; see `Child.ask`."""
        self._requests += 1
        number = self._requests
        frame = exchange.request(number, (operation, *arguments))
        before, self._exchange = self._exchange, exchange
        answer = b""
        ended: BaseException | None = None
        try:
            folder = contextlib.chdir(self._folder) if self._folder else contextlib.nullcontext()
            with folder, self._submission_in_charge():
                answer = self._server.answer(*wire.split_frame(frame))
        except BaseException as error:  # noqa: BLE001  in the sandbox it would end the process
            ended = error
        finally:
            self._exchange = before
        if self._time.report is not None:
            stopped = read_stopped([number, "stopped", self._time.report], number)
            raise ChildGoneError(Cause.CPU_TIME, f"{self.limits.cpu_seconds} s", stopped)
        if ended is not None:
            raise ChildGoneError(Cause.EXIT, type(ended).__name__) from ended
        if self._authors_error is not None:
            raise self._authors_error
        try:
            header, body = wire.split_frame(answer)
            self._count_bytes(header, body)
            tree = exchange.decode(header, body)
            answered = read_answer(tree, number, with_usage=exchange.with_usage)
        except (wire.MalformedError, ForgedError) as error:
            raise ChildGoneError(Cause.PROTOCOL, str(error)) from error
        if isinstance(answered, Raised) and answered.message.startswith(_TOO_LARGE):
            # The size does not fit the 32 bits of Python in a browser: report a lack of memory.
            return replace(answered, bases=(*answered.bases, MemoryError.__name__))
        return answered

    def _answer_call(self, frame: bytes) -> tuple[bytes, bytes]:
        """Answer a submission's call of the author's function."""
        exchange = self._exchange
        callback = read_call_back(exchange.decode(*wire.split_frame(frame)))
        if callback is None or exchange.peer is None:
            raise ForgedError("a call of no function")
        ours = sys.stdin, sys.stdout, sys.stderr
        self._state.revert()
        sys.stdin, sys.stdout, sys.stderr = self._streams
        try:
            answer = exchange.peer.call_back(*callback)
        except BaseException as error:
            self._authors_error = error
            raise
        finally:
            self._state.apply()
            sys.stdin, sys.stdout, sys.stderr = ours
        return wire.split_frame(exchange.message(["returned", *answer]))

    @contextlib.contextmanager
    def _submission_in_charge(self) -> Iterator[None]:
        """Apply the submission's state and streams during a request."""
        streams = self._streams = sys.stdin, sys.stdout, sys.stderr
        self._state.apply()
        try:
            sys.stdin = io.StringIO()
            self._server.print_to(self._output)
            self._time.begin()
            yield
        finally:
            self._time.end()
            sys.stdin, sys.stdout, sys.stderr = streams
            self._state.revert()

    def _count_bytes(self, header: bytes, body: bytes) -> None:
        self._answered_bytes += len(header) + len(body)
        if self._answered_bytes > MAX_ANSWER_BYTES:
            raise wire.MalformedError("answers of too many bytes")


class PageChildFactory:
    """A factory of children in this process."""

    backend_name = "browser"

    def child(self, limits: Limits) -> PageChild:
        """Return a new child; the one before it must be closed."""
        return PageChild(limits)
