import numpy as np

from reference.gradients import numerical_gradient
from reference.policy import clipped_policy_loss, group_advantages
from tests.reference.conftest import Recorded


def test_advantages_and_loss_are_those_of_torch(recorded: Recorded) -> None:
    """The slope of the loss too, which is 0 where the clipped ratio counts."""
    case = recorded("training", "policy_loss")
    new, old, rewards, is_answer = case.inputs.values()

    advantages = group_advantages(rewards)
    loss = clipped_policy_loss(new, old, advantages, is_answer)
    slope = numerical_gradient(lambda x: clipped_policy_loss(x, old, advantages, is_answer), new)

    np.testing.assert_allclose(advantages, case.outputs["advantages"], rtol=1e-12)
    np.testing.assert_allclose(loss, case.outputs["loss"], rtol=1e-12)
    np.testing.assert_allclose(slope, case.outputs["gradient"], atol=1e-8)
    assert np.any((slope == 0) & is_answer)


def test_equal_rewards_teach_nothing() -> None:
    """Where all answers are as good, there is nothing to prefer; dtypes stay."""
    advantages = group_advantages(np.full((2, 3), 0.7, dtype=np.float32))

    np.testing.assert_allclose(advantages, 0.0, atol=1e-2)
    assert advantages.dtype == np.float32


def test_what_is_no_answer_counts_for_nothing() -> None:
    """Padding has no effect, and each answer counts the same, whatever its length."""
    new = np.array([[0.0, np.nan, np.inf], [0.0, 0.0, 0.0]])
    is_answer = [[True, False, False], [True, True, True]]

    assert clipped_policy_loss(new, np.zeros((2, 3)), [3.0, -1.0], is_answer) == -1
