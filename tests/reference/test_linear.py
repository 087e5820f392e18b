import re

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


@pytest.mark.parametrize(
    ("shapes", "named"),
    [
        (((3, 2), (5, 7)), ("x of shape (3, 2)", "W of shape (5, 7)")),
        (((3, 2), (2,)), ("x of shape (3, 2)", "W of shape (2,)")),
        (((), (2, 3)), ("x of shape ()", "W of shape (2, 3)")),
        (((3, 2), (2, 7), (5,)), ("b of shape (5,)", "x W of shape (3, 7)")),
    ],
)
def test_shapes_that_do_not_go_together_are_both_named(
    shapes: tuple[tuple[int, ...], ...], named: tuple[str, str]
) -> None:
    """The ValueError tells both shapes."""
    with pytest.raises(ValueError, match=f"{re.escape(named[0])} .*{re.escape(named[1])}"):
        linear(*(np.ones(shape) for shape in shapes))


def test_a_gradient_of_another_shape_is_refused() -> None:
    """The gradient of the output has to have the shape of the output."""
    message = "d_output of shape (7,) and the output of shape (3, 7)"

    with pytest.raises(ValueError, match=re.escape(message)):
        linear_backward(np.ones(7), np.ones((3, 2)), np.ones((2, 7)))
