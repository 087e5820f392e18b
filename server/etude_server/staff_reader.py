"""Long reads for staff, in a process of their own: accepting submissions never waits for them.

The process starts with the first such read, and ends with the server, however that ends.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection as Line
from typing import Concatenate, Final, ParamSpec, Self, TypeVar

from sqlalchemy import Connection

from etude_server.store.database import Database, cause_of

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")

_NICENESS: Final = 5  # as what grades: requests go first


class StaffReader:
    """Reads one thing at a time. Use as a context manager."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._started: tuple[Line, subprocess.Popen[bytes]] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._hang_up()

    def _hang_up(self) -> None:
        """End the process, which ends when it is left alone."""
        if self._started is not None:
            line, process = self._started
            line.close()
            process.wait()
            self._started = None

    def read(
        self,
        function: Callable[Concatenate[Connection, _Given], _Found],
        *given: _Given.args,
        **named: _Given.kwargs,
    ) -> _Found:
        """Return what a function of a module reads from the store; here, if the process died.

        Raises:
            RuntimeError: it failed there.
        """
        with self._lock:
            try:
                if self._started is None:
                    ours, theirs = socket.socketpair()
                    with ours, theirs:
                        end = theirs.fileno()
                        command = [
                            sys.executable,
                            "-P",
                            "-m",
                            "etude_server.staff_reader",
                            str(end),
                        ]
                        process = subprocess.Popen(  # noqa: S603  our own module
                            command, pass_fds=[end], stdin=subprocess.DEVNULL
                        )
                        self._started = Line(os.dup(ours.fileno())), process
                    self._started[0].send(self._database.url)
                line, _ = self._started
                line.send((function, given, named))
                is_found, found = line.recv()
            except (EOFError, OSError):
                self._hang_up()
                with self._database.read(one_state=True) as connection:
                    return function(connection, *given, **named)
        if not is_found:
            raise RuntimeError(f"a read for staff failed: {found}")
        answer: _Found = found
        return answer


def main(descriptor: int) -> None:
    """Read until the server hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    os.nice(_NICENESS)
    line = Line(descriptor)
    try:
        url = line.recv().render_as_string(hide_password=False)
        with Database(url.replace("+psycopg", "", 1), create=False) as database:
            while True:
                function, given, named = line.recv()
                try:
                    with database.read(one_state=True) as connection:
                        found = True, function(connection, *given, **named)
                except Exception as error:  # noqa: BLE001  told to the server, which answers
                    found = False, cause_of(error)
                line.send(found)
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    main(int(sys.argv[1]))
