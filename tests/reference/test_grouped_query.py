import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reference.attention import scaled_dot_product_attention
from reference.grouped_query import grouped_query_attention, multi_query_attention, repeat_heads
from reference.masks import causal_mask


def test_neighbours_share_a_head() -> None:
    """Each head is repeated in place, not the whole row of heads."""
    assert repeat_heads([[[7.0]], [[8.0]]], 3).ravel().tolist() == [7, 7, 7, 8, 8, 8]


@given(st.permutations([2, 3, 5, 7]), st.integers(1, 3), st.integers(1, 3), st.booleans())
def test_each_query_head_finds_its_own_group(
    sizes: list[int], groups: int, times: int, with_mask: bool
) -> None:
    """Query head i attends to head i // times, as if alone."""
    n, m, d_k, d_v = sizes
    rng = np.random.default_rng(0)
    Q = rng.standard_normal((groups * times, n, d_k))
    K, V = rng.standard_normal((groups, m, d_k)), rng.standard_normal((groups, m, d_v))
    mask = causal_mask(n, m) if with_mask else None

    output, weights = grouped_query_attention(Q, K, V, mask)

    for head in range(groups * times):
        alone = scaled_dot_product_attention(Q[head], K[head // times], V[head // times], mask)
        np.testing.assert_allclose(output[head], alone[0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(weights[head], alone[1], rtol=1e-10, atol=1e-12)


def test_multi_query_attention_has_one_group() -> None:
    """Keys and values without an axis of heads serve all heads."""
    rng = np.random.default_rng(0)
    Q = rng.standard_normal((2, 5, 3, 7))
    K, V = rng.standard_normal((2, 11, 7)), rng.standard_normal((2, 11, 13))

    output, weights = multi_query_attention(Q, K, V)

    expected = grouped_query_attention(Q, K[:, None], V[:, None])
    assert output.shape == (2, 5, 3, 13)
    np.testing.assert_allclose(output, expected[0], rtol=1e-12)
    np.testing.assert_allclose(weights, expected[1], rtol=1e-12)
