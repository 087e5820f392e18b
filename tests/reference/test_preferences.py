import numpy as np
import pytest

from reference.gradients import numerical_gradient
from reference.preferences import answer_log_probabilities, dpo_loss, dpo_margins
from tests.reference.conftest import Recorded


def test_margins_and_loss_are_those_of_torch(recorded: Recorded) -> None:
    """The slope of the loss too, which finite differences measure."""
    case = recorded("training", "dpo")
    frozen, is_answer = case.inputs["frozen"], case.inputs["is_answer"]

    margins = dpo_margins(**case.inputs, beta=0.3)
    loss = dpo_loss(**case.inputs, beta=0.3)
    slope = numerical_gradient(lambda x: dpo_loss(x, frozen, is_answer, 0.3), case.inputs["policy"])

    np.testing.assert_allclose(margins, case.outputs["margins"], rtol=1e-12)
    np.testing.assert_allclose(loss, case.outputs["loss"], rtol=1e-12)
    np.testing.assert_allclose(slope, case.outputs["gradient"], atol=1e-8)


def test_what_is_no_answer_counts_for_nothing() -> None:
    """The values at padding have no effect."""
    logs = np.array([[-1.0, -2.0, -np.inf], [-3.0, np.nan, np.inf]], dtype=np.float32)

    sums = answer_log_probabilities(logs, [[True, True, False], [True, False, False]])

    assert sums.tolist() == [-3.0, -3.0]
    assert sums.dtype == np.float32


def test_huge_margins_overflow_nothing() -> None:
    """The loss of a margin of -1000 is 1000, that of 1000 is 0; a model that is as it was has log 2."""
    policy = np.array([[[-1000.0], [0.0]], [[0.0], [-1000.0]]])
    everything = np.ones(policy.shape, dtype=np.bool_)

    assert dpo_loss(policy, np.zeros_like(policy), everything, 1.0) == 500
    assert dpo_loss(policy, policy, everything) == pytest.approx(np.log(2))
