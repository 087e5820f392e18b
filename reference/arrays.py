"""The arrays that this package works on: real floating-point numbers of any precision."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.floating[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.integer[Any]]


def as_floating(x: ArrayLike) -> FloatArray:
    """Return `x` as a floating-point array, without a copy where it is one already.

    Args:
        x: Real numbers, of any shape.

    Returns:
        An array of the same shape. A floating-point dtype stays; integers and booleans
        become float64.

    Raises:
        TypeError: If `x` holds anything but real numbers.
    """
    array = np.asarray(x)
    if np.issubdtype(array.dtype, np.floating):
        return array
    if array.dtype.kind in "biu":  # boolean, signed, unsigned
        return array.astype(np.float64)
    raise TypeError(f"expected real numbers, got an array of dtype {array.dtype}")
