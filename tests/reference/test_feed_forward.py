import re

import numpy as np
import pytest

from reference.feed_forward import (
    feed_forward,
    feed_forward_backward,
    gated_feed_forward,
    gated_feed_forward_backward,
    init_feed_forward,
)
from tests.reference.conftest import Recorded


@pytest.mark.parametrize(
    ("name", "activation"), [("feed_forward_relu", "relu"), ("feed_forward_gelu_tanh", "gelu_tanh")]
)
def test_feed_forward_agrees_with_pytorch(recorded: Recorded, name: str, activation: str) -> None:
    """Output and all gradients are PyTorch's to 1e-10."""
    case = recorded("blocks", name)
    x, W1, b1, W2, b2 = (case.inputs[key] for key in ("x", "W1", "b1", "W2", "b2"))

    y = feed_forward(x, W1, b1, W2, b2, activation=activation)
    gradients = feed_forward_backward(case.inputs["d_output"], x, W1, b1, W2, activation=activation)

    np.testing.assert_allclose(y, case.outputs["output"], atol=1e-10)
    for key, gradient in gradients._asdict().items():
        np.testing.assert_allclose(gradient, case.outputs[f"d_{key}"], atol=1e-10)


def test_gated_feed_forward_agrees_with_pytorch(recorded: Recorded) -> None:
    """Output and all gradients of SwiGLU are PyTorch's to 1e-10."""
    case = recorded("blocks", "gated_feed_forward")
    x, *weights = (case.inputs[key] for key in ("x", "W_gate", "W_up", "W_down"))

    y = gated_feed_forward(x, *weights)
    gradients = gated_feed_forward_backward(case.inputs["d_output"], x, *weights)

    np.testing.assert_allclose(y, case.outputs["output"], atol=1e-10)
    for key, gradient in gradients._asdict().items():
        np.testing.assert_allclose(gradient, case.outputs[f"d_{key}"], atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_positions_do_not_see_each_other(batch: tuple[int, ...], dtype: type[np.floating]) -> None:
    """Each position gets what it would get alone, in the dtype of the inputs."""
    rng = np.random.default_rng(6)
    x = rng.standard_normal((*batch, 5)).astype(dtype)
    parameters = [array.astype(dtype) for array in init_feed_forward(rng, 5, 7, scale=1.0)]

    y = feed_forward(x, *parameters, activation="gelu")

    assert y.shape == x.shape
    assert y.dtype == dtype
    for index in np.ndindex(batch):
        alone = feed_forward(x[index], *parameters, activation="gelu")
        np.testing.assert_allclose(y[index], alone, rtol=1e-4, atol=1e-6)


def test_drawn_parameters_have_their_shapes_and_scale() -> None:
    """Biases start at zero, weights with the standard deviation asked for."""
    W1, b1, W2, b2 = init_feed_forward(np.random.default_rng(7), 50, 200, scale=0.1)

    assert [array.shape for array in (W1, b1, W2, b2)] == [(50, 200), (200,), (200, 50), (50,)]
    assert not b1.any()
    assert not b2.any()
    assert W1.std() == pytest.approx(0.1, rel=0.05)
    assert W2.std() == pytest.approx(0.1, rel=0.05)


def test_shapes_that_do_not_go_together_are_both_named() -> None:
    """Each weight has to fit what comes before it."""
    x, W1, b1, W2, b2 = (np.ones(shape) for shape in ((2, 3), (3, 5), (5,), (7, 3), (3,)))

    with pytest.raises(ValueError, match=re.escape("x of shape (2, 5) and W of shape (7, 3)")):
        feed_forward(x, W1, b1, W2, b2)
    with pytest.raises(
        ValueError, match=re.escape("W_gate of shape (3, 5) and W_up of shape (3, 7)")
    ):
        gated_feed_forward(x, W1, np.ones((3, 7)), np.ones((5, 3)))
    with pytest.raises(
        ValueError, match=re.escape("W_gate of shape (3, 5) and W_up of shape (3, 7)")
    ):
        gated_feed_forward_backward(x, x, W1, np.ones((3, 7)), np.ones((5, 3)))
    with pytest.raises(ValueError, match="an activation is one of"):
        feed_forward(x, W1, b1, np.ones((5, 3)), b2, activation="softplus")
