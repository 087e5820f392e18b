"""Layers and losses beside PyTorch's own, on drawn shapes; skipped where it is not installed."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

from reference.activations import ACTIVATIONS, activation_named
from reference.feed_forward import gated_feed_forward
from reference.losses import IGNORE_INDEX, cross_entropy, cross_entropy_gradient
from reference.normalization import layer_norm, layer_norm_backward, rms_norm, rms_norm_backward

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")

SHAPES = array_shapes(min_dims=1, max_dims=4, max_side=5)
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def torch() -> Any:
    """PyTorch, imported only where a test needs it."""
    return pytest.importorskip("torch")


@given(SHAPES, SEEDS)
def test_normalisations(torch: Any, shape: tuple[int, ...], seed: int) -> None:
    """Outputs and gradients of both normalisations are the same to 1e-10, whatever the shape."""
    rng = np.random.default_rng(seed)
    x, d_output = rng.standard_normal((2, *shape))
    gain, bias = rng.standard_normal((2, shape[-1]))
    tensors = [torch.from_numpy(array).requires_grad_() for array in (x, gain, bias)]
    functional = torch.nn.functional

    layer = functional.layer_norm(tensors[0], shape[-1:], *tensors[1:], eps=0.01)
    d_layer = torch.autograd.grad(layer, tensors, torch.from_numpy(d_output))
    rms = functional.rms_norm(tensors[0], shape[-1:], tensors[1], eps=0.01)
    d_rms = torch.autograd.grad(rms, tensors[:2], torch.from_numpy(d_output))

    pairs = [
        (layer_norm(x, gain, bias, 0.01), layer.detach()),
        *zip(layer_norm_backward(d_output, x, gain, 0.01), d_layer, strict=True),
        (rms_norm(x, gain, 0.01), rms.detach()),
        *zip(rms_norm_backward(d_output, x, gain, 0.01), d_rms, strict=True),
    ]
    for found, expected in pairs:
        np.testing.assert_allclose(found, expected.numpy(), atol=1e-10)


@given(SHAPES, SEEDS, st.sampled_from(sorted(ACTIVATIONS)))
def test_activations(torch: Any, shape: tuple[int, ...], seed: int, name: str) -> None:
    """Functions and derivatives are the same to 1e-10."""
    x = np.random.default_rng(seed).normal(0, 5, shape)
    tensor = torch.from_numpy(x).requires_grad_()
    functional = torch.nn.functional
    function = {
        "relu": functional.relu,
        "gelu": functional.gelu,
        "gelu_tanh": lambda values: functional.gelu(values, approximate="tanh"),
        "silu": functional.silu,
    }[name]

    y = function(tensor)
    y.sum().backward()

    ours = activation_named(name)
    np.testing.assert_allclose(ours.function(x), y.detach().numpy(), atol=1e-10)
    np.testing.assert_allclose(ours.derivative(x), tensor.grad.numpy(), atol=1e-10)


@given(st.integers(1, 7), st.integers(1, 5), SEEDS, st.sampled_from([0.0, 0.1, 0.7]))
def test_cross_entropy(torch: Any, positions: int, classes: int, seed: int, share: float) -> None:
    """Loss and gradient are the same to 1e-10, with ignored positions and with smoothing."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 5, (positions, classes))
    targets = rng.integers(0, classes, positions)
    targets[1:][rng.random(positions - 1) < 0.3] = IGNORE_INDEX
    tensor = torch.from_numpy(logits).requires_grad_()

    loss = torch.nn.functional.cross_entropy(
        tensor, torch.from_numpy(targets), label_smoothing=share
    )
    loss.backward()

    found = cross_entropy(logits, targets, label_smoothing=share)
    gradient = cross_entropy_gradient(logits, targets, label_smoothing=share)
    np.testing.assert_allclose(found, loss.detach().numpy(), atol=1e-10)
    np.testing.assert_allclose(gradient, tensor.grad.numpy(), atol=1e-10)


@given(SHAPES, SEEDS)
def test_gated_feed_forward(torch: Any, shape: tuple[int, ...], seed: int) -> None:
    """SwiGLU is the same to 1e-10."""
    rng = np.random.default_rng(seed)
    d_model = shape[-1]
    arrays = [rng.standard_normal(s) for s in (shape, (d_model, 7), (d_model, 7), (7, d_model))]
    x, W_gate, W_up, W_down = (torch.from_numpy(array) for array in arrays)

    expected = (torch.nn.functional.silu(x @ W_gate) * (x @ W_up)) @ W_down

    np.testing.assert_allclose(gated_feed_forward(*arrays), expected.numpy(), atol=1e-10)
