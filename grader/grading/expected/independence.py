"""Checks for a proof: results and inputs that differ when they are computed again."""

from typing import Any

import numpy as np

from grader.definitions.exercise import Seeded, TestId, Tolerance
from grader.grading.comparison.ladder import compare
from grader.grading.expected.inputs import draw_inputs
from grader.grading.expected.oracle import Oracle
from grader.grading.program.author_code import NotCopyableError, fresh
from grader.grading.results.verdict import Outcome, Verdict

_EXACT = Tolerance(0.0, 0.0)
_BY_CHANCE = (Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY, Outcome.NOT_RUN)  # on a busy machine


def ended_otherwise(first: Verdict, again: Verdict) -> tuple[TestId, ...]:
    """Return the tests whose outcome or points differ between two runs of one program."""
    before = {test.id: (test.outcome, test.points) for test in first.tests}
    after = {test.id: (test.outcome, test.points) for test in again.tests}
    return tuple(
        name
        for name in before
        if name in after
        and before[name] != after[name]
        and not {before[name][0], after[name][0]}.intersection(_BY_CHANCE)
    )


def drawn_otherwise(oracle: Oracle) -> tuple[TestId, ...]:
    """Return the tests whose `given` makes other inputs when it runs again.

    Functions and other values that cannot be copied are not compared.
    """
    changed = []
    for test in oracle.exercise.tests:
        if not isinstance(test.given, Seeded):
            continue
        for number, draw in enumerate(oracle.draws(test)):
            again = draw_inputs(oracle.exercise, test, number)
            if draw.inputs.keys() != again.keys() or any(
                _is_other(value, again[name]) for name, value in draw.inputs.items()
            ):
                changed.append(test.id)
                break
    return tuple(changed)


def _is_other(one: Any, other: Any) -> bool:  # noqa: ANN401  any values
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.shape != other.shape:
            return True
        one, other = _without_repetition(one), _without_repetition(other)
    try:
        return compare(fresh(one), fresh(other), _EXACT) is not None
    except NotCopyableError:
        return False


def _without_repetition(array: Any) -> Any:  # noqa: ANN401  arrays
    """Return an array without repeated axes: a broadcast array may be too large to compare."""
    return array[tuple(slice(None if stride else 1) for stride in array.strides)]
