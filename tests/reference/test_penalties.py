import numpy as np
import pytest

from reference.masks import apply_mask
from reference.penalties import add_penalty, replace_by_penalty
from reference.softmax import softmax

SCORES = np.array([[2.0, 1.0, 0.0], [0.5, -0.25, 1.0]])
BLOCKED = np.array([[False, True, False], [True, True, True]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_with_a_key_left_gets_the_weights_of_minus_infinity(dtype: type[np.floating]) -> None:
    """Exponentials of -1e9 are exactly zero, however the penalty came in."""
    scores = SCORES[:1].astype(dtype)

    expected = softmax(apply_mask(scores, BLOCKED[:1]))
    for masked in (add_penalty(scores, BLOCKED[:1] * 1), replace_by_penalty(scores, BLOCKED[:1])):
        assert masked.dtype == dtype
        np.testing.assert_array_equal(softmax(masked), expected)


def test_an_added_penalty_leaves_a_blocked_row_its_weights() -> None:
    """In float64 the scores survive the sum to about 1e-7, and so the row is not masked at all."""
    weights = softmax(add_penalty(SCORES, BLOCKED * 1))

    np.testing.assert_allclose(weights[1], softmax(SCORES)[1], atol=1e-7)


def test_an_added_penalty_swallows_small_scores_in_float32() -> None:
    """Near 1e9 the numbers of float32 lie 64 apart, so a blocked row gets equal weights."""
    weights = softmax(add_penalty(SCORES.astype(np.float32), BLOCKED * 1))

    assert np.spacing(np.float32(1e9)) == 64
    np.testing.assert_allclose(weights[1], 1 / 3, rtol=1e-6)


@pytest.mark.parametrize(
    "masked",
    [
        add_penalty(SCORES.astype(np.float16), BLOCKED * 1),
        replace_by_penalty(SCORES.astype(np.float16), BLOCKED),
    ],
)
def test_in_float16_the_penalty_is_minus_infinity(masked: np.ndarray) -> None:
    """The number is too large for float16, which blocks all the same."""
    assert masked.dtype == np.float16
    np.testing.assert_array_equal(np.isneginf(masked), BLOCKED)


def test_the_penalty_can_be_chosen() -> None:
    """Another number is added, or put in the place of a score."""
    assert add_penalty([[1.0, 2.0]], [[0, 1]], penalty=-5).tolist() == [[1, -3]]
    assert replace_by_penalty([[1.0, 2.0]], [[False, True]], penalty=-5).tolist() == [[1, -5]]
