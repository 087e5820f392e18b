import math

import numpy as np
import pytest

from reference.language_model import (
    language_model_logits,
    next_token_distribution,
    next_token_pairs,
    sequence_log_probability,
    tied_logits,
)
from reference.losses import cross_entropy


def test_logits_by_hand() -> None:
    """Every token has a column of weights and a bias."""
    hidden, W_out = [[1.0, 2.0]], [[1.0, 0.0, 3.0], [0.0, 1.0, 1.0]]

    assert language_model_logits(hidden, W_out).tolist() == [[1.0, 2.0, 5.0]]
    assert language_model_logits(hidden, W_out, [0.5, 0.0, -5.0]).tolist() == [[1.5, 2.0, 0.0]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_a_tied_head_is_the_embedding_transposed(
    batch: tuple[int, ...], dtype: type[np.floating]
) -> None:
    """Its logits are the dot products with every token's own embedding."""
    rng = np.random.default_rng(10)
    hidden = rng.standard_normal((*batch, 5, 7)).astype(dtype)
    E = rng.standard_normal((11, 7)).astype(dtype)

    logits = tied_logits(hidden, E)

    assert logits.dtype == dtype
    assert logits.shape == (*batch, 5, 11)
    np.testing.assert_array_equal(logits, language_model_logits(hidden, E.T))


def test_the_distribution_is_the_softmax_of_the_logits() -> None:
    """Logits log 1, log 2 and log 5 give eighths."""
    probabilities = next_token_distribution([[1.0]], np.log([[1.0, 2.0, 5.0]]))

    np.testing.assert_allclose(probabilities, [[1 / 8, 2 / 8, 5 / 8]], rtol=1e-14)


def test_targets_are_the_tokens_one_later() -> None:
    """Inputs lack the last token and targets the first, each in memory of its own."""
    tokens = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.int32)
    tokens.flags.writeable = False

    inputs, targets = next_token_pairs(tokens)

    assert inputs.tolist() == [[1, 2], [4, 5]]
    assert targets.tolist() == [[2, 3], [5, 6]]
    assert inputs.dtype == targets.dtype == np.int32
    assert not np.shares_memory(inputs, tokens)
    assert not np.shares_memory(targets, tokens)


def test_a_sequence_is_as_probable_as_the_product_of_its_tokens() -> None:
    """Shares of 1/2 and 1/4 make 1/8; the loss is the mean of the same with the other sign."""
    logits = np.log([[[0.5, 0.5], [0.25, 0.75]], [[0.1, 0.9], [0.2, 0.8]]])

    found = sequence_log_probability(logits, [[0, 0], [1, 1]])

    np.testing.assert_allclose(found, [math.log(0.125), math.log(0.72)], rtol=1e-14)
    loss = cross_entropy(logits, [[0, 0], [1, 1]])
    assert float(found.sum()) == pytest.approx(-4 * float(loss), rel=1e-14)
