import math

import numpy as np
import pytest

from reference.similarity import cosine_similarity, dot_product, similarity_scores


def test_the_dot_product_worked_out_by_hand() -> None:
    """Entry by entry: 1 * 4 + 2 * -5 + 3 * 6."""
    assert dot_product([1, 2, 3], [4, -5, 6]) == 12


def test_the_cosine_is_that_of_the_angle() -> None:
    """Vectors at an angle have its cosine, whatever their lengths."""
    angles = np.linspace(0, 2 * math.pi, 13)
    turned = np.stack([np.cos(angles), np.sin(angles)], axis=-1) * np.arange(1, 14)[:, None]

    np.testing.assert_allclose(cosine_similarity([3.0, 0.0], turned), np.cos(angles), atol=1e-15)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_the_cosine_of_extreme_vectors(factor: float) -> None:
    """Squares that would overflow or vanish do not matter."""
    cosine = cosine_similarity(np.array([3.0, 4.0]) * factor, np.array([4.0, 3.0]) * factor)

    np.testing.assert_allclose(cosine, 24 / 25, rtol=1e-14)


def test_a_zero_vector_has_no_direction() -> None:
    """Its cosine with anything is zero, not NaN."""
    assert cosine_similarity([0.0, 0.0], [[1.0, 2.0], [0.0, 0.0]]).tolist() == [0, 0]


def test_scores_are_the_dot_products_of_all_pairs() -> None:
    """Row i, column j holds the dot product of query i and key j, unscaled."""
    rng = np.random.default_rng(0)
    Q, K = rng.standard_normal((2, 3, 7)), rng.standard_normal((2, 5, 7))

    scores = similarity_scores(Q, K)

    assert scores.shape == (2, 3, 5)
    np.testing.assert_allclose(scores, dot_product(Q[:, :, None], K[:, None]), rtol=1e-12)
