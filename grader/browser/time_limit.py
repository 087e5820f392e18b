"""An end for submissions that compute for too long in a page.

No signal interrupts Python in a browser. From Python 3.12 on, `sys.monitoring` tells of every jump
back to the head of a loop; there the time is looked at, and the submission is stopped as on its CPU
limit, with a report on its loop. While C code computes, only the page can end it, and Python too.
"""

import math
import sys
from time import monotonic
from types import CodeType
from typing import Any, Final, NoReturn

from grader.sandbox.inside.cpu_limit import CpuLimitHandler, Report
from grader.sandbox.inside.serving import FILE_NAME

_MONITORING: Any = getattr(sys, "monitoring", None)  # from Python 3.12 on
_TOOL: Final = 4  # a number that stands for no kind of tool


class TimeUpError(BaseException):
    """Raised in a submission whose time is up. It may catch it, and is stopped again."""


class TimeLimit:
    """The limit on one request to a submission: what it asked for, and what it computes."""

    def __init__(self, seconds: float) -> None:
        self.report: Report | None = None
        self._seconds = seconds
        self._deadline = math.inf
        self._is_watching = False  # not within a request to another submission
        self._handler = CpuLimitHandler(FILE_NAME, 0.0, self._stop)

    def begin(self) -> None:
        """Begin to watch the submission's loops, and its time."""
        self._deadline = monotonic() + self._seconds
        if _MONITORING is not None and _MONITORING.get_tool(_TOOL) is None:
            self._is_watching = True
            _MONITORING.use_tool_id(_TOOL, "etude")
            event = _MONITORING.events.JUMP
            _MONITORING.register_callback(_TOOL, event, self._on_jump)
            _MONITORING.set_events(_TOOL, event)

    def end(self) -> None:
        """Watch no more."""
        if self._is_watching:
            self._is_watching = False
            _MONITORING.set_events(_TOOL, 0)
            _MONITORING.free_tool_id(_TOOL)

    def _on_jump(self, code: CodeType, _from: int, _to: int) -> object:
        if code.co_filename != FILE_NAME:
            return _MONITORING.DISABLE  # at this place: it is another's
        if monotonic() > self._deadline:
            if self.report is not None:
                raise TimeUpError
            self._handler(0, sys._getframe(1))  # noqa: SLF001  as a signal handler gets it
        return None

    def _stop(self, report: Report) -> NoReturn:
        self.report = report
        raise TimeUpError
