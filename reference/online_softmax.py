"""Online softmax: the sum of exponentials in one pass, a block of scores after the other.

The stable softmax needs the maximum before it can add up. Here both grow together: whenever a block
raises the maximum, the sum so far is multiplied by exp(old maximum - new maximum).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating


class RunningSum(NamedTuple):
    """A sum of exponentials so far, relative to the largest score so far."""

    peak: FloatArray  # (...)  max_j x_j; -inf before the first score
    total: FloatArray  # (...)  sum_j exp(x_j - peak); 0 before the first score


def running_sum(x: ArrayLike) -> RunningSum:
    """Summarise one block of scores.

        peak = max_j x_j,    total = sum_j exp(x_j - peak)

    Args:
        x: Scores of shape (..., k); an empty block, k = 0, has no scores.

    Returns:
        Two arrays of shape (...). A row of nothing but -inf has peak -inf and total 0. The dtype is
        that of `x` (float64 for integers).

    Raises:
        TypeError: If `x` does not hold real numbers.
        numpy.exceptions.AxisError: A `ValueError`, if `x` has no axis.

    Source:
        Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018),
        arXiv:1805.02867, algorithm 2.
    """
    scores = as_floating(x)  # (..., k)
    peak = np.max(scores, axis=-1, initial=-np.inf)  # (...)
    total = np.sum(np.exp(scores - finite_or_zero(peak)[..., None]), axis=-1)  # (...)
    return RunningSum(np.asarray(peak), np.asarray(total))


def merge_sums(one: RunningSum, other: RunningSum) -> RunningSum:
    """Combine the summaries of two blocks into that of both.

        peak = max(peak_1, peak_2)
        total = total_1 exp(peak_1 - peak) + total_2 exp(peak_2 - peak)

    The order does not matter, so blocks may be summarised in any order or at the same time.

    Args:
        one: The summary of a block.
        other: That of another, of the same shape.

    Returns:
        The summary of the blocks put together.

    Raises:
        ValueError: If the shapes do not broadcast.

    Source:
        Milakov and Gimelshein (2018), arXiv:1805.02867, equation 4.
    """
    peak = np.maximum(one.peak, other.peak)  # (...)
    shift = finite_or_zero(peak)  # (...)
    total = one.total * np.exp(one.peak - shift) + other.total * np.exp(other.peak - shift)
    return RunningSum(np.asarray(peak), np.asarray(total))


def online_softmax(x: ArrayLike, block: int = 64) -> FloatArray:
    """Compute softmax along the last axis, looking at one block of it at a time.

        softmax(x)_i = exp(x_i - peak) / total

    The first pass finds peak and total, the second divides.

    Args:
        x: Scores of shape (..., k).
        block: How many scores to look at in one go.

    Returns:
        Weights of the shape of `x`, up to rounding those of `reference.softmax.softmax`: a row of
        nothing but -inf gives zeros. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        ValueError: If `x` has no axis, or `block` is not positive.

    Source:
        Milakov and Gimelshein (2018), arXiv:1805.02867, algorithm 3.
    """
    scores = as_floating(x)  # (..., k)
    if not scores.ndim:
        raise ValueError("online softmax needs an axis of scores, got shape ()")
    seen = running_sum(scores[..., :0])
    for part in blocks(scores.shape[-1], block):
        seen = merge_sums(seen, running_sum(scores[..., part]))
    shift, total = finite_or_zero(seen.peak)[..., None], seen.total[..., None]  # (..., 1), (..., 1)
    weights = np.empty_like(scores)  # (..., k)
    for part in blocks(scores.shape[-1], block):
        weights[..., part] = np.exp(scores[..., part] - shift) / np.maximum(total, 1)
    return weights


def blocks(length: int, size: int) -> Iterator[slice]:
    """Cut a range of positions into blocks.

    Args:
        length: How many positions there are.
        size: How many a block has; the last may have fewer.

    Returns:
        The blocks as slices, in order.

    Raises:
        ValueError: If `size` is not positive.
    """
    if size < 1:
        raise ValueError(f"a block needs at least one position, got {size}")
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


def finite_or_zero(peak: ArrayLike) -> FloatArray:
    """Replace -inf by 0, where nothing finite has been seen: -inf minus -inf would be NaN.

    Args:
        peak: The largest scores, of any shape.

    Returns:
        A new array of the same shape and dtype, float64 for integers.

    Raises:
        TypeError: If `peak` does not hold real numbers.
    """
    largest = as_floating(peak)
    return np.where(largest == -np.inf, 0, largest)
