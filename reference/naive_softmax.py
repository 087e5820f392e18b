"""Softmax as its formula reads, and where that fails: for study, never for use.

    softmax(x)_i = exp(x_i) / sum_j exp(x_j)

Both functions agree with `reference.softmax.softmax` as long as the exponentials are ordinary
numbers. They fail, each slice on its own, where they are not:

- A score above 709.78 (88.72 in float32) overflows: inf / inf is NaN, and any other weight 0.
- Scores that are all below -745.13 (-103.97 in float32) underflow: 0 / 0 is NaN throughout.
- A slice that is masked throughout, all -inf, is such a case: NaN instead of zeros.

The stable softmax subtracts the maximum first, which rules out all three. NumPy's warnings are
silenced here, since the NaN is what there is to see.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating


def naive_softmax(x: ArrayLike, axis: int = -1) -> FloatArray:
    """Divide exponentials by their sum, without any care for overflow.

        softmax(x)_i = exp(x_i) / sum_j exp(x_j)

    Args:
        x: Scores, with at least one axis.
        axis: The axis along which the weights add up to one.

    Returns:
        Weights of the shape of `x`, with NaN where the module's docstring says. Floating-point
        dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        numpy.exceptions.AxisError: A `ValueError`, if `x` has no such axis.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), section 4.1, which warns of it.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        exponentials = np.exp(as_floating(x))  # (..., k, ...)
        total = np.sum(exponentials, axis=axis, keepdims=True)  # (..., 1, ...)
        weights: FloatArray = exponentials / total  # (..., k, ...)
    return weights


def naive_softmax_by_rows(x: ArrayLike) -> FloatArray:
    """Do the same in a Python loop, one row at a time.

        softmax(X)_rj = exp(X_rj) / sum_i exp(X_ri)

    It fails where `naive_softmax` fails and is slow besides: the loop runs in Python. Written with
    an empty array like `x` to put the rows into, as one is tempted to, it would also round every
    weight down to zero when the scores are integers. Here they are converted first.

    Args:
        x: Scores of shape (rows, k): exactly two axes, the loop knows no others.

    Returns:
        Weights of the shape of `x`, with NaN where the module's docstring says. Floating-point
        dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        ValueError: If `x` does not have two axes; names its shape.

    Source:
        As `naive_softmax`.
    """
    scores = as_floating(x)  # (rows, k)
    if scores.ndim != 2:  # noqa: PLR2004  rows and columns
        raise ValueError(f"a loop over rows needs exactly two axes, got shape {scores.shape}")
    weights = np.empty_like(scores)  # (rows, k)
    with np.errstate(over="ignore", invalid="ignore"):
        for row, numbers in enumerate(scores):
            exponentials = np.exp(numbers)  # (k,)
            weights[row] = exponentials / np.sum(exponentials)  # (k,)
    return weights
