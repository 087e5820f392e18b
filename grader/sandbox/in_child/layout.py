"""The memory layout of arrays: strides, gaps between entries, and read-only memory."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


_MAX_GAP_BYTES = 64 << 20  # bytes of gaps in one array, above which its layout is not kept


class LentMemory(np.ndarray):
    """Memory that is read-only for authors' code, although a submission gets a writable copy."""


def lend(array: "npt.NDArray[Any]") -> "npt.NDArray[Any]":
    """Return a read-only copy of an array in `LentMemory`."""
    if type(array) is not np.ndarray or array.dtype.hasobject:
        array = array.copy()
        array.flags.writeable = False
        return array.view()  # a view of it cannot be made writable again
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
    """Return a copy of an array in new memory with other strides, and zeros in the gaps.

    Args:
        values: An array without objects.
        strides: The stride of each axis in bytes.

    Raises:
        ValueError: NumPy cannot make such an array.
    """
    low, high = span(values.shape, strides, values.itemsize)
    memory = memory_type((high - low or 1,), np.uint8)  # NumPy rejects an empty buffer
    memory.fill(0)  # the content of the original's gaps must not be copied
    array: npt.NDArray[Any] = np.ndarray(values.shape, values.dtype, memory, -low, strides)
    # Along an axis with stride 0 all entries are the same, and there may be very many.
    once = tuple(slice(0, 1) if step == 0 else slice(None) for step in strides)
    array[once] = values[once]
    return array


def gaps(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> int:
    """Return the number of bytes in the gaps between the entries of an array."""
    low, high = span(shape, strides, itemsize)
    return max(high - low - math.prod(shape) * itemsize, 0)


def span(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, int]:
    """Return the offsets of an array's lowest byte and of its end, relative to the first entry."""
    if 0 in shape:
        return 0, 0
    reaches = [(n - 1) * stride for n, stride in zip(shape, strides, strict=True)]
    return sum(r for r in reaches if r < 0), sum(r for r in reaches if r > 0) + itemsize


def is_read_only(array: "npt.NDArray[Any]") -> bool:
    """Return whether an array is read-only for another reason than `LentMemory`."""
    if array.flags.writeable:
        return False
    base: object = array
    while isinstance(base, np.ndarray):
        if type(base) is LentMemory:
            return False
        base = base.base
    return True
