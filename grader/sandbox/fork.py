"""Forks of this process that run authors' code, and so keep nothing of its rights and files.

A fork ends with its parent: an idle one sees the closed connection, a busy one gets a signal.
"""

import contextlib
import gc
import multiprocessing
import os
import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection

from grader.sandbox.limits import MAX_WORKER_OUTPUT_BYTES, WORKER_ADDRESS_SPACE_BYTES
from grader.sandbox.output_file import OutputFile, print_to

_FORK = multiprocessing.get_context("fork")
_STOP = b""
_MAX_MESSAGE_BYTES = 64 << 20  # bytes of a fork's message, in case the fork is compromised
_DESCRIPTORS = 4096  # descriptors below this number are closed


class Fork:
    """A forked process that is connected to this one. Its output goes to our standard error.

    Args:
        run: Called in the process, with its end of the connection.
        kept: Descriptors of this process that stay open in it.
    """

    def __init__(self, run: Callable[[Connection], None], kept: Sequence[int] = ()) -> None:
        self.connection, theirs = _FORK.Pipe()
        self._output = OutputFile(MAX_WORKER_OUTPUT_BYTES)
        self.process = _FORK.Process(target=self._run, args=(run, theirs, kept), daemon=True)
        self.process.start()
        theirs.close()

    def _run(
        self, run: Callable[[Connection], None], connection: Connection, kept: Sequence[int]
    ) -> None:
        gc.freeze()  # finalizers of the parent's garbage would close descriptors of this process
        self.connection.close()
        leave_parent({connection.fileno(), *kept}, self._output.descriptor)
        with contextlib.suppress(BrokenPipeError):  # the parent is gone
            run(connection)

    def receive(self) -> bytes | None:
        """Return the next message, or None if the process has ended."""
        try:
            return self.connection.recv_bytes(_MAX_MESSAGE_BYTES)
        except (EOFError, OSError):
            return None
        finally:
            self._output.echo()

    def hang_up(self) -> None:
        """Ask the process to end by a message, since other forks may hold the connection open."""
        with contextlib.suppress(OSError):
            self.connection.send_bytes(_STOP)
        self.connection.close()

    def stop(self) -> None:
        """Ask the process to end, wait, and kill it if necessary."""
        self.hang_up()
        self.process.join(2)
        self.process.kill()
        self.process.join()
        self.process.close()
        self._output.echo()
        self._output.close()


def receive_requests(connection: Connection) -> Iterator[bytes]:
    """Yield the parent's messages in a fork, until it asks the fork to end."""
    with contextlib.suppress(EOFError, OSError):  # the parent is gone
        while (message := connection.recv_bytes()) != _STOP:
            yield message


def leave_parent(kept: set[int], output: int | None = None) -> None:
    """Close all of the parent that authors' code could use: terminal, files, connections.

    Args:
        kept: Descriptors that stay open.
        output: The descriptor of an `OutputFile` for the output of this process. Without one, the
            output is lost.
    """
    from grader.sandbox.in_child import syscalls  # loads ctypes, which the parent does not need

    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and stops its forks
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    print_to(nothing if output is None else output)
    low = 3
    for descriptor in [*sorted(kept), _DESCRIPTORS]:
        os.closerange(low, descriptor)
        low = descriptor + 1
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (WORKER_ADDRESS_SPACE_BYTES, hard))
