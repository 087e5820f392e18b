import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reference.linear_attention import linear_attention, positive_features


@given(st.integers(1, 9), st.integers(1, 4), st.integers(1, 4))
def test_the_state_gives_what_a_matrix_of_weights_gives(n: int, d_k: int, d_v: int) -> None:
    """Row i has the products of features of query i with keys 0 to i, divided by their sum."""
    rng = np.random.default_rng(n)
    Q, K = rng.standard_normal((2, n, d_k))
    V = rng.standard_normal((n, d_v))

    output = linear_attention(Q, K, V)

    weights = np.tril(positive_features(Q) @ positive_features(K).T)
    weights /= weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(output, weights @ V, rtol=1e-12)


def test_features_are_positive_however_small_the_number_is() -> None:
    """And continuous at 0, where both parts are 1."""
    assert positive_features([-2.0, 0.0, 3.0, 900.0]).tolist() == [np.exp(-2.0), 1.0, 4.0, 901.0]
