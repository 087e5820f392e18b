from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.naive_softmax import naive_softmax, naive_softmax_by_rows
from reference.softmax import softmax

Softmax: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]

both = pytest.mark.parametrize("naive", [naive_softmax, naive_softmax_by_rows])


@both
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ordinary_scores_give_the_weights_of_softmax(
    naive: Softmax, dtype: type[np.floating]
) -> None:
    """Where nothing overflows, the naive softmax is right."""
    scores = np.random.default_rng(0).uniform(-20, 20, (3, 5)).astype(dtype)

    weights = naive(scores)

    assert weights.dtype == dtype
    np.testing.assert_allclose(weights, softmax(scores), rtol=64 * float(np.finfo(dtype).eps))


@both
@pytest.mark.parametrize(("dtype", "limit"), [(np.float32, 88.72), (np.float64, 709.78)])
def test_a_score_above_the_limit_gives_nan(
    naive: Softmax, dtype: type[np.floating], limit: float
) -> None:
    """Just below the documented limit all is well; just above it the score's own weight is NaN."""
    below = naive(np.array([[limit, 0.0]], dtype=dtype))
    above = naive(np.array([[limit + 0.01, 0.0]], dtype=dtype))

    assert np.isfinite(below).all()
    assert np.isnan(above[0, 0])
    assert above[0, 1] == 0


@both
@pytest.mark.parametrize(("dtype", "limit"), [(np.float32, -103.97), (np.float64, -745.13)])
def test_scores_all_below_the_limit_give_nan(
    naive: Softmax, dtype: type[np.floating], limit: float
) -> None:
    """Just above the documented limit something is left to divide by; just below it nothing."""
    assert np.isfinite(naive(np.full((1, 2), limit, dtype=dtype))).all()
    assert np.isnan(naive(np.full((1, 2), limit - 0.02, dtype=dtype))).all()


@both
def test_only_the_row_that_fails_is_lost(naive: Softmax) -> None:
    """A fully masked row is NaN, and the row beside it is as it should be."""
    weights = naive(np.array([[-np.inf, -np.inf], [0.0, 0.0]]))

    assert np.isnan(weights[0]).all()
    assert weights[1].tolist() == [0.5, 0.5]


def test_integers_are_not_cut_to_zero() -> None:
    """Whole scores give fractions, also in the loop that fills an array row by row."""
    np.testing.assert_allclose(naive_softmax_by_rows([[1, 1], [0, 0]]), 0.5)
