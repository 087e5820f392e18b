import numpy as np

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
