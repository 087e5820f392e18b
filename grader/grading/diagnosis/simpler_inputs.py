"""Simpler values, and other values, to try in place of an array or a number."""

import itertools
import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from grader.grading.diagnosis.input_values import Array

MAX_NUMBERS: Final = 64
"""The maximum number of numbers in a small example."""

_SIMPLE: Final = (0, 1, 2)  # numbers that are tried first in place of any number
_NEXT: Final = (1.0, 1.5, 2.0, 3.0, 4.0, 0.5)  # factors from a number to its replacements


def simpler_values(part: Any, *, in_order: bool) -> Iterator[Any]:
    """Yield simpler values for a whole part, the simplest first.

    Args:
        in_order: Whether to yield 0, 1, 2, ... before equal numbers, which show less.
    """
    if isinstance(part, bool):
        yield False
    elif isinstance(part, (int, float, np.integer)):
        yield from map(type(part), _SIMPLE)
        if isinstance(part, float) and math.isfinite(part):
            yield from (0.5, round(part), round(part, 1), *itertools.islice(numbers_near(part), 2))
    elif isinstance(part, np.ndarray) and part.size and part.dtype.kind in "biuf":
        yield from (array.astype(part.dtype) for array in _simpler_arrays(part, in_order=in_order))


def _simpler_arrays(part: Array, *, in_order: bool) -> Iterator[Array]:
    zeros, ones = np.zeros_like(part), np.ones_like(part)
    if part.dtype.kind == "b":
        yield from (zeros, ones)
        return
    rising = np.arange(part.size).reshape(part.shape)
    yield from (rising, rising + 1, zeros, ones) if in_order else (zeros, ones)
    if part.ndim == 2:  # noqa: PLR2004  a matrix
        yield np.eye(*part.shape)
    yield from (rising, rising + 1)
    if part.dtype.kind != "f":
        yield from (np.minimum(part, 1), np.minimum(part, 2))
        return
    for digits in (0.5, 1.0, 10.0, 100.0):
        yield np.round(part * digits * 2) / (digits * 2) + 0.0  # turns -0.0 into 0.0


def numbers_near(number: float) -> Iterator[float]:
    """Yield numbers with one or two digits near a number, with the same sign."""
    if number == 0 or not math.isfinite(number):
        return
    for factor in _NEXT:
        for digits in ("%.0e", "%.1e"):
            yield float(digits % (number * factor))


def standard_forms(part: Any) -> Iterator[Any]:
    """Yield arrays of standard values, such as zeros or 0, 1, 2, ..., in the form of a part."""
    count = 2 if np.asarray(part).dtype.kind == "b" else 5
    return itertools.islice(simpler_values(part, in_order=True), count)


def other_arrays(array: Array) -> Iterator[Array]:
    """Yield arrays with the form of an array and independent values."""
    yield from standard_forms(array)
    rng = np.random.default_rng(array.size)
    for _ in range(3 if array.dtype.kind in "biuf" else 0):
        yield rng.integers(0, 2 if array.dtype.kind == "b" else 4, array.shape).astype(array.dtype)


def without_number(part: Any, number: float, other: float) -> Iterator[Any]:
    """Yield a part with a number replaced, first alone, then with all numbers near it."""
    if not isinstance(part, np.ndarray):
        yield type(part)(other)
        return
    yield np.where(part == number, other, part).astype(part.dtype)
    is_near = np.abs(part - number) <= abs(number) / 2
    yield np.where(is_near, part + (other - number), part).astype(part.dtype)
