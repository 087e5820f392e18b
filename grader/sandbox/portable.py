"""Children without a sandbox, on any system: each submission has a process and two pipes.

This is for a learner's own code on systems without a sandbox. It needs neither fork nor any feature
of Linux. Wall clock, output and answers are limited, but a submission can access all files of its
user.
"""

import contextlib
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Self

from grader.sandbox.answers import Cause, ChildGoneError
from grader.sandbox.interface import Ending, FramedChild
from grader.sandbox.limits import DEFAULT_LIMITS, ONE_BLAS_THREAD, START_SECONDS, Limits
from grader.sandbox.printable import printable

_SANDBOX = Path(__file__).parent
_BOOTSTRAP = (
    "import sys; sys.path.insert(0, sys.argv[1]); from in_child import pipes; del sys.path[0]; "
    "pipes.main(sys.argv[2], int(sys.argv[3]))"
)
_AT_ONCE = 1 << 16  # bytes that are read from a pipe at once, the size of a pipe's buffer


class PortableSandbox:
    """A source of children that are not isolated.

    Args:
        packages: The modules that submissions may import besides NumPy. This is not enforced here.
    """

    backend_name = "none"

    def __init__(self, packages: Iterable[str] = ()) -> None:
        self.packages = frozenset(packages)

    def child(self, limits: Limits = DEFAULT_LIMITS) -> "PortableChild":
        """Start a process for one submission."""
        return PortableChild(limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing, since each child is closed separately."""


class PortableChild(FramedChild):
    """One submission's process."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits, START_SECONDS)
        self._folder = Path(tempfile.mkdtemp(prefix="etude-"))
        self._output = self._folder / "output"
        self._output.touch()
        work = self._folder / "work"
        work.mkdir()
        command = [sys.executable, "-s", "-P", "-B", "-c", _BOOTSTRAP]
        self._process = subprocess.Popen(  # noqa: S603  our own command
            [*command, os.fspath(_SANDBOX), os.fspath(self._output), str(limits.output)],
            # Hashing has no random seed: the order of a set must not decide a verdict.
            env={**os.environ, **ONE_BLAS_THREAD, "PYTHONHASHSEED": "0"},
            cwd=work,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        assert self._process.stdout is not None  # it is a pipe
        # Not every system can wait for a pipe with a time limit, so a thread reads the pipe.
        reader = threading.Thread(
            target=_read_into, args=(self._process.stdout, self._pieces), daemon=True
        )
        reader.start()

    @property
    def _not_ready(self) -> str:
        return "a process for the submission did not start"

    @property
    def output_size(self) -> int:
        """The number of bytes printed so far."""
        return min(self._output.stat().st_size, self.limits.output) if self._output.exists() else 0

    def output(self, begin: int = 0, end: int | None = None) -> str:
        """Return the text printed between two values of `output_size`, by default all of it."""
        end = self.output_size if end is None else end
        with self._output.open("rb") as file:
            file.seek(begin)
            data = file.read(max(end - begin, 0))
        return printable(data.decode("utf-8", "replace"), keep="\n\t")

    def end(self) -> Ending:
        """End the process and wait for it. May be called twice. Its usage is not measured."""
        if self._ending is None:
            self._process.kill()
            self._ending = Ending(self._process.wait(), 0.0, 0)
            for pipe in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError, ValueError):
                    if pipe is not None:
                        pipe.close()
        return self._ending

    def close(self) -> None:
        """End the process and delete its folder."""
        self.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _send(self, frame: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None  # it is a pipe
        try:
            stdin.write(frame)
            stdin.flush()
        except (OSError, ValueError):
            raise self._ending_error() from None

    def _receive(self, length: int) -> bytearray:
        while len(self._received) < length:
            try:
                piece = self._pieces.get(timeout=max(self._remaining_seconds, 0))
            except queue.Empty:
                self.end()
                raise ChildGoneError(Cause.WALL_TIME, f"{self.limits.wall_seconds:g} s") from None
            if not piece:
                raise self._ending_error()
            self._received += piece
        return self._take(length)

    def _ending_error(self) -> ChildGoneError:
        """Return the error for a child that closed its pipe."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        return self._exit_error(self.end().status)


def _read_into(pipe: IO[bytes], pieces: "queue.SimpleQueue[bytes]") -> None:
    """Copy a pipe into a queue, with an empty piece at the end."""
    with contextlib.suppress(OSError, ValueError):
        while piece := os.read(pipe.fileno(), _AT_ONCE):
            pieces.put(piece)
    pieces.put(b"")
