import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference.attention import causal_attention, scaled_dot_product_attention
from reference.attention_backward import attention_backward
from reference.flash import flash_attention, flash_attention_backward, flash_attention_forward
from reference.masks import apply_mask, causal_mask

Array = NDArray[Any]

MIB = 2**20


def draw_arrays(dtype: type[np.floating], *shapes: tuple[int, ...]) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


@given(
    st.permutations([2, 3, 5, 7, 11]),
    st.integers(1, 13),
    st.sampled_from([np.float32, np.float64]),
    st.data(),
)
def test_tiles_of_any_size_give_attention(
    sizes: list[int], block: int, dtype: type[np.floating], data: st.DataObject
) -> None:
    """Output and gradients under a random mask are those of attention with the whole matrix."""
    batch, n, m, d_k, d_v = sizes
    Q, K, V, d_output = draw_arrays(
        dtype, (batch, n, d_k), (m, d_k), (batch, m, d_v), (batch, n, d_v)
    )
    blocked = np.random.default_rng(data.draw(st.integers(0, 99))).random((n, m)) < 0.5
    tolerance = 2e-5 if dtype == np.float32 else 1e-12

    for mask in (None, blocked):
        output = flash_attention(Q, K, V, mask, block=block)
        gradients = flash_attention_backward(d_output, Q, K, V, mask, block=block)

        assert output.dtype == dtype
        expected, _ = scaled_dot_product_attention(Q, K, V, mask)
        np.testing.assert_allclose(output, expected, atol=tolerance)
        for one, other in zip(gradients, attention_backward(d_output, Q, K, V, mask), strict=True):
            assert one.dtype == dtype
            np.testing.assert_allclose(one, other, atol=tolerance)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 11, 13, 64])
def test_tiles_give_causal_attention(block: int) -> None:
    """Where tiles are cut makes no difference, at the diagonal either."""
    Q, K, V, d_output = draw_arrays(np.float64, (2, 13, 7), (2, 13, 7), (2, 13, 5), (2, 13, 5))

    output = flash_attention(Q, K, V, causal=True, block=block)
    gradients = flash_attention_backward(d_output, Q, K, V, causal=True, block=block)

    np.testing.assert_allclose(output, causal_attention(Q, K, V)[0], rtol=1e-12, atol=1e-14)
    expected = attention_backward(d_output, Q, K, V, causal_mask(13))
    for one, other in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


def test_tiles_of_the_future_are_not_computed() -> None:
    """NaN in the keys and values of later tiles does not reach the queries of earlier ones."""
    Q, K, V = draw_arrays(np.float64, (7, 3), (7, 3), (7, 5))
    expected = flash_attention(Q, K, V, causal=True, block=2)
    K[4:], V[4:] = np.nan, np.nan

    output = flash_attention(Q, K, V, causal=True, block=2)

    np.testing.assert_array_equal(output[:4], expected[:4])
    assert np.isnan(output[4:]).all()


def test_a_mask_and_the_causal_one_both_block() -> None:
    """Given together, a key is seen if both allow it."""
    Q, K, V = draw_arrays(np.float64, (7, 3), (7, 3), (7, 5))
    bias = np.random.default_rng(1).standard_normal((7, 7))

    output = flash_attention(Q, K, V, bias, causal=True, block=2)

    expected, _ = scaled_dot_product_attention(Q, K, V, apply_mask(bias, causal_mask(7)))
    np.testing.assert_allclose(output, expected, rtol=1e-12)


@pytest.mark.parametrize("block", [1, 2, 64])
def test_a_query_that_sees_nothing_gets_zeros(block: int) -> None:
    """Its output is zero, its logsumexp -inf and its gradient zero, without a warning."""
    Q, K, V, d_output = draw_arrays(np.float64, (3, 7), (5, 7), (5, 11), (3, 11))
    blocked = np.zeros((3, 5), dtype=np.bool_)
    blocked[1] = True

    output, sums = flash_attention_forward(Q, K, V, blocked, block=block)
    gradients = flash_attention_backward(d_output, Q, K, V, blocked, block=block)

    assert not output[1].any()
    assert np.isneginf(sums).tolist() == [False, True, False]
    assert not gradients.Q[1].any()


def test_huge_scores_stay_finite() -> None:
    """Scores in the thousands, rising from tile to tile, give the last key everything."""
    Q, K, V = (
        np.array([[100.0]]),
        np.array([[-50.0], [0.0], [50.0]]),
        np.array([[1.0], [2.0], [3.0]]),
    )

    assert flash_attention(Q, K, V, block=1).tolist() == [[3.0]]


@pytest.mark.parametrize(("n", "m", "d_v"), [(0, 5, 3), (3, 0, 2), (3, 5, 0)])
def test_empty_axes_give_empty_or_zero_results(n: int, m: int, d_v: int) -> None:
    """Without queries, keys or features the output is what attention gives, and so is the gradient."""
    Q, K, V, d_output = draw_arrays(np.float64, (n, 7), (m, 7), (m, d_v), (n, d_v))

    output = flash_attention(Q, K, V)
    gradients = flash_attention_backward(d_output, Q, K, V)

    np.testing.assert_array_equal(output, scaled_dot_product_attention(Q, K, V)[0])
    assert [gradient.shape for gradient in gradients] == [Q.shape, K.shape, V.shape]
    assert not any(gradient.any() for gradient in gradients)


def peak_memory(call: Callable[[], object]) -> int:
    """Return by how many bytes the memory grows at most during a call."""
    call()  # what is imported or cached at the first call does not count
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_the_matrix_of_weights_is_never_held() -> None:
    """With 2048 positions it would take 16 MiB; the tiles and the output take less than one."""
    Q, K, V = draw_arrays(np.float32, (2048, 16), (2048, 16), (2048, 16))

    plain = peak_memory(lambda: scaled_dot_product_attention(Q, K, V))
    tiled = peak_memory(lambda: flash_attention(Q, K, V))
    causal = peak_memory(lambda: flash_attention(Q, K, V, causal=True))
    backward = peak_memory(lambda: flash_attention_backward(V, Q, K, V, causal=True))

    assert plain > 16 * MIB
    assert max(tiled, causal) < MIB
    assert backward < 2 * MIB
