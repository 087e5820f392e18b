import re

import numpy as np
import pytest

from reference.arrays import FloatArray
from reference.normalization import layer_norm
from reference.residual import post_norm, pre_norm, residual


def triple(x: FloatArray) -> FloatArray:
    return 3 * x


def test_a_layer_adds_to_its_input() -> None:
    """The output is x + layer(x); a layer that gives zeros is the identity."""
    x = np.array([[1.0, -2.0]])

    assert residual(x, triple).tolist() == [[4.0, -8.0]]
    assert residual(x, np.zeros_like).tolist() == x.tolist()


def test_norms_before_and_after() -> None:
    """Post-norm normalises the sum; pre-norm only what goes into the layer."""
    x = np.array([[1.0, 3.0, 8.0]])

    np.testing.assert_array_equal(post_norm(x, np.square, layer_norm), layer_norm(x + x**2))
    np.testing.assert_array_equal(pre_norm(x, np.square, layer_norm), x + layer_norm(x) ** 2)


def test_a_layer_that_changes_the_shape_is_refused() -> None:
    """The error names both shapes, where broadcasting would hide the difference."""
    x = np.ones((2, 3))
    message = "x of shape (2, 3) and the layer's output of shape (2, 1)"

    for connect in (
        residual,
        lambda x, layer: post_norm(x, layer, layer_norm),
        lambda x, layer: pre_norm(x, layer, layer_norm),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            connect(x, lambda z: z[:, :1])


def test_a_norm_that_changes_the_shape_is_refused() -> None:
    """The error names both shapes."""
    message = "x of shape (2, 3) and the norm's output of shape (2,)"

    for connect in (post_norm, pre_norm):
        with pytest.raises(ValueError, match=re.escape(message)):
            connect(np.ones((2, 3)), triple, lambda z: z[:, 0])
