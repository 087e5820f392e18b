"""The raw result of a submission in a test, for the diagnosis, never for a report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.grading.comparison.ladder import Rung


@dataclass(frozen=True, slots=True)
class RawResult:
    """The draw that decided how a test ended, with the submission's value.

    Plain data of the trusted process. Of a hidden test nothing in here may be shown.
    """

    draw: int  # from 0: the first that did not pass, else the last
    got: Any  # a value, what was printed, a `Raised`, or None where nothing came back
    expected: Any  # what the test compares with; None where it compares with nothing
    inputs: Mapping[str, Any] = field(default_factory=dict)
    rung: Rung | None = None  # on which the two differ
    worst: tuple[int, ...] | None = None  # where the values of two arrays differ most
