"""Random comparisons with an installed PyTorch, beyond the recorded ones."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference.attention import causal_attention, scaled_dot_product_attention
from reference.attention_backward import attention_backward
from reference.flash import flash_attention
from reference.softmax import log_softmax, logsumexp, softmax

if find_spec("torch") is None:
    pytest.skip("torch is not installed; the recorded cases stand in", allow_module_level=True)

import torch  # optional, hence after the skip

attend = torch.nn.functional.scaled_dot_product_attention
AXES = st.permutations([2, 3, 5, 7, 11])


def drawn(seed: int, *shapes: tuple[int, ...]) -> list[NDArray[Any]]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) * 3 for shape in shapes]


@given(AXES, st.integers(0, 2), st.integers(0, 2**32 - 1))
def test_softmax_and_its_logarithm(sizes: list[int], axis: int, seed: int) -> None:
    """Along any axis, in float64."""
    (x,) = drawn(seed, (sizes[0], sizes[1], sizes[2]))
    tensor = torch.from_numpy(x)

    np.testing.assert_allclose(softmax(x, axis), tensor.softmax(axis).numpy(), rtol=1e-10)
    np.testing.assert_allclose(log_softmax(x, axis), tensor.log_softmax(axis).numpy(), rtol=1e-10)
    np.testing.assert_allclose(logsumexp(x, axis), tensor.logsumexp(axis).numpy(), rtol=1e-10)


@given(AXES, st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_attention_and_its_gradients(sizes: list[int], seed: int, share: float) -> None:
    """With any share of the pairs blocked, whole rows among them, in float64."""
    batch, n, m, d_k, d_v = sizes
    shapes = (batch, n, d_k), (batch, m, d_k), (batch, m, d_v), (batch, n, d_v)
    Q, K, V, d_output = drawn(seed, *shapes)
    blocked = np.random.default_rng(seed).random((batch, n, m)) < share
    tensors = [torch.from_numpy(array.copy()).requires_grad_() for array in (Q, K, V)]

    expected = attend(*tensors, attn_mask=torch.from_numpy(~blocked))
    expected.backward(torch.from_numpy(d_output))

    output, _ = scaled_dot_product_attention(Q, K, V, blocked)
    np.testing.assert_allclose(output, expected.detach().numpy(), rtol=1e-10, atol=1e-10)
    gradients = attention_backward(d_output, Q, K, V, blocked)
    for gradient, tensor in zip(gradients, tensors, strict=True):
        np.testing.assert_allclose(gradient, tensor.grad.numpy(), rtol=1e-10, atol=1e-10)


@given(AXES, st.integers(0, 2**32 - 1), st.integers(1, 13))
def test_causal_and_tiled_attention(sizes: list[int], seed: int, block: int) -> None:
    """Causally, as a whole and in tiles, in float64."""
    batch, n, _, d_k, d_v = sizes
    Q, K, V = drawn(seed, (batch, n, d_k), (batch, n, d_k), (batch, n, d_v))

    expected = attend(*map(torch.from_numpy, (Q, K, V)), is_causal=True).numpy()

    tiled = flash_attention(Q, K, V, causal=True, block=block)
    for output in (causal_attention(Q, K, V)[0], tiled):
        np.testing.assert_allclose(output, expected, rtol=1e-10, atol=1e-10)
