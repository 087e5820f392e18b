"""Batch normalisation against PyTorch, and the mean that dropout keeps."""

from typing import Any

import numpy as np
import pytest
from learning_reference.batch_statistics import batch_norm, drop_units

from tests.course_reference.conftest import recorded

RECORD = recorded("batch_statistics")


@pytest.mark.parametrize("case", RECORD["cases"])
def test_batch_norm_is_that_of_pytorch(case: dict[str, Any]) -> None:
    """In training and in use; PyTorch divides the running variance by n - 1."""
    given = {name: np.array(value) for name, value in RECORD["given"].items()}
    m, eps = RECORD["momentum"], RECORD["eps"]
    outputs, mean, variance = batch_norm(**given, training=case["training"], momentum=m, eps=eps)
    np.testing.assert_allclose(outputs, case["outputs"], rtol=1e-12)
    np.testing.assert_allclose(mean, case["mean"], rtol=1e-12)
    if case["training"]:
        n = len(given["x"])
        old = (1 - m) * given["running_variance"]
        variance = old + (variance - old) * n / (n - 1)
    np.testing.assert_allclose(variance, case["variance"], rtol=1e-12)


def test_dropout_keeps_the_mean_in_training_and_everything_in_use() -> None:
    """Kept numbers are divided by the probability of being kept."""
    rng = np.random.default_rng(3)
    x, draws = np.full(100_000, 2.0), rng.random(100_000)
    dropped = drop_units(x, draws, 0.8, training=True)
    assert set(np.unique(dropped)) == {0.0, 2.5}
    assert dropped.mean() == pytest.approx(2.0, rel=0.01)
    np.testing.assert_array_equal(drop_units(x, draws, 0.8, training=False), x)
