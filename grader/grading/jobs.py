"""Jobs, their options and their limits.

This module imports little, since every command that grades imports it at its start.
"""

from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError, EtudeError, Problem
from grader.grading.results.verdict import Verdict
from grader.grading.submissions.submission import Submission
from grader.sandbox.limits import DEFAULT_LIMITS, HIGHEST_LIMITS, Limits


@dataclass(frozen=True, slots=True)
class JobOptions:
    """The content of a verdict, and the work that may be left out, as in a proof.

    Attributes:
        with_feedback: Show the values behind failures and explain them. A proof does without.
        stop_at_failure: Stop at the first test that does not pass; later tests have no result.
        with_evidence: The verdict carries `Evidence`.
        variant_of: The digest of the exercise of which the job's is a variant. Tests of the same id
            ask the same in both, so inputs and expected values are computed once.
        with_shapes: The verdict carries `shapes` and is otherwise the same.
    """

    with_feedback: bool = True
    stop_at_failure: bool = False
    with_evidence: bool = False
    variant_of: str = ""
    with_shapes: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One submission to be graded, under the limits of its exercise or other ones."""

    exercise: Exercise
    submission: Submission
    limits_override: Limits | None = None
    options: JobOptions = JobOptions()
    # Tells the sender which job a result is of. Workers do not get it.
    tag: Any = field(default=None, compare=False, repr=False)

    @property
    def limits(self) -> Limits:
        """The limits of the submission.

        Raises:
            DefinitionError: The exercise asks for more than the site allows.
        """
        return self.limits_override or find_limits(self.exercise)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedJob(Job):
    """A job graded twice, each time after a wrong program; its evidence has the changed tests."""

    wrong_program: Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakingJob(Job):
    """A job without tests that judges whether a learner's call shows the submission to be wrong.

    If so, the call is the verdict's example; otherwise the verdict's message says why not.
    """

    call: str  # an empty string searches for a small call


def find_limits(exercise: Exercise) -> Limits:
    """Return the default limits with the exercise's own limits in place.

    Raises:
        DefinitionError: A limit of the exercise is higher than the site allows, or not positive.
    """
    limits = exercise.limits
    usual = DEFAULT_LIMITS
    if exercise.asks_for_suite:  # because a suite runs on about thirty programs
        usual = replace(usual, wall_seconds=HIGHEST_LIMITS.wall_seconds)
    if limits is None:
        return usual
    changes: dict[str, Any] = {
        "cpu_seconds": limits.cpu_seconds,
        "wall_seconds": limits.wall_seconds,
        "address_space": limits.memory_mib and limits.memory_mib << 20,
        "output": limits.output_kib and limits.output_kib << 10,
    }
    problems = [
        Problem(
            limits.where,
            f"limits: {name} may be at most {getattr(HIGHEST_LIMITS, name):,}, found {value:,}",
        )
        for name, value in changes.items()
        if value is not None and not 0 < value <= getattr(HIGHEST_LIMITS, name)
    ]
    if problems:
        raise DefinitionError(problems)
    return replace(usual, **{k: v for k, v in changes.items() if v is not None})


Result: TypeAlias = Verdict | EtudeError
"""The verdict on a job, or the reason why there is none."""
