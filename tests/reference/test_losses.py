import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference.losses import (
    IGNORE_INDEX,
    cross_entropy,
    cross_entropy_gradient,
    perplexity,
    token_losses,
)

FLOATS: list[np.dtype[np.floating[Any]]] = [np.dtype(np.float32), np.dtype(np.float64)]
LOGITS = st.sampled_from(FLOATS).flatmap(
    lambda dtype: arrays(dtype, (2, 3, 5), elements=st.floats(-30, 30, width=32))
)
TARGETS = arrays(np.int64, (2, 3), elements=st.integers(0, 4))
SHARES = np.log([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]])  # logits whose softmax are these fractions


@pytest.mark.parametrize("classes", [2, 7])
def test_who_knows_nothing_hesitates_among_all(classes: int) -> None:
    """Equal logits give perplexity V; certainty about the right token gives one."""
    assert float(perplexity(np.zeros((3, classes)), [0, 1, 0])) == pytest.approx(classes)
    assert float(perplexity(100 * np.eye(classes), np.arange(classes))) == pytest.approx(1)


def test_ignored_positions_count_for_nothing() -> None:
    """They add no loss, get no gradient, and the mean is over the others alone."""
    logits = np.vstack([SHARES, [[9.0, 0.0, -9.0]]])
    targets = [1, 2, IGNORE_INDEX]

    assert token_losses(logits, targets)[2] == 0
    assert cross_entropy(logits, targets) == cross_entropy(SHARES, [1, 2])
    assert perplexity(logits, targets) == perplexity(SHARES, [1, 2])
    gradient = cross_entropy_gradient(logits, targets)
    np.testing.assert_array_equal(gradient[2], np.zeros(3))
    np.testing.assert_array_equal(gradient[:2], cross_entropy_gradient(SHARES, [1, 2]))


def test_a_class_can_be_the_ignored_one() -> None:
    """Padding often has a token number of its own, such as 0."""
    assert cross_entropy(SHARES, [0, 2], ignore_index=0) == cross_entropy(SHARES[1:], [2])


def test_huge_logits_stay_finite() -> None:
    """Logits in the thousands neither overflow nor lose the loss of an improbable target."""
    logits = np.array([[5000.0, 0.0]])

    assert float(cross_entropy(logits, [1])) == 5000
    assert float(perplexity(logits, [1])) == math.inf
    assert str(cross_entropy(logits, [0])) == "0.0"


def test_one_position_has_no_axes() -> None:
    """A vector of logits goes with a number as target."""
    assert float(cross_entropy(SHARES[0], 0)) == pytest.approx(math.log(2), rel=1e-14)


@pytest.mark.parametrize(
    "function", [token_losses, cross_entropy, cross_entropy_gradient, perplexity]
)
def test_targets_that_do_not_fit_are_refused(function: Any) -> None:
    """Shapes, ranges and dtypes are checked, and the errors name what was found."""
    with pytest.raises(
        ValueError, match=re.escape("logits of shape (2, 3) and targets of shape (3,)")
    ):
        function(SHARES, [0, 1, 2])
    with pytest.raises(ValueError, match=re.escape("logits of shape () and targets of shape ()")):
        function(1.0, 0)
    for wrong in (3, -1):
        with pytest.raises(ValueError, match=f"between 0 and 2, got {wrong} for logits of shape"):
            function(SHARES, [0, wrong])
    with pytest.raises(TypeError, match="targets are whole numbers, got an array of dtype float64"):
        function(SHARES, [0.0, 1.0])


def test_nothing_to_average_is_an_error() -> None:
    """If every target is ignored there is no mean, where PyTorch gives NaN."""
    for function in (cross_entropy, cross_entropy_gradient, perplexity):
        with pytest.raises(ValueError, match=re.escape("of targets of shape (2,), none counts")):
            function(SHARES, [IGNORE_INDEX, IGNORE_INDEX])


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_smoothing_is_a_share(share: float) -> None:
    """Below zero and above one are refused."""
    for function in (token_losses, cross_entropy, cross_entropy_gradient):
        with pytest.raises(ValueError, match="a share from 0 to 1"):
            function(SHARES, [0, 1], label_smoothing=share)
