"""Simpler values to try in place of an array or a number."""

import itertools
import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from grader.grading.diagnosis.input_values import Array

MAX_NUMBERS: Final = 64
"""The maximum number of numbers in a small example."""

_SIMPLE: Final = (0, 1, 2)  # numbers that are tried first in place of any number


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
            yield from (0.5, float(round(part)), round(part, 1))
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


def standard_forms(part: Any) -> Iterator[Any]:
    """Yield arrays of standard values, such as zeros or 0, 1, 2, ..., in the form of a part."""
    count = 2 if np.asarray(part).dtype.kind == "b" else 5
    return itertools.islice(simpler_values(part, in_order=True), count)
