"""Single keys from a terminal."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import Self

_POLL_SECONDS = 0.05  # seconds between polls on systems that cannot wait for a key


class Keys:
    """A reader of single key presses, or of nothing without a terminal; a context manager.

    Ctrl-C still interrupts, and output is displayed as usual.
    """

    def __init__(self) -> None:
        self.are_there = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()

    def __enter__(self) -> Self:
        self._enter_raw_mode()
        return self

    def __exit__(self, *_: object) -> None:
        self._leave_raw_mode()

    def wait(self, seconds: float) -> str:
        """Return the key pressed within this many seconds, or ""."""
        if not self.are_there:
            time.sleep(seconds)
            return ""
        if os.name == "nt":
            return _read_key_on_windows(seconds)
        import select

        if not select.select([sys.stdin], [], [], seconds)[0]:
            return ""
        data = os.read(sys.stdin.fileno(), 64)
        if not data:  # the terminal was closed
            raise EOFError
        return data.decode(errors="ignore")[:1]

    @contextlib.contextmanager
    def line_mode(self) -> Iterator[None]:
        """Give the terminal to a command that reads whole lines."""
        self._leave_raw_mode()
        try:
            yield
        finally:
            self._enter_raw_mode()

    def _enter_raw_mode(self) -> None:
        if self.are_there and os.name != "nt":
            import termios
            import tty

            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)

    def _leave_raw_mode(self) -> None:
        if self.are_there and os.name != "nt":
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)


def _read_key_on_windows(seconds: float) -> str:
    import msvcrt  # type: ignore[import-not-found,unused-ignore]  # on Windows alone

    end = time.monotonic() + seconds
    while not msvcrt.kbhit():  # type: ignore[attr-defined,unused-ignore]  # on Windows alone
        if time.monotonic() >= end:
            return ""
        time.sleep(_POLL_SECONDS)
    return str(msvcrt.getwch())  # type: ignore[attr-defined,unused-ignore]  # on Windows alone
