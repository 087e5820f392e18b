import numpy as np
import pytest
from numpy.typing import ArrayLike

from reference.embeddings import embed, embed_backward, one_hot
from tests.reference.conftest import Recorded

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


def test_lookup_and_gradient_are_those_of_pytorch(recorded: Recorded) -> None:
    """Both give what PyTorch's embedding computes in float64."""
    case = recorded("attention", "embedding")
    tokens, E = case.inputs["tokens"], case.inputs["E"]

    np.testing.assert_array_equal(embed(tokens, E), case.outputs["output"])
    np.testing.assert_allclose(
        embed_backward(case.inputs["d_output"], tokens, len(E)), case.outputs["d_E"], rtol=1e-10
    )


@pytest.mark.parametrize("token", [-1, 7])
def test_a_token_without_a_row_is_refused(token: int) -> None:
    """Negative ones too, which would count from the end; the error names the token."""
    message = rf"token {token} of tokens of shape \(2,\) is not in a vocabulary of 7"
    with pytest.raises(ValueError, match=message):
        embed([0, token], TABLE)
    with pytest.raises(ValueError, match=message):
        embed_backward(np.ones((2, 3)), [0, token], 7)
    with pytest.raises(ValueError, match=message):
        one_hot([0, token], 7)


def test_what_is_no_token_or_no_table_is_refused() -> None:
    """Tokens are integers, a table has two axes, and a gradient the shape of the vectors."""
    with pytest.raises(TypeError, match="tokens are integers, got an array of dtype float64"):
        embed([0.0], TABLE)
    with pytest.raises(ValueError, match=r"axes \(vocabulary, features\), got shape \(7,\)"):
        embed([0], TABLE[:, 0])
    with pytest.raises(ValueError, match=r"\(3, 2\) and the looked-up vectors of shape \(5, 2\)"):
        embed_backward(np.ones((3, 2)), np.zeros(5, dtype=int), 7)
