"""The sums of the course that keep their digits, against SciPy and the standard library."""

import math
from typing import Any

import numpy as np
import pytest
from learning_reference.careful_sums import exact_sum, log_sum_exp

from tests.course_reference.conftest import recorded

CASES = recorded("careful_sums")["cases"]


@pytest.mark.parametrize("case", CASES)
def test_log_sum_exp_is_that_of_scipy(case: dict[str, Any]) -> None:
    """Small, large and impossible numbers give what scipy.special.logsumexp gives."""
    np.testing.assert_allclose(log_sum_exp(case["x"]), case["result"], rtol=1e-14)


def test_a_sum_is_rounded_once() -> None:
    """The exact sum equals math.fsum, also where a plain sum loses every small number."""
    x = np.random.default_rng(0).uniform(0.0, 1.0, 500) * 1e-16
    x = np.concatenate([[1.0], x])
    assert exact_sum(x) == math.fsum(x) != 1.0
