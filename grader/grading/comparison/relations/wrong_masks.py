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
        return Relation(
            "mask-inverted", {"blocked": "False" if pair.boolean else "0", "is_mask": True}
        )
    return None


def mask(pair: Pair) -> Relation | None:
    """Zeros, or minus infinities, at other places than where they belong."""
    expected, got = _blocked(pair.expected), _blocked(pair.got)
    if expected is None or got is None or (expected == got).all():
        return None
    blocked = "minus infinity" if np.isneginf(pair.expected).any() else "0"
    if pair.boolean:
        blocked = "False"
    if (got == ~expected).all() and got.any() and not got.all():
        return Relation("mask-inverted", {"blocked": blocked, "is_mask": False})
    return _triangles(expected, got, blocked)


def _blocked(array: Array) -> Array | None:
    """Mark what is hidden in square matrices."""
    if array.ndim < MATRIX or array.shape[-1] != array.shape[-2] or array.shape[-1] < _SMALLEST:
        return None
    return np.asarray((array == 0) | (array == -np.inf))


def _triangles(expected: Array, got: Array, blocked: str) -> Relation | None:
    count = expected.shape[-1]
    future = np.triu(np.ones((count, count), dtype=bool), k=1)
    diagonal = np.eye(count, dtype=bool)
    for hidden, side in ((future, "above"), (future.T, "below")):
        if not (expected == hidden).all():
            continue
        if (got == hidden.T).all() or (got == (hidden.T | diagonal)).all():
            return Relation("other-triangle", {"blocked": blocked, "side": side})
        if (got == (hidden | diagonal)).all():
            return Relation("diagonal-blocked", {"blocked": blocked})
        if not got.any():
            return Relation("mask-missing", {"blocked": blocked, "side": side})
    if (expected == (future | diagonal)).all() and (got == future).all():
        return Relation("diagonal-open", {"blocked": blocked})
    return None
