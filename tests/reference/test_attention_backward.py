from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.attention import scaled_dot_product_attention
from reference.attention_backward import attention_backward
from reference.gradients import numerical_gradient
from reference.masks import causal_mask

Array = NDArray[Any]

BIAS = np.random.default_rng(1).standard_normal((3, 5))
BLOCKED = np.array([[False, True, False, False, True]] * 2 + [[True] * 5])  # the last sees nothing


def drawn(*shapes: tuple[int, ...]) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape) for shape in shapes]


@pytest.mark.parametrize("mask", [None, causal_mask(3, 5), BLOCKED, BIAS])
@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 3, 7), (2, 5, 7), (2, 5, 11)),
        ((2, 3, 7), (5, 7), (5, 11)),  # what is shared by a batch collects its gradients
        ((3, 7), (5, 7), (2, 5, 11)),
        ((3, 7), (2, 5, 7), (1, 5, 11)),
    ],
)
def test_the_gradients_are_those_of_finite_differences(
    shapes: tuple[tuple[int, ...], ...], mask: Array | None
) -> None:
    """For queries, keys and values, under every mask, and for inputs that broadcast."""
    *given, d_output = drawn(*shapes, (2, 3, 11))

    gradients = attention_backward(d_output, given[0], given[1], given[2], mask)

    for place, gradient in enumerate(gradients):

        def loss(moved: Array, place: int = place) -> float:
            arrays = [*given]
            arrays[place] = moved
            output, _ = scaled_dot_product_attention(arrays[0], arrays[1], arrays[2], mask)
            return float(np.sum(output * d_output))

        assert gradient.shape == shapes[place]
        np.testing.assert_allclose(gradient, numerical_gradient(loss, given[place]), atol=1e-7)
