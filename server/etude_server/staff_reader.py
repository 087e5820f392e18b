"""Long reads for staff in a separate process, so that accepting submissions never waits for them.

Read in the server's own process, the gradebook of 60,000 submissions makes accepting one take two
to three times as long, in the median and in the 99th percentile.

The process starts with the first such read and ends with the server, even if that is killed.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection as PipeEnd
from typing import Concatenate, Final, ParamSpec, Self, TypeVar

from sqlalchemy import Connection

from etude_server.store.database import Database

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_NICENESS: Final = 5  # as low as grading, so that requests have priority


class StaffReader:
    """A runner of one read at a time; a context manager."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._pipe_and_process: tuple[PipeEnd, subprocess.Popen[bytes]] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_process()

    def _end_process(self) -> None:
        """Close the connection, at which the process ends."""
        if self._pipe_and_process is not None:
            pipe, process = self._pipe_and_process
            pipe.close()
            process.wait()
            self._pipe_and_process = None

    def read(
        self,
        function: Callable[Concatenate[Connection, _Arguments], _Result],
        *arguments: _Arguments.args,
        **keywords: _Arguments.kwargs,
    ) -> _Result:
        """Return the result of a module-level function that reads the store.

        If the process died or failed, the function runs here, so that an error is its own.
        """
        with self._lock:
            try:
                if self._pipe_and_process is None:
                    pipe, child_pipe = Pipe()
                    with child_pipe:
                        descriptor = child_pipe.fileno()
                        module = ["-P", "-m", "etude_server.staff_reader", str(descriptor)]
                        process = subprocess.Popen(  # noqa: S603  our own module
                            [sys.executable, *module],
                            pass_fds=[descriptor],
                            stdin=subprocess.DEVNULL,
                        )
                    self._pipe_and_process = pipe, process
                    pipe.send(self._database.url.render_as_string(hide_password=False))
                pipe, _ = self._pipe_and_process
                pipe.send((function, arguments, keywords))
                has_succeeded, result = pipe.recv()
            except (EOFError, OSError):
                self._end_process()
                has_succeeded = False
        if has_succeeded:
            answer: _Result = result
            return answer
        with self._database.read(snapshot=True) as connection:
            return function(connection, *arguments, **keywords)


def main(descriptor: int) -> None:
    """Answer reads until the server closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the server
    os.nice(_NICENESS)
    pipe = PipeEnd(descriptor)
    try:
        with Database(pipe.recv(), create=False) as database:
            while True:
                function, arguments, keywords = pipe.recv()
                try:
                    with database.read(snapshot=True) as connection:
                        answer = True, function(connection, *arguments, **keywords)
                except Exception:  # noqa: BLE001  the server reads it again, and has it, too
                    answer = False, None
                pipe.send(answer)
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    main(int(sys.argv[1]))
