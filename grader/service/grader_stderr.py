"""What grading processes write to stderr, as lines of the log.

An author's code may print what a submission returned, and an error may quote it. So a line says how
much was written, which kind of error it tells of and where in our own files, but no word of it.
"""

import builtins
import contextlib
import os
import re
import threading
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path
from typing import Final

import structlog

import grader
from grader import errors

_MOST: Final = 65_536  # bytes that one line of the log tells of
_QUIET_SECONDS: Final = 0.2  # after which what was written is taken to be at its end
_LAST_SECONDS: Final = 2.0  # for the end, which comes late if a process outlives its desk
_OURS: Final = Path(grader.__file__).parent
_PLACE: Final = re.compile(r'^ *File "([^"\n]+)", line ([0-9]{1,7})', re.MULTILINE)
_ERROR: Final = re.compile(r"^(?:[\w.]*\.)?(\w+)(?::|$)", re.MULTILINE)
_KNOWN: Final = frozenset(
    name
    for module in (builtins, errors)
    for name, value in vars(module).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)

_log = structlog.get_logger(__name__)


@contextlib.contextmanager
def logged() -> Iterator[int]:
    """Give a descriptor for others to write to, and log that they do."""
    reader, writer = os.pipe()
    thread = threading.Thread(target=_listen, args=(reader,), name="stray", daemon=True)
    thread.start()
    try:
        yield writer
    finally:
        os.close(writer)
        thread.join(_LAST_SECONDS)


def _listen(reader: int) -> None:
    try:
        while written := _read(reader):
            _tell(written.decode(errors="replace"))
    finally:
        os.close(reader)


def _read(reader: int) -> bytes:
    """Return what is written in one go, such as a traceback; nothing at the end."""
    written = more = os.read(reader, _MOST)
    while more and len(written) < _MOST and wait([reader], _QUIET_SECONDS):
        more = os.read(reader, _MOST)
        written += more
    return written


def _tell(written: str) -> None:
    known = [name for name in _ERROR.findall(written) if name in _KNOWN]
    _log.warning(
        "a grading process wrote to stderr",
        characters=len(written),
        error=known[-1] if known else None,
        at=[place for found in _PLACE.findall(written) if (place := _place(*found))],
    )


def _place(path: str, line: str) -> str | None:
    """Return where in a file of ours something failed; None for all else, which may be a quote."""
    file = Path(path)
    is_ours = file.is_relative_to(_OURS) and ".." not in file.parts and file.is_file()
    return f"{file.relative_to(_OURS)}:{line}" if is_ours else None
