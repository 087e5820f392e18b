from typing import Any

import numpy as np
import pytest
from learning_reference.fold_validation import (
    bias_and_variance,
    cross_validated_error,
    fold_numbers,
)

from tests.course_reference.conftest import recorded

RECORDED = recorded("fold_validation")


@pytest.mark.parametrize("case", RECORDED["folds"])
def test_folds_are_those_of_scikit_learn(case: dict[str, Any]) -> None:
    """Its KFold leaves out the same rows, in the same order."""
    assert fold_numbers(case["n"], case["k"]).tolist() == case["fold"]


@pytest.mark.parametrize("case", RECORDED["errors"])
def test_the_error_is_that_of_scikit_learn(case: dict[str, Any]) -> None:
    """It cross-validates a pipeline that standardises in each fold."""
    found = cross_validated_error(case["X"], case["y"], case["fold"], case["penalty"])

    assert found == pytest.approx(case["error"], rel=1e-9)


def test_bias_and_variance_add_up_to_the_error() -> None:
    """Together they are the mean squared distance to the truth."""
    rng = np.random.default_rng(0)
    predictions, truth = rng.standard_normal((5, 8)), rng.standard_normal(8)

    squared_bias, variance = bias_and_variance(predictions, truth)

    assert squared_bias + variance == pytest.approx(np.mean((predictions - truth) ** 2))
    assert variance == pytest.approx(np.var(predictions, axis=0).mean())
