import numpy as np

from reference.attention import scaled_dot_product_attention
from reference.cross_attention import cross_attention

RNG = np.random.default_rng(0)
X, MEMORY = RNG.standard_normal((2, 3, 5)), RNG.standard_normal((2, 7, 11))
W_Q, W_K, W_V = (RNG.standard_normal(shape) for shape in [(5, 13), (11, 13), (11, 17)])


def test_queries_come_from_one_sequence_and_the_rest_from_the_other() -> None:
    """The same as projecting each sequence first."""
    output, weights = cross_attention(X, MEMORY, W_Q, W_K, W_V)

    expected = scaled_dot_product_attention(X @ W_Q, MEMORY @ W_K, MEMORY @ W_V)
    assert output.shape == (2, 3, 17)
    assert weights.shape == (2, 3, 7)
    np.testing.assert_allclose(output, expected[0], rtol=1e-12)
    np.testing.assert_allclose(weights, expected[1], rtol=1e-12)


def test_a_mask_hides_padding_of_the_memory() -> None:
    """Positions that are blocked may hold anything finite."""
    blocked = np.arange(7) >= 4
    changed = MEMORY.copy()
    changed[:, 4:] = 1e3

    one = cross_attention(X, MEMORY, W_Q, W_K, W_V, blocked)
    other = cross_attention(X, changed, W_Q, W_K, W_V, blocked)

    np.testing.assert_array_equal(one[0], other[0])
    assert not one[1][..., 4:].any()
