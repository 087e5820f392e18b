"""Results of two programs: the same, or different?"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

RTOL, ATOL = 1e-6, 1e-9
"""The tolerance of ready tests."""

_CLEAR = 20
"""Programs differ where their results are this many tolerances apart: not by rounding."""


def differ(one: Any, other: Any) -> bool:  # noqa: ANN401, PLR0911  any results, a case for each type
    """Return whether two results are clearly different."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
            return not (np.ndim(one) == np.ndim(other) == 0) or differ_in_value(one, other)
        if one.shape != other.shape or one.dtype != other.dtype:
            return True
        return differ_in_value(one, other)
    if isinstance(one, bool | np.bool_) != isinstance(other, bool | np.bool_):
        return True
    if isinstance(one, int | float | complex | np.generic):
        if not isinstance(other, int | float | complex | np.generic):
            return True
        return differ_in_value(one, other)
    if type(one).__name__ != type(other).__name__:
        return True
    return _items_differ(one, other)


def _items_differ(one: Any, other: Any) -> bool:  # noqa: ANN401  results of one type
    """Return whether containers, or other results that are no numbers, differ."""
    if isinstance(one, Mapping):
        return one.keys() != other.keys() or any(
            differ(item, other[key]) for key, item in one.items()
        )
    if isinstance(one, Sequence) and not isinstance(one, str | bytes):
        return len(one) != len(other) or any(map(differ, one, other))
    if one is None or isinstance(one, str | bytes | set | frozenset):
        return bool(one != other)
    return hasattr(one, "__dict__") and differ(vars(one), vars(other))


def differ_in_value(one: Any, other: Any) -> bool:  # noqa: ANN401  arrays or numbers
    """Return whether numbers differ by more than rounding."""
    first, second = np.asarray(one), np.asarray(other)
    if "O" in first.dtype.kind + second.dtype.kind or not {first.dtype.kind, second.dtype.kind} <= {
        *"biufc"
    }:
        return repr(one) != repr(other)
    if first.dtype.kind in "bui" and second.dtype.kind in "bui":
        return not np.array_equal(first, second)
    if (first.dtype, first.shape) == (second.dtype, second.shape) and (
        first.tobytes() == second.tobytes()
    ):
        return False  # the usual case, and ten times quicker
    is_single = min(first.dtype.itemsize, second.dtype.itemsize) <= np.dtype("f4").itemsize
    rtol = 1e-4 if is_single else _CLEAR * RTOL
    with np.errstate(all="ignore"):
        close = np.isclose(first, second, rtol=rtol, atol=_CLEAR * ATOL, equal_nan=True)
    return not bool(np.all(close))


def is_finite(value: Any) -> bool:  # noqa: ANN401  any result
    """Return whether no number in a result is NaN or infinite."""
    if isinstance(value, np.ndarray | np.generic | float | complex):
        array = np.asarray(value)
        return array.dtype.kind not in "fc" or bool(np.all(np.isfinite(array)))
    if isinstance(value, Mapping):
        return all(map(is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(is_finite, value))
    return True
