import re
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference.normalization import (
    init_layer_norm,
    layer_norm,
    layer_norm_backward,
    rms_norm,
    rms_norm_backward,
)
from tests.reference.conftest import Recorded

FLOATS: list[np.dtype[np.floating[Any]]] = [np.dtype(np.float32), np.dtype(np.float64)]
INPUTS = st.sampled_from(FLOATS).flatmap(
    lambda dtype: arrays(dtype, (2, 3, 5), elements=st.floats(-8, 8, width=32))
)


def test_eps_joins_the_variance_under_the_root() -> None:
    """Variance 4 with eps 5 is divided by 3."""
    np.testing.assert_allclose(layer_norm([3.0, -1.0], eps=5.0), [2 / 3, -2 / 3], rtol=1e-15)
    np.testing.assert_allclose(rms_norm([2.0, -2.0], eps=5.0), [2 / 3, -2 / 3], rtol=1e-15)


def test_equal_features_become_zero() -> None:
    """Nothing is divided by zero: a position without variance gives zeros."""
    assert layer_norm(np.full((2, 3), 7.0)).tolist() == [[0.0] * 3] * 2
    assert rms_norm(np.zeros((2, 3))).tolist() == [[0.0] * 3] * 2


def test_layer_norm_agrees_with_pytorch(recorded: Recorded) -> None:
    """Output and all gradients are PyTorch's to 1e-10."""
    case = recorded("blocks", "layer_norm")
    x, gain, bias, d_output = (case.inputs[name] for name in ("x", "gain", "bias", "d_output"))

    gradients = layer_norm_backward(d_output, x, gain)

    np.testing.assert_allclose(layer_norm(x, gain, bias), case.outputs["output"], atol=1e-10)
    for name, gradient in gradients._asdict().items():
        np.testing.assert_allclose(gradient, case.outputs[f"d_{name}"], atol=1e-10)


def test_rms_norm_agrees_with_pytorch(recorded: Recorded) -> None:
    """Output and all gradients are PyTorch's to 1e-10."""
    case = recorded("blocks", "rms_norm")
    x, gain, d_output = (case.inputs[name] for name in ("x", "gain", "d_output"))

    gradients = rms_norm_backward(d_output, x, gain)

    np.testing.assert_allclose(rms_norm(x, gain), case.outputs["output"], atol=1e-10)
    for name, gradient in gradients._asdict().items():
        np.testing.assert_allclose(gradient, case.outputs[f"d_{name}"], atol=1e-10)


@pytest.mark.parametrize(
    "name",
    [
        "onnx_layer_normalization_2d_axis1",
        "onnx_layer_normalization_4d_axis_negative_1",
        "onnx_layer_normalization_3d_axis2_epsilon",
    ],
)
def test_layer_norm_passes_the_backend_tests_of_onnx(recorded: Recorded, name: str) -> None:
    """The cases that normalise the last axis, float32 as published."""
    case = recorded("blocks", name)
    eps = float(case.inputs.get("epsilon", np.float64(1e-5)))
    x, gain, bias = (case.inputs[key] for key in ("x", "gain", "bias"))

    y = layer_norm(x, gain, bias, eps)

    assert y.dtype == np.float32
    np.testing.assert_allclose(y, case.outputs["output"], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "name",
    [
        "onnx_rms_normalization_2d_axis1",
        "onnx_rms_normalization_4d_axis_negative_1",
        "onnx_rms_normalization_3d_axis2_epsilon",
    ],
)
def test_rms_norm_passes_the_backend_tests_of_onnx(recorded: Recorded, name: str) -> None:
    """The cases that normalise the last axis, float32 as published."""
    case = recorded("blocks", name)
    eps = float(case.inputs.get("epsilon", np.float64(1e-5)))

    y = rms_norm(case.inputs["x"], case.inputs["gain"], eps)

    assert y.dtype == np.float32
    np.testing.assert_allclose(y, case.outputs["output"], rtol=1e-5, atol=1e-5)


def test_without_a_gain_gradients_are_those_of_ones() -> None:
    """Leaving the gain out is the same as a gain of ones, backwards too."""
    rng = np.random.default_rng(3)
    x, d_output = rng.standard_normal((2, 3, 5))

    for found, expected in [
        (layer_norm_backward(d_output, x), layer_norm_backward(d_output, x, np.ones(5))),
        (rms_norm_backward(d_output, x), rms_norm_backward(d_output, x, np.ones(5))),
    ]:
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_initial_parameters_change_nothing() -> None:
    """The gain starts at one and the bias at zero."""
    x = np.random.default_rng(4).standard_normal((3, 5))

    np.testing.assert_array_equal(layer_norm(x, *init_layer_norm(5)), layer_norm(x))


def test_shapes_that_do_not_go_together_are_both_named() -> None:
    """Gains, biases and gradients have to fit x, and x needs features."""
    x = np.ones((2, 3))

    with pytest.raises(ValueError, match=re.escape("gain of shape (2,) and x of shape (2, 3)")):
        layer_norm(x, np.ones(2))
    with pytest.raises(ValueError, match=re.escape("bias of shape (1, 3) and x of shape (2, 3)")):
        layer_norm(x, bias=np.ones((1, 3)))
    with pytest.raises(ValueError, match=re.escape("gain of shape () and x of shape (2, 3)")):
        rms_norm(x, 2.0)
    with pytest.raises(ValueError, match=re.escape("d_output of shape (3,) and x of shape (2, 3)")):
        layer_norm_backward(np.ones(3), x)
    with pytest.raises(ValueError, match=re.escape("d_output of shape (3,) and x of shape (2, 3)")):
        rms_norm_backward(np.ones(3), x)
    with pytest.raises(
        ValueError, match=re.escape("at least one feature in its last axis, got x of shape (2, 0)")
    ):
        layer_norm(np.ones((2, 0)))
    with pytest.raises(ValueError, match=re.escape("got x of shape ()")):
        rms_norm(1.0)
