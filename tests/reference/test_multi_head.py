import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reference.masks import causal_mask
from reference.multi_head import (
    MultiHeadAttention,
    init_multi_head,
    join_head_weights,
    merge_heads,
    multi_head_attention,
    multi_head_attention_per_head,
    separate_head_weights,
    split_heads,
)


@given(st.integers(1, 5), st.integers(0, 5), st.integers(0, 3), st.sampled_from([(), (2,), (3, 2)]))
def test_merging_undoes_splitting(heads: int, n: int, d: int, batch: tuple[int, ...]) -> None:
    """Split and merged, every feature is where it was."""
    x = np.random.default_rng(0).standard_normal((*batch, n, heads * d))

    parts = split_heads(x, heads)

    assert parts.shape == (*batch, heads, n, d)
    np.testing.assert_array_equal(merge_heads(parts), x)


def test_joining_weights_undoes_separating() -> None:
    """The matrix of head i is the i-th block of columns."""
    W = np.random.default_rng(0).standard_normal((5, 6))

    per_head = separate_head_weights(W, 3)

    assert per_head.shape == (3, 5, 2)
    np.testing.assert_array_equal(per_head[1], W[:, 2:4])
    np.testing.assert_array_equal(join_head_weights(per_head), W)


def test_matrices_side_by_side_do_the_same() -> None:
    """Joined matrices, separate ones, and the object that keeps them agree."""
    parameters = init_multi_head(6, 3, np.random.default_rng(0))
    x = np.random.default_rng(1).standard_normal((2, 5, 6))
    W_Q, W_K, W_V = (separate_head_weights(W, 3) for W in parameters[:3])

    joined = multi_head_attention(x, *parameters, 3, causal_mask(5))
    separate = multi_head_attention_per_head(x, W_Q, W_K, W_V, parameters.W_O, causal_mask(5))
    kept = MultiHeadAttention(*parameters, heads=3)(x, causal_mask(5))

    for other in (separate, kept):
        np.testing.assert_array_equal(other[0], joined[0])
        np.testing.assert_array_equal(other[1], joined[1])


def test_a_mask_for_each_batch_needs_an_axis_for_the_heads() -> None:
    """A mask of shape (b, 1, n, m) hides a key from all heads of its batch alone."""
    parameters = init_multi_head(6, 3, np.random.default_rng(0))
    x = np.random.default_rng(1).standard_normal((2, 5, 6))
    mask = np.zeros((2, 1, 1, 5), dtype=np.bool_)
    mask[1, ..., 4] = True

    _, weights = multi_head_attention(x, *parameters, 3, mask)

    assert weights.shape == (2, 3, 5, 5)
    assert not weights[1, ..., 4].any()
    assert weights[0].all()


def test_weights_are_drawn_head_by_head() -> None:
    """For each head W_Q, W_K, W_V, then W_O, all over the root of d_model."""
    parameters = init_multi_head(6, 3, np.random.default_rng(0))

    rng = np.random.default_rng(0)
    drawn = [[rng.standard_normal((6, 2)) / np.sqrt(6) for _ in range(3)] for _ in range(3)]
    for part, joined in enumerate(parameters[:3]):
        np.testing.assert_array_equal(separate_head_weights(joined, 3), [d[part] for d in drawn])
    np.testing.assert_array_equal(parameters.W_O, rng.standard_normal((6, 6)) / np.sqrt(6))


def test_an_object_keeps_its_own_weights() -> None:
    """Changing the arrays it was made from changes nothing."""
    parameters = init_multi_head(6, 3, np.random.default_rng(0))
    x = np.ones((5, 6))
    attention = MultiHeadAttention(*parameters, heads=3)
    before, _ = attention(x)

    for W in parameters:
        W[:] = 0

    np.testing.assert_array_equal(attention(x)[0], before)
