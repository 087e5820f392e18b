"""Sums in floating point that neither overflow nor lose their last digits."""

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray


def log_sum_exp(x: ArrayLike) -> NDArray[np.float64]:
    """Compute log(sum(exp(x))) along the last axis.

    Args:
        x: Numbers of shape (..., n), with n at least 1. Minus infinity counts as log 0.

    Returns:
        An array of shape (...); minus infinity where all numbers are.

    Source:
        Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax functions"
        (2021).
    """
    values = np.asarray(x, dtype=np.float64)
    largest = values.max(axis=-1, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(values - largest).sum(axis=-1)) + largest[..., 0])


def exact_sum(x: ArrayLike) -> float:
    """Add numbers exactly, and round once.

    Args:
        x: Finite numbers of shape (n,).

    Returns:
        The float that is nearest to the true sum.
    """
    return float(sum((Fraction(float(number)) for number in np.asarray(x)), Fraction(0)))
