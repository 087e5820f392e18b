"""Faults that tests cause inside the service's processes; Python imports this file by its name.

A submission can kill the process that holds it, and a file sets the offset of the clock.
"""

import os
import pickle
import signal
import sys
import time
from pathlib import Path
from typing import Any

_here = os.getpid()
_time_ns = time.time_ns
_clock = Path(os.environ.get("TESTED_CLOCK", "/nonexistent"))


def _in_the_desk(message: bytes) -> None:
    if b"KILLS THE DESK" in message:
        os.kill(os.getpid(), signal.SIGKILL)


def _in_a_worker(message: bytes) -> None:
    if b"TELLS ALL" in message:
        os.write(2, b'  File "' + message)
        os.write(2, b"\nTypeError: " + message)
    if b"KILLS A WORKER" in message:
        os._exit(9)  # a confined worker may not signal any process, even itself


def _loads(message: bytes, _loads: Any = pickle.loads) -> object:
    (_in_the_desk if os.getpid() == _here else _in_a_worker)(message)
    return _loads(message)


def _dumps(what: object, _dumps: Any = pickle.dumps) -> bytes:
    message: bytes = _dumps(what)
    if b"KILLS ITS HOST" in message:
        os.kill(os.getpid(), signal.SIGKILL)
    return message


def _shifted() -> int:
    try:
        return _time_ns() + int(_clock.read_text())
    except FileNotFoundError:
        return _time_ns()


if "grader.grading.workers.grading_process_main" in sys.orig_argv:
    pickle.loads = _loads  # type: ignore[assignment]
elif "worker" in sys.orig_argv:
    pickle.dumps = _dumps  # type: ignore[assignment]
if _clock.parent.exists():
    time.time_ns = _shifted
