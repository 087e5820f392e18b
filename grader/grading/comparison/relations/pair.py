"""An expected array beside a wrong one, and the tests of how the two are related."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
RelationId: TypeAlias = Literal[
    "axes-permuted", "axis-added", "axis-dropped", "constant-factor", "cut", "items-swapped",
    "not-normalised", "off-by-one", "other-axis", "reduced-axis", "reshaped", "reversed",
    "rounded", "row-sums", "rows-permuted", "scores-scaled", "sign-flipped", "softmax-missing",
    "subtraction-missing", "transposed",
]  # fmt: skip

MAX_VALUES = 10_000
"""The most values of an array that is looked at."""

MATRIX = 2
"""Axes; what has fewer has no rows."""

TWO = 2
"""The least length of an axis along which something can be shared or swapped."""

_RTOL = {np.dtype(np.float16): 1e-2, np.dtype(np.float32): 1e-4}
_SHARPEST = 1e-7
_DISTINCT = 3  # with fewer different values almost any relation holds


@dataclass(frozen=True, slots=True)
class Axis:
    """A length in the inputs: of an axis, or of all values of an array."""

    name: str  # the name of the input
    number: int | None  # -1 for the last axis; None for all values
    length: int


Axes: TypeAlias = tuple[Axis, ...]
Origin: TypeAlias = tuple[str, Axes]
"""A formula that gives a factor, and the lengths in it."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The relation of a result to the expected one, with the facts for a sentence about it."""

    id: RelationId
    facts: Mapping[str, Any] = field(default_factory=dict)
    path: tuple[object, ...] = ()  # the items and keys that lead to the part that is related
    origins: tuple[Origin, ...] = ()  # formulas that give the factor, if there is one
    needs_origin: bool = False  # without a formula it says nothing


@dataclass(frozen=True, slots=True)
class Pair:
    """An expected array and the one that came, as float64, at least one value of them different.

    `axes` are the lengths of the inputs' axes.
    """

    expected: Array
    got: Array
    axes: Axes
    rtol: float

    def agree(self, one: Array, other: Array) -> bool:
        """Return whether two arrays agree tightly, infinities by place."""
        if one.shape != other.shape or one.size == 0:
            return False
        finite = np.isfinite(other)
        if (finite != np.isfinite(one)).any() or (one[~finite] != other[~finite]).any():
            return False
        scale = np.abs(other[finite]).max(initial=0.0)
        distance = np.abs(one[finite] - other[finite])
        allowed = self.rtol * (np.abs(other[finite]) + 1e-2 * scale)
        return bool((distance <= allowed).all())

    @property
    def is_finite(self) -> bool:
        """True if arithmetic on all values makes sense."""
        return bool(np.isfinite(self.expected).all() and np.isfinite(self.got).all())


def make_pair(expected: object, got: object, inputs: Mapping[str, Any]) -> Pair | None:
    """Return the pair of two values, or None if no relation could be about them."""
    # Before anything is computed: a result may be as large as memory.
    if max(value.size if isinstance(value, np.ndarray) else 1 for value in (expected, got)) > (
        MAX_VALUES
    ):
        return None
    one, other = _numbers(expected), _numbers(got)
    if one is None or other is None:
        return None
    if 0 in (one.size, other.size) or np.isnan(one).any() or np.isnan(other).any():
        return None
    rtol = max(_rtol(expected), _rtol(got))
    # The lengths of the inputs' axes: last axes first, for they are what is scaled by.
    arrays = [(name, value) for name, value in inputs.items() if isinstance(value, np.ndarray)]
    axes = [Axis(name, -1, array.shape[-1]) for name, array in arrays if array.ndim]
    axes += [
        Axis(name, number, length)
        for name, array in arrays
        for number, length in enumerate(array.shape[:-1])
    ]
    axes += [Axis(name, None, array.size) for name, array in arrays if array.ndim > 1]
    return Pair(one, other, tuple(axis for axis in axes if axis.length), rtol)


def _numbers(value: object) -> Array | None:
    if isinstance(value, (bool, int, float, np.generic, np.ndarray)):
        try:
            array = np.asarray(value)
            return array.astype(np.float64) if array.dtype.kind in "biuf" else None
        except (OverflowError, ValueError, TypeError):
            return None
    return None


def _rtol(value: object) -> float:
    dtype = getattr(value, "dtype", None)
    return _RTOL.get(dtype, _SHARPEST) if isinstance(dtype, np.dtype) else _SHARPEST


def is_varied(array: Array, least: int = _DISTINCT) -> bool:
    """Return whether an array has enough different values for a relation to mean something."""
    return len(distinct_values(array)) >= least


def distinct_values(array: Array) -> Array:
    """Return an array's different finite values, to nine digits."""
    finite = array[np.isfinite(array)]
    scale = np.abs(finite).max(initial=0.0) or 1.0
    return np.unique(np.round(finite / scale, 9))
