"""The memory layout of arrays: the order of their axes, gaps, direction, and read-only memory."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


_MAX_GAP_BYTES = 64 << 20  # bytes of one array


class LentMemory(np.ndarray):
    """Memory that the grader protects from authors' code; a submission gets a writable copy."""


def lend(array: "npt.NDArray[Any]") -> "npt.NDArray[Any]":
    """Return a read-only copy of an array, in memory that is `LentMemory`."""
    if type(array) is not np.ndarray or array.dtype.hasobject:
        array = array.copy()
        array.flags.writeable = False
        return array.view()  # of a view the flag cannot be set back
    if (
        array.flags.c_contiguous
        or gaps(array.shape, array.strides, array.itemsize) > _MAX_GAP_BYTES
    ):
        memory = LentMemory(array.shape, array.dtype)
        memory[...] = array
        memory.flags.writeable = False
        return memory.view(np.ndarray)
    copy = arrange(array, array.strides, LentMemory)
    copy.flags.writeable = False
    base = copy.base
    if isinstance(base, np.ndarray):
        base.flags.writeable = False
    return copy


def arrange(
    values: "npt.NDArray[Any]", strides: Sequence[int], memory_type: type = np.ndarray
) -> "npt.NDArray[Any]":
    """Return a copy of an array in memory of its own with these strides, zeros in the gaps.

    Args:
        values: Without objects.
        strides: In bytes, one for each axis.

    Raises:
        ValueError: NumPy cannot make such an array.
    """
    low, high = span(values.shape, strides, values.itemsize)
    memory = memory_type((high - low or 1,), np.uint8)  # a buffer of no bytes is none
    memory.fill(0)  # what lies in the gaps of the original is not for others to read
    array: npt.NDArray[Any] = np.ndarray(values.shape, values.dtype, memory, -low, strides)
    # Along an axis without a step all entries are one: a broadcast array may have very many.
    once = tuple(slice(0, 1) if step == 0 else slice(None) for step in strides)
    array[once] = values[once]
    return array


def gaps(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> int:
    """Return the bytes between the entries of an array that are not its own."""
    low, high = span(shape, strides, itemsize)
    return max(high - low - math.prod(shape) * itemsize, 0)


def span(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, int]:
    """Return the bytes from the first entry of an array to its lowest and above its highest."""
    if 0 in shape:
        return 0, 0
    reaches = [(n - 1) * stride for n, stride in zip(shape, strides, strict=True)]
    return sum(r for r in reaches if r < 0), sum(r for r in reaches if r > 0) + itemsize


def is_read_only(array: "npt.NDArray[Any]") -> bool:
    """Return whether an array is read-only by itself, not because its memory is lent."""
    if array.flags.writeable:
        return False
    base: object = array
    while isinstance(base, np.ndarray):
        if type(base) is LentMemory:
            return False
        base = base.base
    return True
