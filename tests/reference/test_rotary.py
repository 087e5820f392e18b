from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.rotary import (
    half_split_from_interleaved,
    interleaved_from_half_split,
    rotary_angles,
    rotate_half_split,
    rotate_interleaved,
)

Array = NDArray[Any]
Rotation = Callable[..., Array]

both = pytest.mark.parametrize("rotate", [rotate_interleaved, rotate_half_split])
X = np.random.default_rng(0).standard_normal((2, 3, 5, 14))


def test_angles_grow_with_the_position_and_shrink_along_the_features() -> None:
    """The first pair turns by one radian a position, the last of two by 1 / sqrt(base)."""
    np.testing.assert_allclose(
        rotary_angles([0, 1, 5], d=4, base=100.0), [[0.0, 0.0], [1.0, 0.1], [5.0, 0.5]], rtol=1e-15
    )


@both
def test_turning_back_undoes_it(rotate: Rotation) -> None:
    """Negative positions turn the other way."""
    np.testing.assert_allclose(rotate(rotate(X), -np.arange(5)), X, rtol=1e-11)


def test_the_conventions_differ_in_order_alone() -> None:
    """Reordered, turned in the other convention and ordered back, the vectors are the same."""
    np.testing.assert_array_equal(
        interleaved_from_half_split(rotate_half_split(half_split_from_interleaved(X))),
        rotate_interleaved(X),
    )
    np.testing.assert_array_equal(interleaved_from_half_split(half_split_from_interleaved(X)), X)
    assert half_split_from_interleaved([0, 1, 2, 3, 4, 5]).tolist() == [0, 2, 4, 1, 3, 5]


@both
def test_positions_can_be_given(rotate: Rotation) -> None:
    """Counting from 0 is the default; a batch may have positions of its own."""
    positions = np.array([[[7, 3, 0, 1, 2]], [[4, 4, 9, 8, 5]]])  # (2, 1, 5)

    turned = rotate(X, positions)

    np.testing.assert_array_equal(rotate(X, np.arange(5)), rotate(X))
    for batch in range(2):
        for head in range(3):
            np.testing.assert_array_equal(
                turned[batch, head], rotate(X[batch, head], positions[batch, 0])
            )


@both
def test_far_positions_are_exact_in_float32(rotate: Rotation) -> None:
    """At position 1,000,003 the float32 result is the float64 one, rounded."""
    turned = rotate(X.astype(np.float32), np.arange(5) + 1_000_003)

    expected = rotate(X.astype(np.float32).astype(np.float64), np.arange(5) + 1_000_003)
    np.testing.assert_allclose(turned, expected, atol=1e-6)
