"""Checks whether two shapes go together, whose errors name both."""

from typing import TypeAlias

Shape: TypeAlias = tuple[int, ...]


def require_same_shape(one: str, one_shape: Shape, other: str, other_shape: Shape) -> None:
    """Refuse two arrays of different shapes.

    Args:
        one: What to call the first array.
        one_shape: Its shape.
        other: What to call the second array.
        other_shape: Its shape.

    Returns:
        Nothing.

    Raises:
        ValueError: If the shapes differ; names both.
    """
    if one_shape != other_shape:
        raise ValueError(
            f"{one} and {other} need the same shape, "
            f"got {one} of shape {one_shape} and {other} of shape {other_shape}"
        )


def require_one_per_feature(name: str, shape: Shape, x_name: str, x_shape: Shape) -> None:
    """Refuse a vector that does not have one entry for each feature of the last axis.

    Args:
        name: What to call the vector.
        shape: Its shape.
        x_name: What to call the array whose last axis holds the features.
        x_shape: Its shape, (..., d).

    Returns:
        Nothing.

    Raises:
        ValueError: If `shape` is not (d,); names both.
    """
    if not x_shape or shape != x_shape[-1:]:
        raise ValueError(
            f"{name} needs one entry for each feature in the last axis of {x_name}, "
            f"got {name} of shape {shape} and {x_name} of shape {x_shape}"
        )
