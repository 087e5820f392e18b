"""Results that are a sum, a mean or another reduction of an input along another axis."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from grader.grading.comparison.relations.pair import (
    MATRIX,
    MAX_VALUES,
    Array,
    Pair,
    Relation,
    is_varied,
)

_REDUCTIONS: Final[Mapping[str, Callable[..., Array]]] = {
    "sum": np.sum,
    "mean": np.mean,
    "largest value": np.max,
    "smallest value": np.min,
}
_MAX_AXES = 4  # axes of an input whose reductions are tried


def find_reduction(pair: Pair, inputs: Mapping[str, Any]) -> Relation | None:
    """Return the relation for two reductions of one input along different axes."""
    if not is_varied(pair.expected) or not is_varied(pair.got):
        return None
    for name, value in inputs.items():
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
            continue
        if not MATRIX <= value.ndim <= _MAX_AXES or value.size > MAX_VALUES:
            continue
        choices = [
            axes
            for count in range(1, value.ndim)
            for axes in itertools.combinations(range(value.ndim), count)
        ]
        for what, reduce in _REDUCTIONS.items():
            along = {axes: reduce(value, axis=axes) for axes in choices}
            right_axes = [axes for axes, one in along.items() if _agree(pair, pair.expected, one)]
            taken = [axes for axes, one in along.items() if _agree(pair, pair.got, one)]
            if right_axes and len(taken) == 1 and taken[0] not in right_axes:
                return Relation("reduced-axis", {"what": what, "name": name, "axes": taken[0]})
    return None


def _agree(pair: Pair, one: Array, other: Array) -> bool:
    """Return whether two arrays agree, ignoring axes of length 1 that were kept."""
    return one.size == other.size and pair.agree(one.reshape(other.shape), other)
