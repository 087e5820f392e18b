"""Rotary positions for texts longer than those of the training.

A pair of features that never completed a turn in training meets unknown angles in a longer text.
Such slow pairs are slowed down by the factor by which the text grows; fast pairs have seen all of
their angles and stay as they are, so that neighbours can still be told apart.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating


def interpolated_positions(positions: ArrayLike, factor: float) -> FloatArray:
    """Press the positions of a longer text into the range of the training.

        position = p / factor

    Args:
        positions: Positions of shape (...), integers or not.
        factor: By how much the text is longer than those of the training, at least 1.

    Returns:
        Positions of shape (...). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `positions` does not hold real numbers.
        ValueError: If the factor is below 1.

    Source:
        Chen et al., "Extending Context Window of Large Language Models via Positional
        Interpolation" (2023), arXiv:2306.15595, equation 4.
    """
    _require_factor(factor)
    where = as_floating(positions)  # (...)
    return np.asarray(where / where.dtype.type(factor))  # (...)


def stretched_frequencies(
    d: int,
    factor: float,
    trained: int,
    base: float = 10000.0,
    slow: float = 1.0,
    fast: float = 32.0,
) -> FloatArray:
    """Slow down the pairs of features that turn slowly, and leave the fast ones alone.

        f_k = base^(-2k / d),    turns_k = trained f_k / (2 pi),
        keep_k = (turns_k - slow) / (fast - slow), at least 0 and at most 1,
        new_k = keep_k f_k + (1 - keep_k) f_k / factor

    Args:
        d: The number of features, even.
        factor: By how much the text is longer than those of the training, at least 1.
        trained: The length of the texts in training, in tokens.
        base: Sets how slowly the slowest pair turns.
        slow: Pairs with at most so many turns in a text of the training are slowed down in full.
        fast: Pairs with at least so many turns stay as they are; more than `slow`.

    Returns:
        Frequencies in radians a position, float64, of shape (d/2,).

    Raises:
        ValueError: If `d` is odd or negative, the factor is below 1, or `fast` is not above `slow`.

    Source:
        Peng et al., "YaRN: Efficient Context Window Extension of Large Language Models" (2023),
        arXiv:2309.00071, definition 2, with the ramp of its equation 18.
    """
    _require_factor(factor)
    if d < 0 or d % 2 or not fast > slow:
        raise ValueError(
            f"pairs need an even number of features, and fast above slow: {d}, {fast}, {slow}"
        )
    frequency = base ** (-np.arange(0, d, 2) / max(d, 1))  # (d/2,)
    turns = trained * frequency / (2 * math.pi)  # (d/2,)
    keep = np.clip((turns - slow) / (fast - slow), 0.0, 1.0)  # (d/2,)
    return np.asarray(keep * frequency + (1 - keep) * frequency / factor)  # (d/2,)


def _require_factor(factor: float) -> None:
    if not factor >= 1:
        raise ValueError(f"a text is longer by a factor of at least 1, got {factor}")
