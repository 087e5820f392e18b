"""Convolution and max pooling, against PyTorch and SciPy."""

import numpy as np
from learning_reference.image_layers import convolve_images, max_pool_gradient

from tests.course_reference.conftest import recorded

RECORD = recorded("image_layers")
IMAGES, KERNELS, BIAS = (np.array(RECORD[name]) for name in ("images", "kernels", "bias"))


def test_convolution_is_that_of_pytorch() -> None:
    """Three channels, four kernels that are not square, and a border."""
    got = convolve_images(IMAGES, KERNELS, BIAS, padding=1)
    np.testing.assert_allclose(got, RECORD["convolved"], rtol=1e-12, atol=1e-14)


def test_one_channel_without_a_border_is_the_correlation_of_scipy() -> None:
    """The kernel is not turned round."""
    got = convolve_images(IMAGES[:1, :1], KERNELS[:1, :1], np.zeros(1))
    np.testing.assert_allclose(got[0, 0], RECORD["plane"], rtol=1e-12, atol=1e-14)


def test_of_equal_maxima_the_first_gets_the_gradient_as_in_pytorch() -> None:
    """Tiles of images after relu, most of which have ties."""
    got = max_pool_gradient(np.array(RECORD["d_output"]), np.array(RECORD["ties"]), 2)
    np.testing.assert_array_equal(got, RECORD["pool_gradient"])
