"""Inputs as trees of arrays and numbers, and simpler values to try."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.grading.diagnosis.input_properties import Path, parts, walk

MOST_NUMBERS: Final = 64
"""The most numbers that a small example has."""

SAME: Final = 1e-5
"""The relative deviation up to which a number is told by another one."""

_Array: TypeAlias = npt.NDArray[Any]

_SIMPLE: Final = (0, 1, 2)
_NEXT: Final = (1.0, 1.5, 2.0, 3.0, 4.0, 0.5)  # factors of a number that takes another's place


def arrays_in(value: Any) -> Iterator[tuple[Path, _Array]]:
    """Yield each array in a value and each list of numbers or of rows of them, with its path."""
    for path, part in walk(value, is_whole=_is_numbers):
        if isinstance(part, np.ndarray) or _is_numbers(part):
            yield path, np.asarray(part)


def _is_numbers(value: Any) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    if value and all(isinstance(row, list) for row in value):
        return len(set(map(len, value))) == 1 and all(map(_is_numbers, value))
    return all(isinstance(item, (int, float, complex, np.generic)) for item in value)


def keys_in(value: Any) -> Iterator[Any]:
    """Yield the keys of the mappings in a value."""
    for _, part in walk(value):
        if isinstance(part, Mapping):
            yield from part


def lengths_in(value: Any) -> Iterator[int]:
    """Yield the lengths of the axes, lists and tuples in a value."""
    for _, part in walk(value):
        if isinstance(part, (np.ndarray, list, tuple)):
            yield from np.shape(part) if isinstance(part, np.ndarray) else (len(part),)


def near(numbers: _Array, others: _Array) -> _Array:
    """Return which numbers are, up to rounding, one of others, which are sorted."""
    if not others.size:
        return np.zeros(numbers.shape, bool)
    after = np.searchsorted(others, numbers)
    below, above = (others[np.clip(after + step, 0, others.size - 1)] for step in (-1, 0))
    return np.isclose(numbers, below, SAME, 0) | np.isclose(numbers, above, SAME, 0)


def in_common(values: Sequence[Any]) -> _Array:
    """Return the finite numbers that all values have, sorted: also as keys, not in large arrays."""
    common: _Array | None = None
    for value in values:
        small = [part for _, part in parts(value) if np.size(part) <= MOST_NUMBERS * 4]
        numbers = np.array(sorted(filter(math.isfinite, numbers_in([small, *keys_in(value)]))))
        common = numbers if common is None else common[near(common, numbers)]
    return np.array([]) if common is None else common


def standard_forms(part: Any) -> Iterator[Any]:
    """Yield arrays that are no one's: zeros, ones, 0, 1, 2, ... in the form of a part."""
    count = 2 if np.asarray(part).dtype.kind == "b" else 5
    return itertools.islice(simpler(part, in_order=True), count)


def replaced(value: Any, path: Path, part: Any) -> Any:
    """Return a copy of a value with another part at the end of a path."""
    if not path:
        return part
    key, *rest = path
    if isinstance(value, Mapping):
        return {**value, key: replaced(value[key], tuple(rest), part)}
    items = list(value)
    items[key] = replaced(items[key], tuple(rest), part)
    return type(value)(items)


def exchanged(part: Any, number: float, other: float) -> Any:
    """Return a part with one number in place of another, wherever that stands."""
    if isinstance(part, np.ndarray):
        return np.where(part == number, other, part).astype(part.dtype)
    return type(part)(other)


def moved(part: Any, number: float, other: float) -> Any:
    """Return a part in which what is near a number lies as far from another one."""
    if isinstance(part, np.ndarray):
        is_near = np.abs(part - number) <= abs(number) / 2
        return np.where(is_near, part + (other - number), part).astype(part.dtype)
    return type(part)(other)


def numbers_in(value: Any) -> frozenset[float]:
    """Return the different numbers in a value: of complex ones the parts, and no booleans."""
    arrays = [np.asarray(part) for _, part in parts(value)]
    arrays += [each.imag for each in arrays if each.dtype.kind == "c"]
    # An integer that is too large for NumPy is an object to it.
    real = [each.real.astype(np.float64).ravel() for each in arrays if each.dtype.kind in "iufcO"]
    return (
        frozenset(float(each) for each in np.unique(np.concatenate(real))) if real else frozenset()
    )


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in a value, also those that are keys."""
    for _, part in walk([value, *keys_in(value)]):
        if isinstance(part, str):
            yield part


def simpler(part: Any, *, in_order: bool) -> Iterator[Any]:
    """Yield simpler values for a whole part, the simplest first.

    Args:
        part: An array or a number.
        in_order: Whether different numbers say more than equal ones: 0, 1, 2, ... come first.
    """
    if isinstance(part, bool):
        yield False
    elif isinstance(part, (int, float, np.integer)):
        yield from map(type(part), _SIMPLE)
        if isinstance(part, float) and math.isfinite(part):
            yield from (0.5, round(part), round(part, 1), *itertools.islice(alike(part), 2))
    elif isinstance(part, np.ndarray) and part.size and part.dtype.kind in "biuf":
        yield from (each.astype(part.dtype) for each in _simpler_arrays(part, in_order=in_order))


def _simpler_arrays(part: _Array, *, in_order: bool) -> Iterator[_Array]:
    rising = np.arange(part.size).reshape(part.shape)
    if part.dtype.kind == "b":
        yield from (np.zeros_like(part), np.ones_like(part))
        return
    if in_order:
        yield from (rising, rising + 1)
    yield from (np.zeros_like(part), np.ones_like(part))
    if part.ndim == 2:  # noqa: PLR2004  a matrix
        yield np.eye(*part.shape)
    yield from (rising, rising + 1)
    if part.dtype.kind != "f":
        yield from (np.minimum(part, 1), np.minimum(part, 2))
        return
    for digits in (0.5, 1.0, 10.0, 100.0):
        yield np.round(part * digits * 2) / (digits * 2) + 0.0  # no minus zero


def alike(number: float) -> Iterator[float]:
    """Yield numbers near another one, of one or two digits and its sign."""
    if number == 0 or not math.isfinite(number):
        return
    for factor in _NEXT:
        for digits in ("%.0e", "%.1e"):
            yield float(digits % (number * factor))
