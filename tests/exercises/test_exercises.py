"""Every exercise of the collection keeps its promises: solution, starter, tests and mistakes."""

import contextlib
import dataclasses
import importlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.definitions import (
    CallTest,
    Collection,
    Exercise,
    FromReference,
    LiteralValue,
    Misconception,
    OutputTest,
    default_folder,
)
from grader.grading.compare import Closeness, compare, compare_text
from grader.grading.engine import grade
from grader.grading.oracle import Oracle
from grader.grading.submission import Submission
from grader.grading.verdict import Outcome, Verdict
from grader.sandbox.process import Sandbox

_MANY_DECIMALS = 12  # more were not rounded by hand

EXERCISES = Collection.load(default_folder()).exercises
MISTAKES = [(exercise, each) for exercise in EXERCISES for each in exercise.misconceptions]
VISIBLE = [(exercise, test) for exercise in EXERCISES for test in exercise.tests if not test.hidden]
WORKED = [
    pytest.param(exercise, test, id=f"{exercise.id}-{test.id}")
    for exercise, test in VISIBLE
    if isinstance(test, CallTest) and isinstance(test.expect, LiteralValue)
    if all(definition.reference for definition in exercise.defines.values())
]
PRINTED = [
    pytest.param(exercise, test, id=f"{exercise.id}-{test.id}")
    for exercise, test in VISIBLE
    if isinstance(test, OutputTest)
    if all(definition.reference for definition in exercise.defines.values())
]

each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.id)


def graded(exercise: Exercise, source: str, sandbox: Sandbox) -> Verdict:
    submission = Submission.from_bytes(Path(exercise.path_name), source.encode())
    return grade(exercise, submission, sandbox)


@each_exercise
def test_the_solution_passes_with_full_points(exercise: Exercise, sandbox: Sandbox) -> None:
    """The model answer passes every test, in the sandbox as a learner's would."""
    verdict = graded(exercise, exercise.solution, sandbox)
    assert [test for test in verdict.tests if test.outcome is not Outcome.PASSED] == []
    assert (verdict.outcome, verdict.score) == (Outcome.PASSED, exercise.max_points)


@each_exercise
def test_the_starter_does_not_pass(exercise: Exercise, sandbox: Sandbox) -> None:
    """There is something to do; and unless it is the thing to repair, the starter runs."""
    verdict = graded(exercise, exercise.starter, sandbox)
    assert verdict.outcome is not Outcome.PASSED
    assert verdict.score < verdict.max_score
    if exercise.kind != "fix":
        assert verdict.message == ""


@each_exercise
def test_there_is_something_to_see_and_something_hidden(exercise: Exercise) -> None:
    """A learner has an example to go by, and cannot pass by printing its numbers."""
    assert {test.hidden for test in exercise.tests} == {True, False}


@pytest.mark.parametrize(
    ("exercise", "mistake"),
    [pytest.param(exercise, each, id=f"{exercise.id}-{each.id}") for exercise, each in MISTAKES],
)
def test_a_hidden_test_rejects_every_known_mistake(
    exercise: Exercise, mistake: Misconception, sandbox: Sandbox
) -> None:
    """Whoever makes it cannot pass, even knowing the visible tests by heart; and it runs."""
    verdict = graded(exercise, mistake.code, sandbox)
    assert verdict.message == ""
    assert [test.id for test in verdict.tests if test.hidden and test.outcome is not Outcome.PASSED]


@pytest.mark.parametrize(("exercise", "test"), WORKED)
def test_worked_numbers_are_the_reference_s(exercise: Exercise, test: CallTest) -> None:
    """A value that an author wrote out is what the reference gives, to the last digit written."""
    assert isinstance(test.expect, LiteralValue)
    (draw, *_) = Oracle(exercise).draws(dataclasses.replace(test, expect=FromReference()))
    limit = Closeness(test.tolerance.atol, test.tolerance.rtol) if test.tolerance else None
    assert compare(test.expect.value, draw.expected, limit) is None
    if isinstance(test.expect.value, (float, np.ndarray)):
        half_a_unit = 0.5 * 10.0 ** -_decimals(test.expect.value)
        np.testing.assert_allclose(test.expect.value, draw.expected, rtol=0, atol=half_a_unit)


def _decimals(numbers: Any) -> int:  # noqa: ANN401  a number or an array
    """Return how many decimals numbers were rounded to; full precision counts as many."""
    return next(
        (n for n in range(_MANY_DECIMALS) if np.array_equal(np.round(numbers, n), numbers)),
        _MANY_DECIMALS,
    )


@pytest.mark.parametrize(("exercise", "test"), PRINTED)
def test_printed_numbers_are_the_reference_s(exercise: Exercise, test: OutputTest) -> None:
    """What a visible test must print is what the reference, run in its place, does print."""
    (draw,) = Oracle(exercise).draws(test)
    namespace: dict[str, Any] = {}
    exec(exercise.solution, namespace)  # noqa: S102  the author's own; helpers and imports
    for name, definition in exercise.defines.items():
        module, _, attribute = str(definition.reference).partition(":")
        namespace[name] = getattr(importlib.import_module(module), attribute)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(test.run, namespace | dict(draw.inputs))  # noqa: S102  the author's own
    assert compare_text(test.stdout, printed.getvalue()) is None


def test_the_collection_is_not_empty() -> None:
    """The tests above have something to go through."""
    assert len(EXERCISES) >= 2
    assert len(MISTAKES) >= 20
    assert len(WORKED) >= 2
    assert len(PRINTED) >= 2
