import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

from reference.linear import linear


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
