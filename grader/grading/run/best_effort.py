"""Optional parts of a verdict, such as sentences, the diagnosis and the example."""

import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from grader.grading.results.verdict import Verdict

Part = TypeVar("Part")

_log = logging.getLogger(__name__)


class BestEffort:
    """The optional parts of one verdict, as they are made; an error costs only the part."""

    def __init__(self) -> None:
        self.feedback_errors: list[str] = []  # causes of failed parts, for the log and a proof

    def make(self, name: str, function: Callable[[], Part], default: Part) -> Part:
        """Return the result of a function, or the default if it raises."""
        try:
            return function()
        except Exception as error:  # noqa: BLE001  no error here may cost the verdict
            place = traceback.extract_tb(error.__traceback__)[-1]
            # The message is left out: it may quote a hidden input or the submission.
            kind, file = type(error).__name__, Path(place.filename).name
            self.feedback_errors.append(f"{name}: {kind} in {file}, line {place.lineno}")
            return default

    def sentence(self, function: Callable[[], str], default: str = "") -> str:
        """Return the sentence that a function makes, or the default if it raises."""
        return self.make("sentence", function, default)


def log_feedback_errors(verdict: Verdict) -> None:
    """Log why optional parts of a verdict are missing."""
    for cause in verdict.feedback_errors:
        _log.warning("%s: a part of the feedback failed: %s", verdict.exercise, cause)
