"""The stderr of the grading processes, as bounded lines of the log.

An author's code may print what a submission returned, and an error may quote it. So a line has the
number of characters, the kind of error and the places in our own files, but no word of the text.
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

_MOST: Final = 65_536  # bytes of one line of the log
_QUIET_SECONDS: Final = 0.2  # ends a traceback
_LAST_SECONDS: Final = 2.0  # for a process that outlives the pool
_OURS: Final = Path(grader.__file__).parent
_PLACE: Final = re.compile(
    rf'^ *File "{re.escape(str(_OURS))}/([\w/]+\.py)", line (\d+)', re.MULTILINE
)
_ERROR: Final = re.compile(r"^(?:[\w.]*\.)?(\w+)(?::|$)", re.MULTILINE)
_KNOWN: Final = {
    name
    for name, value in (vars(builtins) | vars(errors)).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}

_log = structlog.get_logger(__name__)


@contextlib.contextmanager
def logged() -> Iterator[int]:
    """Yield a descriptor to write to; log that something was written."""
    reader, writer = os.pipe()
    thread = threading.Thread(target=_listen, args=(reader,), name="grader-stderr", daemon=True)
    thread.start()
    try:
        yield writer
    finally:
        os.close(writer)
        thread.join(_LAST_SECONDS)


def _listen(reader: int) -> None:
    with open(reader, "rb", buffering=0) as pipe:
        while written := pipe.read(_MOST):
            while len(written) < _MOST and wait([reader], _QUIET_SECONDS):
                more = pipe.read(_MOST)
                if not more:
                    break
                written += more
            text = written.decode(errors="replace")
            known = [name for name in _ERROR.findall(text) if name in _KNOWN]
            _log.warning(
                "a grading process wrote to stderr",
                characters=len(text),
                error=known[-1] if known else None,
                # A path that is no file of ours may be a quotation.
                at=[f"{p}:{line[:7]}" for p, line in _PLACE.findall(text) if (_OURS / p).is_file()],
            )
