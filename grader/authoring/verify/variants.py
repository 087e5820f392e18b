"""The runs of a proof, each a program with the variant of the exercise that it needs.

A variant is a changed exercise with its own digest, by which workers tell it apart: hidden tests
only, other seeds, another order, or nothing forbidden.
"""

import hashlib
import math
import random
from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto
from typing import Any

from grader.definitions.exercise import Exercise, ExerciseId, TestCase, TestId
from grader.grading.jobs import Job, JobOptions, PairedJob, find_limits
from grader.grading.results.verdict import ResourceUsage
from grader.grading.submissions.submission import Submission

_SLOWDOWN = 10  # factor above the solution's time at which a program counts as endless


class Repetition(StrEnum):
    """The extra runs of a solution, each with its phrase for a message."""

    SHUFFLED = "in another order"
    RESEEDED = "with other seeds"  # and shuffled


class RunGroup(Enum):
    """The groups of runs in a proof; a run is known by its group and a name in it."""

    SOLUTION = auto()
    STARTER = auto()
    ALSO_RIGHT = auto()
    EMPTY = auto()  # a program without content, for the cost of a worker
    ALL_VISIBLE = auto()  # the solution, after it failed, with every test visible
    STARTER_AND_SOLUTION = auto()  # in one program, after the solution failed
    MISCONCEPTION = auto()
    WITHOUT_BUDGETS = auto()  # each misconception
    WITHOUT_FORBIDDEN = auto()  # each misconception
    RESEEDED = auto()  # each misconception, in hidden tests with other seeds
    BROKEN = auto()  # each misconception that raises in every test, with every test visible
    SABOTAGED = auto()
    CONDITIONAL = auto()  # programs that are wrong under one condition
    MUTANT = auto()
    UNFAILED_TESTS = auto()  # each mutant, in the tests that nothing else failed
    REPEATED = auto()  # the solution, in another order or with other seeds
    # Of an exercise whose submissions are test suites:
    STRICT = auto()  # the solution, which must reject all wrong programs
    WITHOUT_PART = auto()  # the solution without one test or assertion
    SINGLE_PROGRAM = auto()  # the solution, on one wrong program


@dataclass(frozen=True, slots=True)
class VariantRun:
    """One run of a program: its group, its name in the group, and the job."""

    group: RunGroup
    name: str
    job: Job


def make_variant(exercise: Exercise, tag: str, **changes: Any) -> Exercise:
    """Return a variant of an exercise, without misconceptions."""
    digest = hashlib.sha256(f"{exercise.digest} {tag}".encode()).hexdigest()
    return replace(exercise, **{"misconceptions": (), **changes, "digest": digest})


def hidden_only(exercise: Exercise) -> Exercise:
    """Return the variant with hidden tests only."""
    return make_variant(
        exercise, "hidden", tests=tuple(test for test in exercise.tests if test.hidden)
    )


def all_visible(exercise: Exercise) -> Exercise:
    """Return the variant in which every test is visible and has its data."""
    tests = tuple(replace(test, hidden=False) for test in exercise.tests)
    data = {**exercise.data, **exercise.hidden_data}
    return make_variant(exercise, "opened", tests=tests, data=data)


def without_forbidden(exercise: Exercise) -> Exercise:
    """Return the variant that forbids nothing."""
    return (
        exercise if exercise.forbid is None else make_variant(exercise, "unforbidding", forbid=None)
    )


def without_budgets(exercise: Exercise) -> Exercise | None:
    """Return the variant without budgets, or None if no test has one."""
    if not any(test.budget for test in exercise.tests):
        return None
    tests = tuple(
        _change_test(test, budget=None) if test.budget else test for test in exercise.tests
    )
    return make_variant(exercise, "unbudgeted", tests=tests)


def with_changed_inputs(exercise: Exercise, ids: Collection[TestId] | None = None) -> Exercise:
    """Return the variant in which all or some tests allow changed arguments."""
    tests = tuple(
        _change_test(test, keep_inputs=False)
        if test.keep_inputs and (ids is None or test.id in ids)
        else test
        for test in exercise.tests
    )
    return make_variant(exercise, "changed inputs", tests=tests)


def _change_test(test: TestCase, **changes: Any) -> TestCase:
    return replace(test, **changes)


def repeat(exercise: Exercise, repetition: Repetition) -> Exercise:
    """Return the variant for a repetition; another id makes other seeds."""
    tests = list(exercise.tests)
    random.Random(f"{exercise.digest} {repetition}").shuffle(tests)  # noqa: S311  no secret
    changes: dict[str, Any] = {"tests": tuple(tests)}
    if repetition is Repetition.RESEEDED:
        changes["id"] = ExerciseId(f"{exercise.id} {repetition}")
    return make_variant(exercise, repetition, **changes)


def plan_run(
    group: RunGroup,
    name: str,
    exercise: Exercise,
    source: str,
    original: Exercise | None = None,
    *,
    diagnosed: bool = False,
) -> VariantRun:
    """Return the run that grades a program.

    Args:
        original: The exercise of which this one is a variant, if its tests draw the same inputs.
        diagnosed: True to diagnose mistakes, as for a learner.
    """
    variant_of = "" if original is None else original.digest
    options = JobOptions(with_feedback=diagnosed, variant_of=variant_of)
    return VariantRun(
        group, name, Job(exercise, Submission.from_program(exercise, source), options=options)
    )


def plan_with_evidence(
    group: RunGroup, name: str, exercise: Exercise, source: str, wrong_program: str | None = None
) -> VariantRun:
    """Return the run that grades a program and collects evidence about its costs and values.

    Args:
        wrong_program: Source of another program, to check that neither affects the other.
    """
    options = JobOptions(with_feedback=False, with_evidence=True)
    job = Job(exercise, Submission.from_program(exercise, source), options=options)
    if wrong_program is not None:
        other = Submission.from_program(exercise, wrong_program)
        job = PairedJob(exercise, job.submission, options=options, wrong_program=other)
    return VariantRun(group, name, job)


def plan_mutant(
    group: RunGroup,
    name: str,
    hidden: Exercise,
    source: str,
    solution: ResourceUsage | None,
    original: Exercise,
) -> VariantRun:
    """Return the run of a mutant up to its first failure, with a short limit against endless loops.

    Args:
        hidden: The variant with hidden tests only.
        solution: The resource usage of the solution.
    """
    usual = find_limits(hidden)
    used = solution.cpu_seconds if solution is not None else 0.0
    cpu_seconds = min(usual.cpu_seconds, max(1, math.ceil(_SLOWDOWN * used)))
    limits = replace(usual, cpu_seconds=cpu_seconds)
    options = JobOptions(with_feedback=False, stop_at_failure=True, variant_of=original.digest)
    return VariantRun(
        group, name, Job(hidden, Submission.from_program(hidden, source), limits, options)
    )
