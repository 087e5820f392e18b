from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from reference.arrays import FloatArray
from reference.dropout import draw_kept, drop, dropout

FLOATS: list[np.dtype[np.floating[Any]]] = [np.dtype(np.float32), np.dtype(np.float64)]
INPUTS = st.sampled_from(FLOATS).flatmap(
    lambda dtype: arrays(
        dtype, array_shapes(max_dims=3, max_side=5), elements=st.floats(1, 2, width=32)
    )
)


@given(INPUTS, st.floats(0, 0.9))
def test_at_inference_nothing_happens(x: FloatArray, rate: float) -> None:
    """Without a generator the values are the inputs, in memory of their own."""
    x.flags.writeable = False

    y = dropout(x, rate)

    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, x)
    assert not np.shares_memory(y, x)


@given(INPUTS, st.floats(0, 0.9))
def test_in_training_entries_are_zero_or_enlarged(x: FloatArray, rate: float) -> None:
    """Each entry is either dropped or divided by the probability of keeping it."""
    y = dropout(x, rate, np.random.default_rng(0))

    assert y.dtype == x.dtype
    np.testing.assert_allclose(y[y != 0], x[y != 0] / (1 - rate), rtol=1e-6)


def test_the_mean_stays() -> None:
    """A quarter of a million ones is dropped, and the mean is still one."""
    y = dropout(np.ones(1_000_000), 0.25, np.random.default_rng(1))

    assert np.mean(y == 0) == pytest.approx(0.25, abs=0.003)
    assert y.mean() == pytest.approx(1, abs=0.003)


def test_the_same_seed_drops_the_same() -> None:
    """What is dropped depends on the generator alone, and is what `draw_kept` draws."""
    x = np.arange(1.0, 31.0).reshape(5, 6)

    one = dropout(x, 0.5, np.random.default_rng(3))
    other = dropout(x, 0.5, np.random.default_rng(3))
    kept = draw_kept(np.random.default_rng(3), (5, 6), 0.5)

    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(one, np.where(kept, 2 * x, 0))


@pytest.mark.parametrize("rate", [-0.1, 1.0, 1.5, np.nan])
def test_a_rate_is_a_probability_below_one(rate: float) -> None:
    """One would leave nothing to enlarge; the error names the rate, at inference too."""
    with pytest.raises(ValueError, match=f"at least 0 and below 1, got {rate}"):
        dropout([1.0], rate)
    with pytest.raises(ValueError, match="at least 0 and below 1"):
        draw_kept(np.random.default_rng(0), (1,), rate)
    with pytest.raises(ValueError, match="at least 0 and below 1"):
        drop([1.0], [True], rate)
