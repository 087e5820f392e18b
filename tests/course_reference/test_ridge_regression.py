from typing import Any

import numpy as np
import pytest
from learning_reference.ridge_regression import feature_powers, ridge_weights

from tests.course_reference.conftest import recorded

RECORDED = recorded("ridge_regression")


@pytest.mark.parametrize("case", RECORDED["ridges"])
def test_a_penalised_line_is_that_of_scikit_learn(case: dict[str, Any]) -> None:
    """Its Ridge, which leaves the intercept free, has the same weights."""
    found = ridge_weights(case["X"], case["y"], case["penalty"])

    np.testing.assert_allclose(found, case["weights"], rtol=1e-9)


@pytest.mark.parametrize("case", RECORDED["powers"])
def test_powers_are_those_of_scikit_learn(case: dict[str, Any]) -> None:
    """Its PolynomialFeatures has the same columns, in the same order."""
    np.testing.assert_allclose(feature_powers(case["x"], case["degree"]), case["powers"])


def test_powers_of_whole_numbers_do_not_overflow() -> None:
    """They are floats from the start: 1000 to the 12th is 1e36."""
    assert feature_powers(np.array([1000]), 12)[0, -1] == pytest.approx(1e36)
