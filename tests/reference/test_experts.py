import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.experts import balance_loss, mixture_of_experts, route


@given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 6))
def test_a_mixture_is_that_of_token_by_token(n: int, experts: int, k: int) -> None:
    """By another way: for each token, its best experts, their softmax, and their weighted sum."""
    rng = np.random.default_rng(n)
    x, router = rng.standard_normal((n, 3)), rng.standard_normal((3, experts))
    W_1, W_2 = rng.standard_normal((experts, 3, 4)), rng.standard_normal((experts, 4, 3))

    output = mixture_of_experts(x, router, W_1, W_2, k)

    for token, result in zip(x, output, strict=True):
        scores = token @ router
        best = sorted(range(experts), key=lambda expert: -scores[expert])[:k]
        share = np.exp(scores[best]) / np.exp(scores[best]).sum()
        outputs = [np.where(token @ W_1[e] > 0, token @ W_1[e], 0) @ W_2[e] for e in best]
        np.testing.assert_allclose(result, share @ outputs, rtol=1e-10, atol=1e-12)


def test_of_equal_scores_the_first_win() -> None:
    """Exactly k experts have a weight."""
    assert route([[2.0, 2.0, 2.0]], 2).tolist() == [[0.5, 0.5, 0.0]]


def test_the_balance_loss_of_even_loads_and_of_one_that_gets_all() -> None:
    """Four tokens and four experts, each token sure of its choice."""
    assert balance_loss(100 * np.eye(4), 1) == pytest.approx(1)
    assert balance_loss(100 * np.eye(4)[[2, 2, 2, 2]], 1) == pytest.approx(4)
    assert balance_loss(np.zeros((3, 4)), 4) == pytest.approx(1)
