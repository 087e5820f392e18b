"""What is handed to the engine and what comes back. Light to import: commands start with it."""

from dataclasses import dataclass
from typing import TypeAlias

from grader.definitions.exercise import Exercise
from grader.errors import EtudeError
from grader.grading.submission import Submission
from grader.grading.verdict import Verdict
from grader.sandbox.limits import DEFAULT_LIMITS, Limits


@dataclass(frozen=True, slots=True)
class Job:
    """One submission of one exercise."""

    exercise: Exercise
    submission: Submission
    limits: Limits = DEFAULT_LIMITS


Result: TypeAlias = Verdict | EtudeError
"""What a job came to: a verdict, or the reason why there is none."""
