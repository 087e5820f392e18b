"""A pair of an expected and a wrong array, and the relation between the two."""

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
"""The number of values above which an array is not examined, to bound the time."""

MATRIX = 2
"""The number of axes of a matrix."""

TWO = 2
"""The minimum length of an axis along which values can be normalised or swapped."""

_RTOL = {np.dtype(np.float16): 1e-2, np.dtype(np.float32): 1e-4}
_SHARPEST = 1e-7  # relative tolerance for float64 and Python's numbers
_DISTINCT = 3  # distinct values; with fewer, almost any relation holds


@dataclass(frozen=True, slots=True)
class Axis:
    """A length in the inputs: that of an axis, or the size of an array."""

    name: str  # the name of the input
    number: int | None  # -1 for the last axis; None for the size of the array
    length: int


Axes: TypeAlias = tuple[Axis, ...]
Origin: TypeAlias = tuple[str, Axes]
"""A formula for a factor, and the lengths in it."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The relation of a result to the expected one, with the facts for a sentence about it."""

    id: RelationId
    facts: Mapping[str, Any] = field(default_factory=dict)
    path: tuple[object, ...] = ()  # indices and keys that lead to the part with the relation
    origins: tuple[Origin, ...] = ()  # formulas that give the factor
    needs_origin: bool = False  # whether the relation is meaningless without a formula


@dataclass(frozen=True, slots=True)
class Pair:
    """An expected array and the submission's different one, both as float64.

    Attributes:
        axes: The lengths in the inputs.
        rtol: The relative tolerance for a relation between the two.
    """

    expected: Array
    got: Array
    axes: Axes
    rtol: float

    def agree(self, array: Array, reference: Array) -> bool:
        """Return whether two arrays agree within `rtol`, with infinities at the same places."""
        if array.shape != reference.shape or array.size == 0:
            return False
        finite = np.isfinite(reference)
        if (finite != np.isfinite(array)).any() or (array[~finite] != reference[~finite]).any():
            return False
        scale = np.abs(reference[finite]).max(initial=0.0)
        distance = np.abs(array[finite] - reference[finite])
        allowed = self.rtol * (np.abs(reference[finite]) + 1e-2 * scale)
        return bool((distance <= allowed).all())

    @property
    def is_finite(self) -> bool:
        """True if all values of both arrays are finite."""
        return bool(np.isfinite(self.expected).all() and np.isfinite(self.got).all())


def make_pair(expected: object, got: object, inputs: Mapping[str, Any]) -> Pair | None:
    """Return the pair of two values, or None if they are too large or not numeric."""
    # The size is checked before any computation, since a result may be very large.
    if max(value.size if isinstance(value, np.ndarray) else 1 for value in (expected, got)) > (
        MAX_VALUES
    ):
        return None
    numbers, got_numbers = _as_numbers(expected), _as_numbers(got)
    if numbers is None or got_numbers is None:
        return None
    if any(array.size == 0 or np.isnan(array).any() for array in (numbers, got_numbers)):
        return None
    rtol = max(_find_rtol(expected), _find_rtol(got))
    # Last axes come first, since a scale such as sqrt(d_k) usually comes from them.
    arrays = [(name, value) for name, value in inputs.items() if isinstance(value, np.ndarray)]
    axes = [Axis(name, -1, array.shape[-1]) for name, array in arrays if array.ndim]
    axes += [
        Axis(name, number, length)
        for name, array in arrays
        for number, length in enumerate(array.shape[:-1])
    ]
    axes += [Axis(name, None, array.size) for name, array in arrays if array.ndim > 1]
    return Pair(numbers, got_numbers, tuple(axis for axis in axes if axis.length), rtol)


def _as_numbers(value: object) -> Array | None:
    if isinstance(value, (bool, int, float, np.generic, np.ndarray)):
        try:
            array = np.asarray(value)
            return array.astype(np.float64) if array.dtype.kind in "biuf" else None
        except (OverflowError, ValueError, TypeError):
            return None
    return None


def _find_rtol(value: object) -> float:
    dtype = getattr(value, "dtype", None)
    return _RTOL.get(dtype, _SHARPEST) if isinstance(dtype, np.dtype) else _SHARPEST


def is_varied(array: Array, least: int = _DISTINCT) -> bool:
    """Return whether an array has enough distinct values to make a coincidence unlikely."""
    return len(distinct_values(array)) >= least


def distinct_values(array: Array) -> Array:
    """Return the distinct finite values of an array, to nine digits."""
    finite = array[np.isfinite(array)]
    scale = np.abs(finite).max(initial=0.0) or 1.0
    return np.unique(np.round(finite / scale, 9))
