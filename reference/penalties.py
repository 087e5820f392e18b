"""Masking by a large negative number instead of -inf: common in code, and not quite the same.

Where a row keeps one allowed key, -1e9 does what -inf does: exp(-1e9) is zero. Differences show
where nothing is left, and where numbers are small:

- A row that is blocked throughout gives no NaN and no zeros, but weights that add up to one. If the
  scores were replaced, the weights are equal. If the penalty was added, float64 still tells the
  scores apart (to 1e-7) and gives the weights of the unmasked row; in float32 the numbers around
  1e9 lie 64 apart, so the scores are lost and the weights are equal again.
- float16 ends at 65504: there -1e9 is -inf.

This package blocks with -inf and gives such rows zeros; see `reference.masks`.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.masks import boolean_from_integer
from reference.shapes import require_same_shape

PENALTY = -1e9


def add_penalty(scores: ArrayLike, mask: ArrayLike, penalty: float = PENALTY) -> FloatArray:
    """Add a large negative number to the scores where an integer mask is 1.

        masked = scores + mask * penalty

    Args:
        scores: Scores of shape (..., n, m).
        mask: Integers 0 and 1 (blocked), of exactly the same shape.
        penalty: The number to add where blocked.

    Returns:
        A new array with the shape and the dtype of `scores` (float64 for integers).

    Raises:
        TypeError: If `scores` does not hold real numbers or `mask` not integers.
        ValueError: If the shapes differ (names both), or `mask` holds other numbers than 0 and 1.

    Source:
        As in the code published with BERT, Devlin et al. (2018), arXiv:1810.04805, which adds -1e4.
    """
    unmasked = as_floating(scores)  # (..., n, m)
    require_same_shape("mask", np.shape(mask), "scores", unmasked.shape)
    blocked = boolean_from_integer(mask)  # (..., n, m)
    with np.errstate(over="ignore"):  # float16 cannot hold the penalty, and -inf blocks as well
        masked: FloatArray = unmasked + (blocked * penalty).astype(unmasked.dtype)  # (..., n, m)
    return masked


def replace_by_penalty(
    scores: ArrayLike, blocked: ArrayLike, penalty: float = PENALTY
) -> FloatArray:
    """Put a large negative number in the place of blocked scores.

        masked = penalty where blocked, else scores

    Args:
        scores: Scores of shape (..., n, m).
        blocked: Booleans (True means blocked), of exactly the same shape.
        penalty: The number to put where blocked.

    Returns:
        A new array with the shape and the dtype of `scores` (float64 for integers).

    Raises:
        TypeError: If `scores` does not hold real numbers or `blocked` not booleans.
        ValueError: If the shapes differ; names both.

    Source:
        As PyTorch's `masked_fill`.
    """
    unmasked, mask = as_floating(scores), np.asarray(blocked)  # (..., n, m), (..., n, m)
    require_same_shape("blocked", mask.shape, "scores", unmasked.shape)
    if mask.dtype != np.bool_:
        raise TypeError(f"expected a boolean mask, got an array of dtype {mask.dtype}")
    with np.errstate(over="ignore"):  # as in add_penalty
        stand_in = np.asarray(penalty).astype(unmasked.dtype)  # ()
    return np.where(mask, stand_in, unmasked)  # (..., n, m)
