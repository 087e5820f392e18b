import numpy as np

from reference.normalization import (
    init_layer_norm,
    layer_norm,
    layer_norm_backward,
    rms_norm,
    rms_norm_backward,
)


def test_eps_joins_the_variance_under_the_root() -> None:
    """Variance 4 with eps 5 is divided by 3."""
    np.testing.assert_allclose(layer_norm([3.0, -1.0], eps=5.0), [2 / 3, -2 / 3], rtol=1e-15)
    np.testing.assert_allclose(rms_norm([2.0, -2.0], eps=5.0), [2 / 3, -2 / 3], rtol=1e-15)


def test_equal_features_become_zero() -> None:
    """Nothing is divided by zero: a position without variance gives zeros."""
    assert layer_norm(np.full((2, 3), 7.0)).tolist() == [[0.0] * 3] * 2
    assert rms_norm(np.zeros((2, 3))).tolist() == [[0.0] * 3] * 2


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
