"""Parts of a verdict that are made if nothing goes wrong: sentences, diagnosis, example."""

import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from grader.grading.results.verdict import Verdict

Part = TypeVar("Part")

_log = logging.getLogger(__name__)


class BestEffort:
    """Makes the optional parts of one verdict; an error leaves a part out, never the verdict."""

    def __init__(self) -> None:
        self.failures: list[str] = []  # causes, for the log and a proof

    def make(self, name: str, function: Callable[[], Part], default: Part) -> Part:
        """Return what a function returns, or the default if it raises."""
        try:
            return function()
        except Exception as error:  # noqa: BLE001  whatever it is, the verdict goes out
            place = traceback.extract_tb(error.__traceback__)[-1]
            # Without the message, which may quote a hidden input or the submission.
            kind, file = type(error).__name__, Path(place.filename).name
            self.failures.append(f"{name}: {kind} in {file}, line {place.lineno}")
            return default


def log_failures(verdict: Verdict) -> None:
    """Log the causes of the parts that a verdict lacks."""
    for cause in verdict.failures:
        _log.warning("%s: a part of the feedback failed: %s", verdict.exercise, cause)
