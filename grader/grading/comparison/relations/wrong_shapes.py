"""Results with the right numbers in an array of another shape."""

import numpy as np

from grader.grading.comparison.relations.order import scrambled, transposed
from grader.grading.comparison.relations.pair import Pair, Relation, is_varied


def reshaped(pair: Pair) -> Relation | None:  # noqa: PLR0911  each relation returns
    """Return how an array of another shape holds what is expected."""
    expected, got = pair.expected, pair.got
    if not is_varied(expected):
        return None
    if found := transposed(pair):
        return found
    if got.ndim != expected.ndim and pair.same(got.squeeze(), expected.squeeze()):
        return Relation("axis-dropped" if got.ndim < expected.ndim else "axis-added")
    if found := _part(pair):
        return found
    if got.size != expected.size:
        return None
    if pair.same(got.ravel(), expected.ravel()):
        return Relation("reshaped")
    return scrambled(Pair(expected, np.reshape(got, expected.shape), pair.axes, pair.rtol))


def _part(pair: Pair) -> Relation | None:
    expected, got = pair.expected, pair.got
    if expected.ndim == got.ndim + 1:
        for place, name in ((0, "first"), (-1, "last")):
            if is_varied(got) and pair.same(got, expected[place]):
                return Relation("one-item", {"which": name})
    if expected.ndim == got.ndim > 0 and expected.shape[1:] == got.shape[1:]:
        shorter = min(len(expected), len(got))
        for wanted, came, end in (
            (expected[:shorter], got[:shorter], "end"),
            (expected[-shorter:], got[-shorter:], "beginning"),
        ):
            if is_varied(wanted) and pair.same(came, wanted):
                facts = {
                    "surplus": len(got) - len(expected),
                    "things": "row" if expected.ndim > 1 else "value",
                    "end": end,
                }
                return Relation("cut", facts)
    return None
