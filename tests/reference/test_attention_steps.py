import numpy as np

from reference.attention import scaled_dot_product_attention
from reference.attention_steps import AttentionSteps, attention_steps
from reference.masks import causal_mask

Q = np.array([[2.0, 0.0], [0.0, 4.0], [1.0, 1.0]])
K = np.array([[1.0, 2.0], [4.0, 0.0], [2.0, 1.0]])
V = np.array([[2.0, 1.0], [0.0, 4.0], [1.0, 1.0]])


def test_every_step_worked_out_by_hand() -> None:
    """Scores are whole numbers, scaled by the root of 2, and -inf above the diagonal."""
    steps = attention_steps(Q, K, V, causal_mask(3))

    scores = np.array([[2, 8, 4], [8, 0, 4], [3, 4, 3]])
    np.testing.assert_array_equal(steps.scores, scores)
    np.testing.assert_allclose(steps.scaled, scores / np.sqrt(2), rtol=1e-15)
    np.testing.assert_allclose(
        steps.scaled,
        [[1.4142, 5.6569, 2.8284], [5.6569, 0, 2.8284], [2.1213, 2.8284, 2.1213]],
        atol=5e-5,
    )
    np.testing.assert_array_equal(np.isneginf(steps.masked), causal_mask(3))
    np.testing.assert_array_equal(np.tril(steps.scaled), np.where(causal_mask(3), 0, steps.masked))
    np.testing.assert_allclose(steps.output, steps.weights @ V, rtol=1e-15)


def test_the_result_is_that_of_attention() -> None:
    """Weights and output are exactly those of the function that keeps no steps."""
    for mask in (None, causal_mask(3)):
        steps = attention_steps(Q, K, V, mask)

        output, weights = scaled_dot_product_attention(Q, K, V, mask)
        np.testing.assert_array_equal(steps.output, output)
        np.testing.assert_array_equal(steps.weights, weights)


def test_without_a_mask_nothing_is_masked() -> None:
    """The masked scores equal the scaled ones, in memory of their own."""
    steps = attention_steps(Q, K, V)

    np.testing.assert_array_equal(steps.masked, steps.scaled)
    assert not np.shares_memory(steps.masked, steps.scaled)


def test_steps_are_named_in_order() -> None:
    """The inputs come first, then each step as it is computed."""
    assert AttentionSteps._fields == (
        *("Q", "K", "V", "scores", "scaled", "masked", "weights", "output"),
    )
