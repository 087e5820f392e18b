"""Softmax, its logarithm and its gradient: scores become positive weights that add up to one."""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.shapes import require_same_shape


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
    exponentials = np.exp(scores - _shift(scores, axis))  # (..., k, ...)
    total = np.sum(exponentials, axis=axis, keepdims=True)  # (..., 1, ...)
    # The peak alone adds exp(0) = 1, so only a slice without any finite score sums to less.
    weights: FloatArray = exponentials / np.maximum(total, 1)  # (..., k, ...)
    return weights


def logsumexp(x: ArrayLike, axis: int = -1, *, keepdims: bool = False) -> FloatArray:
    """Take the logarithm of a sum of exponentials without overflow.

        logsumexp(x) = c + log sum_j exp(x_j - c),    c = max_j x_j

    It is a smooth maximum: between max(x) and max(x) + log k. Its gradient is softmax(x).

    Args:
        x: Numbers, with at least one axis.
        axis: The axis to sum along.
        keepdims: Whether that axis stays, with length one.

    Returns:
        An array of the shape of `x` without the axis. A slice that is empty or -inf throughout
        gives -inf, one with a +inf gives +inf. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        numpy.exceptions.AxisError: A `ValueError`, if `x` has no such axis.

    Source:
        Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax functions"
        (2021), doi:10.1093/imanum/draa038, section 1.
    """
    numbers = as_floating(x)  # (..., k, ...)
    peak = np.max(numbers, axis=axis, keepdims=True, initial=-np.inf)  # (..., 1, ...)
    shift = np.where(np.isinf(peak), 0, peak)  # (..., 1, ...)  inf minus inf would be NaN
    total = np.sum(np.exp(numbers - shift), axis=axis, keepdims=True)  # (..., 1, ...)
    with np.errstate(divide="ignore"):  # the logarithm of nothing is -inf, as it should be
        result: FloatArray = shift + np.log(total)  # (..., 1, ...)
    return result if keepdims else np.squeeze(result, axis=axis)


def log_softmax(x: ArrayLike, axis: int = -1) -> FloatArray:
    """Take the logarithm of softmax, also where the weight itself would round to zero.

        log_softmax(x)_i = (x_i - c) - log sum_j exp(x_j - c),    c = max_j x_j

    Args:
        x: Scores, with at least one axis.
        axis: The axis along which the weights add up to one.

    Returns:
        Numbers of at most 0, with the shape of `x`. A blocked score, -inf, stays -inf, also in a
        slice that is -inf throughout. A slice with a NaN or a +inf gives NaN. Floating-point
        dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        numpy.exceptions.AxisError: A `ValueError`, if `x` has no such axis.

    Source:
        Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax functions"
        (2021), doi:10.1093/imanum/draa038, section 1.
    """
    scores = as_floating(x)  # (..., k, ...)
    shifted = scores - _shift(scores, axis)  # (..., k, ...)
    total = np.sum(np.exp(shifted), axis=axis, keepdims=True)  # (..., 1, ...)
    # At least 1, see softmax: a slice of nothing but -inf keeps it, minus log 1.
    logarithms: FloatArray = shifted - np.log(np.maximum(total, 1))  # (..., k, ...)
    return logarithms


def softmax_backward(d_output: ArrayLike, weights: ArrayLike, axis: int = -1) -> FloatArray:
    """Carry the gradient of a loss from the weights back to the scores.

        d_x_i = w_i (d_output_i - sum_j w_j d_output_j),    w = softmax(x)

    This is the product with the Jacobian diag(w) - w w^T, without ever forming it.

    Args:
        d_output: The gradient with respect to the weights.
        weights: What `softmax` returned, of the same shape.
        axis: As given to `softmax`.

    Returns:
        The gradient with respect to the scores, with the shape of `weights`; along the axis it adds
        up to zero. It is zero where a weight is. The dtype follows the inputs; integers become
        float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If the shapes differ (names both), or there is no such axis.

    Source:
        Dao et al., "FlashAttention" (2022), arXiv:2205.14135, appendix B.2.
    """
    upstream, shares = as_floating(d_output), as_floating(weights)  # (..., k, ...), (..., k, ...)
    require_same_shape("d_output", upstream.shape, "weights", shares.shape)
    average = np.sum(shares * upstream, axis=axis, keepdims=True)  # (..., 1, ...)
    gradient: FloatArray = shares * (upstream - average)  # (..., k, ...)
    return gradient


def _shift(scores: FloatArray, axis: int) -> FloatArray:
    """Return the maximum along an axis, kept; 0 where there is nothing finite to be the maximum."""
    peak = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)  # (..., 1, ...)
    return np.where(peak == -np.inf, 0, peak)  # (..., 1, ...)  -inf minus -inf would be NaN
