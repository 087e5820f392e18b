"""Results with the right numbers in an array of another shape."""

import numpy as np

from grader.grading.comparison.relations.order import scrambled, transposed
from grader.grading.comparison.relations.pair import Array, Pair, Relation, is_varied


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
        sentence = "The values are right, but an axis of length 1 is missing (see `keepdims`)."
        return Relation("axis-dropped", sentence)
    if got.ndim > expected.ndim:
        sentence = "The values are right, but there is an axis of length 1 too many."
        return Relation("axis-added", sentence)
    return None


def _part(pair: Pair) -> Relation | None:
    expected, got = pair.expected, pair.got
    if expected.ndim == got.ndim + 1:
        for place, name in ((0, "first"), (-1, "last")):
            if is_varied(got) and pair.same(got, expected[place]):
                sentence = f"This is only the {name} item of the expected result."
                return Relation("one-item", sentence)
    if expected.ndim == got.ndim > 0 and expected.shape[1:] == got.shape[1:]:
        shorter = min(len(expected), len(got))
        for wanted, came, end in (
            (expected[:shorter], got[:shorter], "end"),
            (expected[-shorter:], got[-shorter:], "beginning"),
        ):
            if is_varied(wanted) and pair.same(came, wanted):
                return Relation("cut", _cut(expected, got, end))
    return None


def _cut(expected: Array, got: Array, end: str) -> str:
    count = abs(len(expected) - len(got))
    what = "row" if expected.ndim > 1 else "value"
    some, verb = (f"{count} {what}s", "are") if count > 1 else (f"1 {what}", "is")
    fault = "missing" if len(got) < len(expected) else "too many"
    return f"{some} {verb} {fault} at the {end}; the rest is right."


def _other_form(pair: Pair, size: int) -> Relation | None:
    if size != pair.expected.size:
        return None
    if pair.same(pair.got.ravel(), pair.expected.ravel()):
        sentence = "The values are right and in the right order; only the shape is not."
        return Relation("reshaped", sentence)
    flat = np.reshape(pair.got, pair.expected.shape)
    return scrambled(Pair(pair.expected, flat, pair.axes, pair.rtol))
