"""Results with the right numbers in an array of another shape."""

import numpy as np

from grader.grading.comparison.relations.order import scrambled, transposed
from grader.grading.comparison.relations.pair import Pair, Relation, is_varied


def reshaped(pair: Pair) -> Relation | None:
    """Name how an array of another shape holds what is expected."""
    expected, got = pair.expected, pair.got
    if not is_varied(expected):
        return None
    return transposed(pair) or _squeezed(pair) or _part(pair) or _other_form(pair, got.size)


def _squeezed(pair: Pair) -> Relation | None:
    expected, got = pair.expected, pair.got
    if not pair.same(got.squeeze(), expected.squeeze()):
        return None
    if got.ndim < expected.ndim:
        return Relation("axis-dropped")
    return Relation("axis-added") if got.ndim > expected.ndim else None


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


def _other_form(pair: Pair, size: int) -> Relation | None:
    if size != pair.expected.size:
        return None
    if pair.same(pair.got.ravel(), pair.expected.ravel()):
        return Relation("reshaped")
    flat = np.reshape(pair.got, pair.expected.shape)
    return scrambled(Pair(pair.expected, flat, pair.axes, pair.rtol))
