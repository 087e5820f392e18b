"""The arrays in plain data, and their bytes."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt


def arrays_in(value: object) -> Iterator[npt.NDArray[Any]]:
    """Yield the arrays in a value that is plain data."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (list, tuple, deque)):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))


def is_masked(array: object) -> bool:
    """Return whether a value is a masked array."""
    return hasattr(array, "mask")


def bytes_in(value: object) -> int:
    """Return the bytes of the arrays in a value that is plain data."""
    return sum(array.nbytes for array in arrays_in(value))
