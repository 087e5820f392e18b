"""Forks of this process that run authors' code, and so keep nothing of its rights and files.

A fork ends with its parent: an idle one sees the closed connection, a busy one gets a signal.
"""

import contextlib
import gc
import multiprocessing
import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator, Sequence

from grader.sandbox.channel import Channel
from grader.sandbox.limits import MAX_WORKER_OUTPUT_BYTES, WORKER_ADDRESS_SPACE_BYTES
from grader.sandbox.output_file import OutputFile, print_to

_FORK = multiprocessing.get_context("fork")
_STOP = b""
_END_SECONDS = 2.0  # seconds for a process to end by itself
_DESCRIPTORS = 4096  # descriptors below this number are closed


class Fork:
    """A forked process that is connected to this one.

    Args:
        run: Called in the process, with its end of the connection.
        kept: Descriptors of this process that stay open in it.
        echoes: Whether its output goes to our standard error; otherwise it is lost.
    """

    def __init__(
        self, run: Callable[[Channel], None], kept: Sequence[int] = (), *, echoes: bool = True
    ) -> None:
        self.channel, theirs = map(Channel, socket.socketpair())
        self._output = OutputFile(MAX_WORKER_OUTPUT_BYTES) if echoes else None
        self.process = _FORK.Process(target=self._run, args=(run, theirs, kept), daemon=True)
        self.process.start()
        theirs.close()

    def _run(self, run: Callable[[Channel], None], channel: Channel, kept: Sequence[int]) -> None:
        gc.freeze()  # finalizers of the parent's garbage would close descriptors of this process
        self.channel.close()
        _leave_parent({channel.fileno(), *kept}, self._output)
        with contextlib.suppress(BrokenPipeError):  # the parent is gone
            run(channel)

    def receive(self) -> bytes | None:
        """Wait for the next message; return None if the process has ended or sends nonsense."""
        message = self.channel.receive()
        self._echo()
        return message

    def ask_to_end(self) -> None:
        """Ask the process to end by a message, since other forks may hold the connection open."""
        with contextlib.suppress(OSError):
            self.channel.send(_STOP)

    def stop(self) -> int | None:
        """Ask the process to end, wait, and kill it if necessary; return its exit status.

        The status of a process that a signal ended is the negative number of the signal.
        """
        self.ask_to_end()
        # `join` would not wait: the process has closed the pipe that tells its end.
        self.channel.is_ready(_END_SECONDS)
        self.process.kill()
        self.process.join()
        status = self.process.exitcode
        self.process.close()
        self.channel.close()
        self._echo()
        if self._output is not None:
            self._output.close()
        return status

    def _echo(self) -> None:
        if self._output is not None:
            self._output.echo()


def receive_requests(channel: Channel) -> Iterator[bytes]:
    """Yield the parent's messages in a fork, until it asks the fork to end or is gone."""
    while message := channel.receive():  # the request to end is an empty message
        yield message


def _leave_parent(kept: set[int], output: OutputFile | None) -> None:
    """Close all of the parent that authors' code could use: terminal, files, connections.

    Args:
        kept: Descriptors that stay open.
        output: Takes the output of this process. Without one, the output is lost.
    """
    from grader.sandbox.in_child import syscalls  # loads ctypes, which the parent does not need

    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and stops its forks
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    print_to(nothing if output is None else output.descriptor)
    low = 3
    for descriptor in [*sorted(kept), _DESCRIPTORS]:
        os.closerange(low, descriptor)
        low = descriptor + 1
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (WORKER_ADDRESS_SPACE_BYTES, hard))
