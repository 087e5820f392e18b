"""Inputs as trees of arrays and numbers: what holds for each, and simpler values to try."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Path: TypeAlias = tuple[Any, ...]
"""The names, keys and numbers that lead to a value in the inputs."""

MANY: Final = 64
"""The most numbers that a small example has."""

ALL_DIFFERENT: Final = "all different"
"""A property that an example may break, unless the result says which of several numbers."""

SAME: Final = 1e-5
"""The relative deviation up to which a number is told by another one."""

_Array: TypeAlias = npt.NDArray[Any]

_SIMPLE: Final = (0, 1, 2)
_NEXT: Final = (1.0, 1.5, 2.0, 3.0, 4.0, 0.5)  # factors of a number that takes another's place


def parts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each array and each number in a value, with the path to it."""
    if isinstance(value, (np.ndarray, np.generic, int, float, complex)):
        yield path, value
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from parts(item, (*path, number))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from parts(item, (*path, key))


def arrays_in(value: Any, path: Path = ()) -> Iterator[tuple[Path, _Array]]:
    """Yield each array in a value and each list of numbers or of rows of them, with its path."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, (list, tuple)):
        if _is_numbers(value):
            yield path, np.array(value)
        else:
            for number, item in enumerate(value):
                yield from arrays_in(item, (*path, number))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from arrays_in(item, (*path, key))


def _is_numbers(value: Any) -> bool:
    if value and all(isinstance(row, list) for row in value):
        return len(set(map(len, value))) == 1 and all(map(_is_numbers, value))
    return all(isinstance(item, (int, float, complex, np.generic)) for item in value)


def keys_in(value: Any) -> Iterator[Any]:
    """Yield the keys of the mappings in a value."""
    if isinstance(value, Mapping):
        yield from value
    if isinstance(value, (list, tuple, Mapping)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from keys_in(item)


def lengths_in(value: Any) -> Iterator[int]:
    """Yield the lengths of the axes, lists and tuples in a value."""
    if isinstance(value, np.ndarray):
        yield from value.shape
    elif isinstance(value, (list, tuple)):
        yield len(value)
    if isinstance(value, (list, tuple, Mapping)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from lengths_in(item)


def near(numbers: _Array, others: _Array) -> _Array:
    """Return which numbers are, up to rounding, one of others, which are sorted."""
    if not others.size:
        return np.zeros(numbers.shape, bool)
    after = np.searchsorted(others, numbers)
    below, above = (others[np.clip(after + step, 0, others.size - 1)] for step in (-1, 0))
    return np.isclose(numbers, below, SAME, 0) | np.isclose(numbers, above, SAME, 0)


def in_common(values: Sequence[Any]) -> _Array:
    """Return the finite numbers that all values have, sorted: also as keys, not in large arrays."""
    found: _Array | None = None
    for value in values:
        small = [part for _, part in parts(value) if np.size(part) <= MANY * 4]
        numbers = np.array(sorted(filter(math.isfinite, numbers_in([small, *keys_in(value)]))))
        found = numbers if found is None else found[near(found, numbers)]
    return np.array([]) if found is None else found


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


def count_numbers(value: Any) -> int:
    """Return how many numbers are written in a value."""
    return sum(int(np.size(part)) for _, part in parts(value))


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
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts_in(key)
            yield from texts_in(item)


def properties(part: Any) -> frozenset[str]:
    """Return what holds for all numbers of a part, of all that inputs are usually meant to keep.

    An input that breaks what holds for every ordinary draw may be one that no right program has to
    take: a probability of 2, a mask that leaves a row nothing.
    """
    array = np.asarray(part)
    if array.size == 0 or array.dtype.kind not in "biuf":
        return frozenset()
    rows = array if array.ndim else array.reshape(1)
    if array.dtype.kind == "b":
        square = rows.ndim > 1 and rows.shape[-1] == rows.shape[-2]
        diagonal = np.diagonal(rows, 0, -2, -1) if square else None
        holds = {
            "each row has True": rows.any(-1).all(),
            "each row has False": not rows.all(-1).any(),
            "the diagonal is True": diagonal is not None and diagonal.all(),
            "the diagonal is False": diagonal is not None and not diagonal.any(),
        }
    else:
        finite = np.isfinite(rows)
        with np.errstate(invalid="ignore"):  # between two infinities
            holds = {
                "finite": finite.all(),
                "each row has a finite number": finite.any(-1).all(),
                "positive": (rows > 0).all(),
                "not negative": (rows >= 0).all(),
                "not positive": (rows <= 0).all(),
                "negative": (rows < 0).all(),
                "at most 1": (rows <= 1).all(),
                "less than 1": (rows < 1).all(),
                "rows have the sum 1": np.allclose(rows.sum(-1), 1),
                ALL_DIFFERENT: np.unique(array).size == array.size,
                "increasing": (np.diff(rows) > 0).all(),
                "not decreasing": (np.diff(rows) >= 0).all(),
            }
    return frozenset(
        {f"of kind {array.dtype.kind}", *(name for name, is_so in holds.items() if is_so)}
    )


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
