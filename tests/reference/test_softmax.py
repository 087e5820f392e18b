import math
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference.arrays import FloatArray
from reference.softmax import log_softmax, logsumexp, softmax, softmax_backward

FloatDType: TypeAlias = np.dtype[np.floating[Any]]

FLOATS: list[FloatDType] = [np.dtype(np.float32), np.dtype(np.float64)]
SCORES = arrays(
    st.sampled_from(FLOATS),
    st.permutations([2, 3, 5]).map(tuple),  # no two axes share a size
    elements=st.floats(-20, 20, width=32),
)


def tolerance(dtype: FloatDType) -> float:
    return 64 * float(np.finfo(dtype).eps)


@given(SCORES, st.integers(-3, 2))
def test_every_slice_equals_a_loop_over_its_scores(scores: FloatArray, axis: int) -> None:
    """Along any axis, the weights are the exponentials over their sum."""
    weights = softmax(scores, axis=axis)

    assert weights.shape == scores.shape
    flat_scores = np.moveaxis(scores, axis, -1).reshape(-1, scores.shape[axis])
    flat_weights = np.moveaxis(weights, axis, -1).reshape(-1, scores.shape[axis])
    for score_row, weight_row in zip(flat_scores.tolist(), flat_weights.tolist(), strict=True):
        total = math.fsum(math.exp(score) for score in score_row)
        expected = [math.exp(score) / total for score in score_row]
        np.testing.assert_allclose(weight_row, expected, rtol=tolerance(scores.dtype))


def test_the_last_axis_is_the_default() -> None:
    """Without an axis the rows are normalised."""
    scores = [[0.0, 1.0, 3.0], [2.0, -1.0, 0.5]]

    np.testing.assert_array_equal(softmax(scores), softmax(scores, axis=1))
    assert not np.allclose(softmax(scores), softmax(scores, axis=0))


@pytest.mark.parametrize("dtype", FLOATS)
def test_huge_scores_stay_finite(dtype: FloatDType) -> None:
    """Scores far beyond the reach of exp give the weights that their differences ask for."""
    scores = np.array([[30000.0, 30001.0], [-30001.0, -30000.0]], dtype=dtype)

    low = 1 / (1 + math.e)
    np.testing.assert_allclose(
        softmax(scores), [[low, 1 - low], [low, 1 - low]], rtol=tolerance(dtype)
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_blocked_score_gets_exactly_zero(dtype: FloatDType) -> None:
    """A score of -inf has weight 0 and the others share the whole."""
    weights = softmax(np.array([-np.inf, math.log(3), 0.0], dtype=dtype))

    assert weights[0] == 0
    np.testing.assert_allclose(weights[1:], [0.75, 0.25], rtol=tolerance(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_fully_blocked_row_gives_zeros(dtype: FloatDType) -> None:
    """A row of nothing but -inf gives zeros, without a warning, and its neighbours do not care."""
    scores = np.array([[-np.inf, -np.inf, -np.inf], [0.0, 0.0, -np.inf]], dtype=dtype)

    np.testing.assert_array_equal(softmax(scores), [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0]])


def test_nan_stays_in_its_own_row() -> None:
    """A NaN spoils the row it is in and no other."""
    weights = softmax([[math.nan, 1.0], [0.0, 0.0]])

    assert np.isnan(weights[0]).all()
    np.testing.assert_array_equal(weights[1], [0.5, 0.5])


@given(SCORES, st.integers(-3, 2))
def test_the_logarithm_of_softmax_is_log_softmax(scores: FloatArray, axis: int) -> None:
    """Where no weight rounds to zero, both ways give the same."""
    logarithms = log_softmax(scores, axis=axis)

    assert logarithms.max() <= 0
    np.testing.assert_allclose(
        logarithms, np.log(softmax(scores, axis=axis)), atol=tolerance(scores.dtype)
    )


def test_log_softmax_tells_weights_apart_that_round_to_zero() -> None:
    """Scores of -2000 and -3000 beside 0 have weight 0 both, and different logarithms."""
    scores = [0.0, -2000.0, -3000.0]

    assert softmax(scores).tolist() == [1, 0, 0]
    assert log_softmax(scores).tolist() == scores


@pytest.mark.parametrize("dtype", FLOATS)
def test_logarithms_of_blocked_scores_are_minus_infinity(dtype: FloatDType) -> None:
    """A blocked score stays -inf, a slice of nothing else sums to -inf, and neither warns."""
    scores = np.array([[-np.inf, 0.0, 0.0], [-np.inf, -np.inf, -np.inf]], dtype=dtype)

    half = -math.log(2)
    np.testing.assert_allclose(
        log_softmax(scores), [[-np.inf, half, half], [-np.inf] * 3], rtol=tolerance(dtype)
    )
    np.testing.assert_allclose(logsumexp(scores), [math.log(2), -np.inf], rtol=tolerance(dtype))


def test_logsumexp_of_extremes() -> None:
    """Huge numbers do not overflow, an infinity stays one, and an empty sum has no logarithm."""
    np.testing.assert_allclose(logsumexp([3000.0, 3000.0]), 3000 + math.log(2))
    assert logsumexp([np.inf, 1.0]) == np.inf
    assert logsumexp(np.zeros((2, 0))).tolist() == [-np.inf, -np.inf]


def test_logsumexp_keeps_its_axis_if_asked() -> None:
    """With keepdims the result broadcasts against the numbers."""
    assert logsumexp(np.zeros((2, 3, 5)), axis=1, keepdims=True).shape == (2, 1, 5)


def test_nothing_passes_through_a_blocked_score() -> None:
    """The gradient of a weight of zero is zero, and so is that of a fully blocked row."""
    weights = softmax([[-np.inf, 0.0, 1.0], [-np.inf] * 3])

    gradient = softmax_backward(np.ones((2, 3)) * [5.0, 2.0, 1.0], weights)

    assert gradient[0, 0] == 0
    assert gradient[1].tolist() == [0, 0, 0]
