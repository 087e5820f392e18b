"""Adds to a visible test's sentence how the values that came are related to the expected ones."""

from dataclasses import replace

from grader.definitions.exercise import TestCase
from grader.grading.comparison.ladder import Difference, Rung
from grader.grading.expected.oracle import Draw, Oracle

# An infinity in the wrong place may be that of a mask.
_RELATED = (Rung.SHAPE, Rung.NOT_FINITE, Rung.VALUES)


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
        from grader.grading.comparison.relations import relation  # noqa: PLC0415  a pass needs none of it

        found = relation(oracle.exact(test, draw), got, draw.inputs)
    except Exception:  # noqa: BLE001  an addition must not cost a submission its verdict
        return difference
    if found is None:
        return difference
    return replace(difference, sentence=f"{difference.sentence} {found.sentence}")
