import numpy as np
import pytest
from numpy.typing import ArrayLike

from reference.embeddings import embed, embed_backward, one_hot

TABLE = np.arange(21.0).reshape(7, 3)


def test_a_lookup_is_a_product_with_one_hot_rows() -> None:
    """Both give exactly the same vectors."""
    tokens = np.array([[3, 1, 4], [1, 5, 0]])

    hot = one_hot(tokens, 7)

    assert hot.shape == (2, 3, 7)
    assert set(hot.ravel()) == {0, 1}
    np.testing.assert_array_equal(hot @ TABLE, embed(tokens, TABLE))


@pytest.mark.parametrize("tokens", [2, [2], np.array([[2]], dtype=np.uint8)])
def test_the_vectors_are_copies(tokens: ArrayLike) -> None:
    """Also of a single token, whose row NumPy would give as a view."""
    vectors = embed(tokens, TABLE)

    assert vectors.shape == (*np.shape(tokens), 3)
    assert not np.shares_memory(vectors, TABLE)


def test_a_token_that_occurs_twice_collects_both_gradients() -> None:
    """The rows of tokens that do not occur get zeros."""
    gradient = embed_backward([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]], [3, 0, 3], vocabulary=5)

    assert gradient.tolist() == [[10, 20], [0, 0], [0, 0], [101, 202], [0, 0]]
