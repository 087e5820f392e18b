import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

from reference.gradients import numerical_gradient, relative_error
from reference.linear import linear, linear_backward


@given(array_shapes(min_dims=0, max_dims=3, max_side=3), st.sampled_from([np.float32, np.float64]))
def test_leading_axes_are_kept(batch: tuple[int, ...], dtype: type[np.floating]) -> None:
    """Any number of leading axes, down to none, gives what each row alone gives."""
    rng = np.random.default_rng(0)
    x, W = rng.standard_normal((*batch, 5)).astype(dtype), rng.standard_normal((5, 7)).astype(dtype)
    b = rng.standard_normal(7).astype(dtype)

    y = linear(x, W, b)

    assert y.dtype == dtype
    assert y.shape == (*batch, 7)
    for index in np.ndindex(batch):
        np.testing.assert_allclose(y[index], x[index] @ W + b, rtol=1e-4)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_gradients_agree_with_finite_differences(batch: tuple[int, ...]) -> None:
    """Those of x, W and b are the slopes of sum(y * d_output)."""
    rng = np.random.default_rng(1)
    x, W, b = (rng.standard_normal(shape) for shape in ((*batch, 5), (5, 7), (7,)))
    d_output = rng.standard_normal((*batch, 7))

    found = linear_backward(d_output, x, W)

    slopes = (
        numerical_gradient(lambda v: np.sum(linear(v, W, b) * d_output), x),
        numerical_gradient(lambda v: np.sum(linear(x, v, b) * d_output), W),
        numerical_gradient(lambda v: np.sum(linear(x, W, v) * d_output), b),
    )
    for gradient, slope in zip(found, slopes, strict=True):
        assert relative_error(gradient, slope) < 1e-8
