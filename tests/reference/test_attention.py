import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference.arrays import BoolArray, FloatArray
from reference.attention import attention_weights, causal_attention, scaled_dot_product_attention
from reference.masks import additive_from_boolean, causal_mask

FloatDType: TypeAlias = np.dtype[np.floating[Any]]

FLOATS: list[FloatDType] = [np.dtype(np.float32), np.dtype(np.float64)]


@st.composite
def inputs(draw: st.DrawFn) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draw a batch of Q, K and V with as many queries as keys; no other two axes share a size."""
    batch, n, d_k, d_v = draw(st.permutations([2, 3, 5, 7]))
    dtype = draw(st.sampled_from(FLOATS))
    elements = st.floats(-2, 2, width=32)
    Q, K, V = (draw(arrays(dtype, (batch, n, d), elements=elements)) for d in (d_k, d_k, d_v))
    return Q, K, V


@given(inputs())
def test_causal_attention_is_attention_under_the_causal_mask(
    drawn: tuple[FloatArray, FloatArray, FloatArray],
) -> None:
    """The boolean and the additive causal mask both give what causal attention gives."""
    blocked = causal_mask(drawn[0].shape[1])

    expected = causal_attention(*drawn)

    for mask in (blocked, additive_from_boolean(blocked)):
        masked = scaled_dot_product_attention(*drawn, mask=mask)
        np.testing.assert_array_equal(masked[0], expected[0])
        np.testing.assert_array_equal(masked[1], expected[1])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("form", [np.asarray, additive_from_boolean])
def test_a_fully_masked_query_gives_zeros(
    dtype: FloatDType, form: Callable[[BoolArray], FloatArray | BoolArray]
) -> None:
    """A query that may look at nothing has zero weights and a zero output, without a warning."""
    rng = np.random.default_rng(0)
    Q, K, V = (rng.standard_normal(shape).astype(dtype) for shape in [(2, 7), (3, 7), (3, 5)])
    blocked = np.array([[True, True, True], [False, False, True]])

    output, weights = scaled_dot_product_attention(Q, K, V, mask=form(blocked))

    np.testing.assert_array_equal(weights[0], np.zeros(3))
    np.testing.assert_array_equal(output[0], np.zeros(5))
    assert weights[1].sum() == pytest.approx(1)


def test_large_scores_stay_finite() -> None:
    """Scores in the thousands give the weights that their differences ask for."""
    weights = attention_weights([[1000.0]], [[3.0], [3.0 + math.log(4) / 1000]])

    np.testing.assert_allclose(weights, [[0.2, 0.8]], rtol=1e-10)


def test_no_keys_give_a_zero_output() -> None:
    """With nothing to look at, the weights are empty and the output is zero."""
    output, weights = scaled_dot_product_attention(
        np.ones((2, 3)), np.ones((0, 3)), np.ones((0, 5))
    )

    assert weights.shape == (2, 0)
    np.testing.assert_array_equal(output, np.zeros((2, 5)))


def test_the_weights_do_not_follow_the_values() -> None:
    """Wider values widen the output alone."""
    Q = np.ones((3, 2), dtype=np.float32)

    output, weights = causal_attention(Q, Q, np.ones((3, 5)))

    assert output.dtype == np.float64
    assert weights.dtype == np.float32
