import re

import pytest

from reference.shapes import require_one_per_feature, require_same_shape


def test_equal_shapes_pass() -> None:
    """What goes together raises nothing."""
    require_same_shape("one", (2, 3), "other", (2, 3))
    require_one_per_feature("gain", (3,), "x", (5, 2, 3))


def test_different_shapes_are_both_named() -> None:
    """The error says what has which shape."""
    message = "one and other need the same shape, got one of shape (2, 3) and other of shape (3,)"

    with pytest.raises(ValueError, match=re.escape(message)):
        require_same_shape("one", (2, 3), "other", (3,))


@pytest.mark.parametrize(("shape", "x_shape"), [((2,), (2, 3)), ((1, 3), (2, 3)), ((), ())])
def test_a_vector_needs_one_entry_for_each_feature(
    shape: tuple[int, ...], x_shape: tuple[int, ...]
) -> None:
    """Another length, another axis, or no axis of features at all."""
    message = f"got gain of shape {shape} and x of shape {x_shape}"

    with pytest.raises(ValueError, match=re.escape(message)):
        require_one_per_feature("gain", shape, "x", x_shape)
