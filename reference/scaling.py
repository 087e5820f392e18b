"""Scaling: why scores are divided by the square root of the number of features.

If the entries of a query and a key are independent with mean 0 and variance 1, their dot product
has mean 0 and variance d_k. Divided by sqrt(d_k) it has variance 1 again, whatever d_k.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.similarity import similarity_scores
from reference.softmax import softmax


class ScalingMeasurement(NamedTuple):
    """The effect of scaling on scores and weights at one number of features."""

    d_k: int
    variance_unscaled: float  # the variance of the scores; d_k is expected
    variance_scaled: float  # the variance of the scores; 1 is expected
    mean_peak_unscaled: (
        float  # the largest weight of a query, averaged over queries; 1 is saturated
    )
    mean_peak_scaled: float
    max_weight_unscaled: float  # the largest weight of all
    max_weight_scaled: float
    slope_unscaled: float  # w (1 - w) averaged over all weights: how well a gradient passes softmax
    slope_scaled: float


def scale_scores(scores: ArrayLike, d_k: int) -> FloatArray:
    """Divide scores by the square root of the number of features that they sum over.

        scaled = scores / sqrt(d_k)

    Not of d_v, and not of d_model: the dot product has d_k terms.

    Args:
        scores: Scores of any shape.
        d_k: The number of features of a query and of a key.

    Returns:
        A new array of the same shape. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `scores` does not hold real numbers.
        ValueError: If `d_k` is not positive.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.2.1.
    """
    if d_k < 1:
        raise ValueError(f"scaling needs at least one feature, got d_k = {d_k}")
    unscaled = as_floating(scores)  # (...)
    scaled: FloatArray = unscaled / math.sqrt(d_k)  # a Python float: NumPy's would widen float32
    return scaled


def measure_scaling(
    d_k: int, rng: np.random.Generator | np.random.RandomState, n: int = 4, m: int = 4
) -> ScalingMeasurement:
    """Compare attention with and without scaling on random queries and keys.

    Draws Q of shape (n, d_k), then K of shape (m, d_k), from the standard normal distribution.
    For growing d_k the largest weights come to 1 if the scores are not scaled, and their slopes to
    0, so that no gradient passes. If the scores are scaled, neither depends on d_k.

    Args:
        d_k: The number of features.
        rng: Where the numbers come from; its state moves on.
        n: The number of queries.
        m: The number of keys.

    Returns:
        Variances of the scores, and how far softmax is saturated, without scaling and with it.

    Raises:
        ValueError: If `d_k`, `n` or `m` is not positive.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, footnote 4.
    """
    if min(d_k, n, m) < 1:
        raise ValueError(f"a measurement needs d_k, n and m of at least 1, got {d_k}, {n} and {m}")
    Q = rng.standard_normal((n, d_k))  # (n, d_k)
    K = rng.standard_normal((m, d_k))  # (m, d_k)
    unscaled = similarity_scores(Q, K)  # (n, m)
    scaled = scale_scores(unscaled, d_k)  # (n, m)
    raw, tame = softmax(unscaled), softmax(scaled)  # (n, m), (n, m)
    return ScalingMeasurement(
        d_k=d_k,
        variance_unscaled=float(np.var(unscaled)),
        variance_scaled=float(np.var(scaled)),
        mean_peak_unscaled=float(np.mean(np.max(raw, axis=-1))),
        mean_peak_scaled=float(np.mean(np.max(tame, axis=-1))),
        max_weight_unscaled=float(np.max(raw)),
        max_weight_scaled=float(np.max(tame)),
        slope_unscaled=float(np.mean(raw * (1 - raw))),
        slope_scaled=float(np.mean(tame * (1 - tame))),
    )
