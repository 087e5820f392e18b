from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.gradients import numerical_gradient
from reference.masks import causal_mask
from reference.multi_head import multi_head_attention
from reference.multi_head_backward import multi_head_attention_backward

Array = NDArray[Any]
NAMES = ("x", "W_Q", "W_K", "W_V", "W_O")


def forward(arrays: dict[str, Array], mask: Array | None) -> Array:
    x, W_Q, W_K, W_V, W_O = (arrays[name] for name in NAMES)
    output, _ = multi_head_attention(x, W_Q, W_K, W_V, W_O, 2, mask, arrays.get("memory"))
    return output


def backward(
    arrays: Mapping[str, Array], d_output: Array, heads: int, mask: Array | None = None
) -> dict[str, Array | None]:
    x, W_Q, W_K, W_V, W_O = (arrays[name] for name in NAMES)
    return multi_head_attention_backward(
        d_output, x, W_Q, W_K, W_V, W_O, heads, mask, arrays.get("memory")
    )._asdict()


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_the_gradients_are_those_of_finite_differences(crossed: bool, masked: bool) -> None:
    """For the sequence, the memory and all four matrices, summed over the batch."""
    rng = np.random.default_rng(0)
    d_memory = 5 if crossed else 7
    shapes = {
        "x": (2, 3, 7),
        "W_Q": (7, 6),
        "W_K": (d_memory, 6),
        "W_V": (d_memory, 10),
        "W_O": (10, 11),
    }
    if crossed:
        shapes["memory"] = (2, 5, d_memory)
    arrays = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    d_output = rng.standard_normal((2, 3, 11))
    mask = causal_mask(3, 5 if crossed else 3) if masked else None

    gradients = backward(arrays, d_output, 2, mask)

    for name, array in arrays.items():

        def loss(moved: Array, name: str = name) -> float:
            return float(np.sum(forward({**arrays, name: moved}, mask) * d_output))

        numerical = numerical_gradient(loss, array)
        gradient = gradients[name]
        assert gradient is not None
        np.testing.assert_allclose(gradient, numerical, atol=1e-6, rtol=1e-6)
    assert (gradients["memory"] is None) == (not crossed)
