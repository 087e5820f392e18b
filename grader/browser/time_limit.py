"""Stops submissions that compute for too long in a page.

A browser has no signals that could interrupt Python. From Python 3.12 on, `sys.monitoring` reports
every jump back to the head of a loop. There the time is checked, and the submission is stopped as
at its CPU limit, with a report on its loop. While C code computes, only the page can stop it, by
ending Python itself.
"""

import math
import sys
from time import monotonic
from types import CodeType
from typing import Any, Final, NoReturn

from grader.sandbox.in_child.cpu_limit import CpuLimitHandler, Report
from grader.sandbox.in_child.operations import FILE_NAME

_MONITORING: Any = getattr(sys, "monitoring", None)  # exists from Python 3.12 on
# An id that `sys.monitoring` does not reserve for a kind of tool such as a debugger.
_TOOL: Final = 4


class TimeUpError(BaseException):
    """Raised in a submission whose time is up, and again at its next loop if it catches it."""


class TimeLimit:
    """The limit on the time of each request to one submission."""

    def __init__(self, seconds: float) -> None:
        self.report: Report | None = None
        self._seconds = seconds
        self._deadline = math.inf
        self._is_watching = False  # stays False in a request within another submission's request
        self._handler = CpuLimitHandler(FILE_NAME, 0.0, self._stop)

    def begin(self) -> None:
        """Start the clock, and watch the submission's loops."""
        self._deadline = monotonic() + self._seconds
        if _MONITORING is not None and _MONITORING.get_tool(_TOOL) is None:
            self._is_watching = True
            _MONITORING.use_tool_id(_TOOL, "etude")
            event = _MONITORING.events.JUMP
            _MONITORING.register_callback(_TOOL, event, self._on_jump)
            _MONITORING.set_events(_TOOL, event)

    def end(self) -> None:
        """Stop watching."""
        if self._is_watching:
            self._is_watching = False
            _MONITORING.set_events(_TOOL, 0)
            _MONITORING.free_tool_id(_TOOL)

    def _on_jump(self, code: CodeType, _from: int, _to: int) -> object:
        if code.co_filename != FILE_NAME:
            return _MONITORING.DISABLE  # no more events from this jump: it is not the submission's
        if monotonic() > self._deadline:
            if self.report is not None:
                raise TimeUpError
            self._handler(0, sys._getframe(1))  # noqa: SLF001  the frame that a signal would pass
        return None

    def _stop(self, report: Report) -> NoReturn:
        self.report = report
        raise TimeUpError
