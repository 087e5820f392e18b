"""Batch axes: every axis before the last two. They broadcast, and gradients undo that."""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.shapes import Shape

MATRIX_AXES = 2  # positions and features; all axes before them are batch axes


def require_matrices(one: str, one_shape: Shape, other: str, other_shape: Shape) -> None:
    """Refuse two arrays unless both have an axis of positions and one of features.

    Args:
        one: What to call the first array.
        one_shape: Its shape.
        other: What to call the second array.
        other_shape: Its shape.

    Returns:
        Nothing.

    Raises:
        ValueError: If either has fewer than two axes; names both shapes.
    """
    if min(len(one_shape), len(other_shape)) < MATRIX_AXES:
        raise ValueError(
            f"{one} and {other} need two axes or more, positions and features, "
            f"got {one} of shape {one_shape} and {other} of shape {other_shape}"
        )


def require_broadcasting_batches(
    one: str, one_shape: Shape, other: str, other_shape: Shape
) -> None:
    """Refuse two arrays whose batch axes do not broadcast.

    Args:
        one: What to call the first array.
        one_shape: Its shape, (..., positions, features).
        other: What to call the second array.
        other_shape: The other operand's shape.

    Returns:
        Nothing.

    Raises:
        ValueError: If the axes before the last two do not broadcast; names both shapes.
    """
    try:
        np.broadcast_shapes(one_shape[:-MATRIX_AXES], other_shape[:-MATRIX_AXES])
    except ValueError:
        raise ValueError(
            f"the batch axes of {one} of shape {one_shape} and "
            f"{other} of shape {other_shape} do not broadcast"
        ) from None


def sum_to_shape(gradient: ArrayLike, shape: Shape) -> FloatArray:
    """Sum a gradient over the axes along which its array was broadcast.

    An array that broadcasting used several times collects the gradient of every use.

    Args:
        gradient: The gradient with respect to the broadcast array, of any shape.
        shape: The shape that the array had before, which broadcasts to that of `gradient`.

    Returns:
        A new array of the shape asked for, with the dtype of `gradient` (float64 for integers).

    Raises:
        TypeError: If `gradient` does not hold real numbers.
        ValueError: If `shape` does not broadcast to that of `gradient`; names both.
    """
    full = as_floating(gradient)
    added = full.ndim - len(shape)  # axes that broadcasting put in front
    pairs = list(zip(shape, full.shape[max(added, 0) :], strict=False))
    if added < 0 or any(small not in (1, large) for small, large in pairs):
        raise ValueError(f"an array of shape {shape} does not broadcast to shape {full.shape}")
    stretched = [added + axis for axis, (small, large) in enumerate(pairs) if small != large]
    total: FloatArray = np.sum(full, axis=(*range(added), *stretched), keepdims=True)
    return total.reshape(shape)
