"""Adds to a visible test's sentence how the values that came are related to the expected ones."""

from dataclasses import replace
from typing import Any

from grader.definitions.exercise import CallTest, FromReference, LiteralValue, TestCase
from grader.grading.authored import names_in
from grader.grading.compare import Difference, Rung
from grader.grading.oracle import Draw, Oracle

_RELATED = (Rung.SHAPE, Rung.VALUES)


def explained(
    oracle: Oracle, test: TestCase, difference: Difference, draw: Draw, got: object
) -> Difference:
    """Name the relation of a result to what was expected, if there is one.

    Never of a hidden test, whose sentence is a fixed one, nor of a prediction, whose answer it
    would give away.
    """
    if test.hidden or oracle.exercise.kind == "predict" or difference.rung not in _RELATED:
        return difference
    try:
        from grader.grading.relations import relation  # noqa: PLC0415  a pass needs none of it

        found = relation(_exact(oracle, test, draw), got, draw.inputs)
    except Exception:  # noqa: BLE001  an addition must not cost a submission its verdict
        return difference
    if found is None:
        return difference
    return replace(difference, sentence=f"{difference.sentence} {found.sentence}")


def _exact(oracle: Oracle, test: TestCase, draw: Draw) -> Any:  # noqa: ANN401  any value
    """Return the expected value with all its digits: authors write four, relations need more."""
    if not isinstance(test, CallTest) or not isinstance(test.expect, LiteralValue):
        return draw.expected
    defined = oracle.exercise.defines
    used = names_in(test.call) & defined.keys()
    if test.seeds > 1 or not used or not all(defined[name].reference for name in used):
        return draw.expected
    asked = replace(test, expect=FromReference())
    return Oracle(oracle.exercise).draws(asked)[0].expected
