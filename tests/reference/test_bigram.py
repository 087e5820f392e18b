import numpy as np
import pytest

from reference.bigram import bigram_gradient, bigram_logits, train_bigram
from reference.optimizers import adamw_step, init_adamw
from tests.reference.conftest import Recorded


def test_logits_are_looked_up() -> None:
    """Each token gives its row."""
    assert bigram_logits([1, 0, 1], [[1.0, 2.0], [3.0, 4.0]]).tolist() == [[3, 4], [1, 2], [3, 4]]


def test_training_agrees_with_pytorch(recorded: Recorded) -> None:
    """Eleven steps of gradient descent give the same losses and weights to 1e-10."""
    case = recorded("blocks", "bigram_sgd")

    W, losses = train_bigram(case.inputs["W"], case.inputs["tokens"], learning_rate=0.7, steps=11)

    np.testing.assert_allclose(W, case.outputs["W"], atol=1e-10)
    np.testing.assert_allclose(losses, case.outputs["losses"], atol=1e-10)


def test_training_with_adamw_agrees_with_pytorch(recorded: Recorded) -> None:
    """Eleven steps of AdamW give the same weights to 1e-10."""
    case = recorded("blocks", "bigram_adamw")
    W, tokens = case.inputs["W"], case.inputs["tokens"]
    state = init_adamw(W)

    for _ in range(11):
        gradient = bigram_gradient(W, tokens)
        W, state = adamw_step(
            W, gradient, state, 0.05, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1
        )

    np.testing.assert_allclose(W, case.outputs["W"], atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes_stay_and_scores_are_only_read(dtype: type[np.floating]) -> None:
    """Training starts from a copy; with no steps it gives the start."""
    W = np.eye(3, dtype=dtype)
    W.flags.writeable = False

    trained, losses = train_bigram(W, [0, 1, 2], 0.1, steps=2)
    same, none = train_bigram(W, [0, 1, 2], 0.1, steps=0)

    assert trained.dtype == losses.dtype == same.dtype == dtype
    assert none.shape == (0,)
    np.testing.assert_array_equal(same, W)
    assert not np.shares_memory(same, W)
