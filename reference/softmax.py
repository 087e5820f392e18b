"""Softmax: scores become positive weights that add up to one."""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating


def softmax(x: ArrayLike, axis: int = -1) -> FloatArray:
    """Normalise exponentials along one axis.

        softmax(x)_i = exp(x_i - c) / sum_j exp(x_j - c),    c = max_j x_j

    Subtracting c changes nothing mathematically, since exp(-c) cancels, and keeps every exponent
    at or below zero, so large scores do not overflow.

    A slice that is -inf throughout, or empty, has nothing to distribute: it gives zeros, not NaN.
    A slice with a NaN or a +inf gives NaN.

    Args:
        x: Scores, with at least one axis.
        axis: The axis along which the weights add up to one.

    Returns:
        Weights between 0 and 1, with the shape of `x`. Floating-point dtypes stay; integers and
        booleans become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        numpy.exceptions.AxisError: A `ValueError`, if `x` has no such axis.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), equation 4.1; the shift by the
        maximum is from the same section.
    """
    scores = as_floating(x)  # (..., k, ...)
    peak = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)  # (..., 1, ...)
    shift = np.where(peak == -np.inf, 0, peak)  # (..., 1, ...)  -inf minus -inf would be NaN
    exponentials = np.exp(scores - shift)  # (..., k, ...)
    total = np.sum(exponentials, axis=axis, keepdims=True)  # (..., 1, ...)
    # The peak alone adds exp(0) = 1, so only a slice without any finite score sums to less.
    weights: FloatArray = exponentials / np.maximum(total, 1)  # (..., k, ...)
    return weights
