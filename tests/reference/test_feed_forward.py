import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from reference.activations import ACTIVATIONS
from reference.arrays import FloatArray
from reference.feed_forward import (
    feed_forward,
    feed_forward_backward,
    gated_feed_forward,
    gated_feed_forward_backward,
    init_feed_forward,
)
from reference.gradients import numerical_gradient, relative_error
from tests.reference.conftest import Recorded


def slopes_of(
    function: Callable[..., FloatArray],
    arguments: list[FloatArray],
    number: int,
    d_output: FloatArray,
) -> FloatArray:
    """Differentiate sum(function(*arguments) * d_output) with respect to one argument."""

    def total(value: FloatArray) -> FloatArray:
        changed = [*arguments[:number], value, *arguments[number + 1 :]]
        return np.asarray(np.sum(function(*changed) * d_output))

    return numerical_gradient(total, arguments[number])


def test_a_network_by_hand() -> None:
    """Of two hidden features one is cut off by ReLU."""
    y = feed_forward(
        [[1.0, 2.0]],
        W1=[[1.0, -1.0], [1.0, -1.0]],
        b1=[1.0, 1.0],
        W2=[[1.0, 10.0], [100.0, 100.0]],
        b2=[0.5, 0.0],
    )

    assert y.tolist() == [[4.5, 40.0]]


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


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_gradients_agree_with_finite_differences(activation: str) -> None:
    """Those of both networks are the slopes of sum(y * d_output), for every activation."""
    rng = np.random.default_rng(5)
    x, d_output = rng.standard_normal((2, 3, 5))
    plain = [x, *(rng.standard_normal(shape) for shape in ((5, 7), (7,), (7, 5), (5,)))]
    gated = [x, *(rng.standard_normal(shape) for shape in ((5, 7), (5, 7), (7, 5)))]

    found = feed_forward_backward(d_output, *plain[:4], activation=activation)
    found_gated = gated_feed_forward_backward(d_output, *gated, activation=activation)

    for gradients, function, arguments in [
        (found, partial(feed_forward, activation=activation), plain),
        (found_gated, partial(gated_feed_forward, activation=activation), gated),
    ]:
        for number, gradient in enumerate(gradients):
            slopes = slopes_of(function, arguments, number, d_output)
            assert relative_error(gradient, slopes) < 1e-8


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


def test_a_closed_gate_lets_nothing_through() -> None:
    """Where the gate is far below zero the output is zero, whatever the other half says."""
    y = gated_feed_forward([1.0], W_gate=[[-1000.0]], W_up=[[5.0]], W_down=[[7.0]])

    np.testing.assert_allclose(y, [0.0], atol=1e-12)


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
