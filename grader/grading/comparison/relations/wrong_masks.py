"""Results in which a mask hides the wrong places."""

import numpy as np

from grader.grading.comparison.relations.pair import MATRIX, Array, Pair, Relation

_SMALLEST = 3  # positions: the triangles of fewer hold one entry each


def polarity(pair: Pair) -> Relation | None:
    """A mask of zeros and ones (or False and True) with the two swapped."""
    expected, got = pair.expected, pair.got
    if not all(set(np.unique(each)) == {0.0, 1.0} for each in (expected, got)):
        return None
    if expected.size >= _SMALLEST and (got == 1 - expected).all():
        values = "False and True" if pair.boolean else "0 and 1"
        sentence = f"{values} are swapped everywhere. Is the mask the other way round?"
        return Relation("mask-inverted", sentence)
    return None


def mask(pair: Pair) -> Relation | None:
    """Zeros, or minus infinities, at other places than where they belong."""
    expected, got = _blocked(pair.expected), _blocked(pair.got)
    if expected is None or got is None or (expected == got).all():
        return None
    nothing = _what(pair)
    if (got == ~expected).all() and got.any() and not got.all():
        sentence = f"Your values are {nothing} where they should not be, and the other way round."
        return Relation("mask-inverted", sentence)
    return _triangles(expected, got, nothing)


def _blocked(array: Array) -> Array | None:
    """Mark what is hidden in square matrices."""
    if array.ndim < MATRIX or array.shape[-1] != array.shape[-2] or array.shape[-1] < _SMALLEST:
        return None
    return np.asarray((array == 0) | (array == -np.inf))


def _what(pair: Pair) -> str:
    if pair.boolean:
        return "False"
    return "minus infinity" if np.isneginf(pair.expected).any() else "0"


def _triangles(expected: Array, got: Array, nothing: str) -> Relation | None:
    count = expected.shape[-1]
    future = np.triu(np.ones((count, count), dtype=bool), k=1)
    diagonal = np.eye(count, dtype=bool)
    for hidden, side, other in ((future, "above", "below"), (future.T, "below", "above")):
        if not (expected == hidden).all():
            continue
        if (got == hidden.T).all() or (got == (hidden.T | diagonal)).all():
            sentence = f"Your values are {nothing} {other} the diagonal; they should be {side} it."
            return Relation("other-triangle", sentence)
        if (got == (hidden | diagonal)).all():
            sentence = f"Your values are {nothing} on the diagonal too; it should stay open."
            return Relation("diagonal-blocked", sentence)
        if not got.any():
            place = side.capitalize()
            sentence = f"{place} the diagonal {nothing} is expected, but your values are others."
            return Relation("mask-missing", sentence)
    if (expected == (future | diagonal)).all() and (got == future).all():
        sentence = f"On the diagonal {nothing} is expected, but your values are others."
        return Relation("diagonal-open", sentence)
    return None
