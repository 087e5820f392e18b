"""The recurrent network of the course, against recorded results of PyTorch."""

from typing import Any

import numpy as np
import pytest
from learning_reference.recurrent_states import gradient_through_time, recurrent_states

from tests.course_reference.conftest import recorded

CASES = recorded("recurrent_states")["cases"]


@pytest.mark.parametrize("case", CASES)
def test_states_are_those_of_pytorch(case: dict[str, Any]) -> None:
    """The states after each input equal those of torch.nn.RNN."""
    states = recurrent_states(case["X"], case["W"], case["R"], case["b"], case["start"])
    np.testing.assert_allclose(states, case["states"], rtol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_the_gradient_is_that_of_autograd(case: dict[str, Any]) -> None:
    """The gradient through all steps equals the one that PyTorch's autograd finds."""
    gradient = gradient_through_time(case["states"], case["R"], case["start"], case["d_last"])
    np.testing.assert_allclose(gradient, case["d_R"], rtol=1e-10, atol=1e-14)
