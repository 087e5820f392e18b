"""Results with the right numbers in the wrong order or in an array of the wrong shape."""

import itertools

import numpy as np

from grader.grading.comparison.relations.pair import MATRIX, Array, Pair, Relation, is_varied

_MIN_VALUES = 4  # distinct values; with fewer, another order fits by chance
_MAX_AXES = 4  # axes of an array that is searched


def find_transpose(pair: Pair) -> Relation | None:
    """Return the relation for values with swapped axes."""
    expected, got = pair.expected, pair.got
    if (
        not MATRIX <= expected.ndim <= _MAX_AXES
        or got.ndim != expected.ndim
        or not is_varied(expected, least=_MIN_VALUES)
    ):
        return None
    if pair.agree(got, expected.swapaxes(-1, -2)):
        return Relation("transposed", {"is_matrix": expected.ndim == MATRIX})
    for order in itertools.permutations(range(expected.ndim)):
        if pair.agree(got, expected.transpose(order)):
            return Relation("axes-permuted")
    return None


def find_reorder(pair: Pair) -> Relation | None:
    """Return the relation for rows, columns or a batch in another order."""
    expected, got = pair.expected, pair.got
    if expected.ndim == 0 or not is_varied(expected, least=_MIN_VALUES):
        return None
    for axis in range(expected.ndim):
        if pair.agree(got, np.flip(expected, axis)):
            return Relation("reversed", {"axis": axis, "ndim": expected.ndim})
    for axis in range(expected.ndim):
        if expected.shape[axis] < 3:  # noqa: PLR2004  shifting two items swaps them
            continue
        rows, got_rows = np.moveaxis(expected, axis, 0), np.moveaxis(got, axis, 0)
        # Try the items one place too late, then one place too early.
        for got_part, expected_part, is_delayed in (
            (got_rows[1:], rows[:-1], True),
            (got_rows[:-1], rows[1:], False),
        ):
            if (
                is_varied(expected_part, least=_MIN_VALUES)
                and _are_distinct(expected_part)
                and pair.agree(got_part, expected_part)
            ):
                facts = {"axis": axis, "ndim": expected.ndim, "is_delayed": is_delayed}
                return Relation("off-by-one", facts)
    if expected.shape[0] < 2 or not pair.is_finite:  # noqa: PLR2004  one row has only one order
        return None
    rows, got_rows = _sort_rows(expected), _sort_rows(got)
    if _are_distinct(rows) and pair.agree(got_rows, rows):
        return Relation("rows-permuted", {"axis": 0, "ndim": expected.ndim})
    return None


def _are_distinct(items: Array) -> bool:
    """Return whether all neighbouring items differ; equal items would hide a shift."""
    flat = items.reshape(len(items), -1)
    return bool((flat[1:] != flat[:-1]).any(axis=1).all())


def _sort_rows(array: Array) -> Array:
    rows = array.reshape(len(array), -1)
    # Sorted by rounded values, so that rounding errors do not change the order.
    keys = np.round(rows / (np.abs(rows).max() or 1.0), 7)
    return rows[np.lexsort(keys.T[::-1])]


def find_reshape(pair: Pair) -> Relation | None:
    """Return the relation for values in an array of another shape."""
    expected, got = pair.expected, pair.got
    if not is_varied(expected):
        return None
    if relation := find_transpose(pair):
        return relation
    if got.ndim != expected.ndim and pair.agree(got.squeeze(), expected.squeeze()):
        return Relation("axis-dropped" if got.ndim < expected.ndim else "axis-added")
    if relation := _find_shortened(pair):
        return relation
    if pair.agree(got.ravel(), expected.ravel()):
        return Relation("reshaped")
    return None


def _find_shortened(pair: Pair) -> Relation | None:
    expected, got = pair.expected, pair.got
    if expected.ndim == got.ndim > 0 and expected.shape[1:] == got.shape[1:]:
        shorter = min(len(expected), len(got))
        for expected_part, got_part, end in (
            (expected[:shorter], got[:shorter], "end"),
            (expected[-shorter:], got[-shorter:], "beginning"),
        ):
            if is_varied(expected_part) and pair.agree(got_part, expected_part):
                facts = {
                    "surplus": len(got) - len(expected),
                    "things": "row" if expected.ndim > 1 else "value",
                    "end": end,
                }
                return Relation("cut", facts)
    return None
