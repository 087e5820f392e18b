"""Masks: which keys a query must not look at.

A mask has one of two forms, and this package takes both:

- boolean, where True means *blocked*. Beware that libraries differ: `attn_mask` is read this way by
  PyTorch's `MultiheadAttention`, and the other way round by its `scaled_dot_product_attention`.
- additive, floating-point numbers that are added to the scores: 0 allows and -inf blocks. Other
  numbers are biases, which the boolean form cannot express.
"""

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from reference.arrays import BoolArray, FloatArray, as_floating


def causal_mask(length: int) -> BoolArray:
    """Block every key that comes after the query.

        blocked_ij = (j > i)

    Args:
        length: The number of positions, n.

    Returns:
        A boolean array of shape (n, n), True strictly above the diagonal: a position sees itself.

    Raises:
        ValueError: If `length` is negative.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.2.3.
    """
    if length < 0:
        raise ValueError(f"a mask needs a length of at least 0, got {length}")
    return np.triu(np.ones((length, length), dtype=np.bool_), k=1)  # (n, n)


def additive_from_boolean(blocked: ArrayLike, dtype: DTypeLike = np.float64) -> FloatArray:
    """Turn a boolean mask into the additive mask that means the same.

        additive = -inf where blocked, else 0

    Args:
        blocked: A boolean array of any shape; True means blocked.
        dtype: The floating-point dtype to give.

    Returns:
        An array of the shape of `blocked` with the values 0 and -inf.

    Raises:
        TypeError: If `blocked` is not boolean, or `dtype` not floating-point.
    """
    mask = np.asarray(blocked)  # (...)
    if mask.dtype != np.bool_:
        raise TypeError(f"expected a boolean mask, got an array of dtype {mask.dtype}")
    if not np.issubdtype(dtype, np.floating):
        raise TypeError(f"only a floating-point dtype has an infinity, got {np.dtype(dtype)}")
    return np.where(mask, -np.inf, 0.0).astype(dtype)  # (...)


def boolean_from_additive(additive: ArrayLike) -> BoolArray:
    """Turn an additive mask into the boolean mask that means the same.

        blocked = (additive == -inf)

    Args:
        additive: A floating-point array of any shape that holds only 0 and -inf.

    Returns:
        A boolean array of the shape of `additive`; True means blocked.

    Raises:
        TypeError: If `additive` is not floating-point.
        ValueError: If a value is neither 0 nor -inf, which a boolean mask cannot express.
    """
    mask = np.asarray(additive)  # (...)
    if not np.issubdtype(mask.dtype, np.floating):
        raise TypeError(f"expected a floating-point mask, got an array of dtype {mask.dtype}")
    blocked = np.isneginf(mask)  # (...)
    biases = mask[~blocked & (mask != 0)]  # (number of biases,)
    if biases.size:
        raise ValueError(f"a boolean mask cannot express the bias {biases[0]}, only 0 and -inf")
    return blocked


def apply_mask(scores: ArrayLike, mask: ArrayLike) -> FloatArray:
    """Lower the scores of blocked positions to -inf, or add an additive mask.

        masked = -inf where mask, else scores        if the mask is boolean
        masked = scores + mask                       if the mask is additive

    Args:
        scores: Scores of shape (..., n, m).
        mask: A boolean mask (True means blocked) or an additive one, that broadcasts to the shape
            of `scores`. Integers are refused: 1 could mean either.

    Returns:
        A new array with the shape and the dtype of `scores` (float64 for integers).

    Raises:
        TypeError: If `mask` is neither boolean nor floating-point.
        ValueError: If `mask` does not broadcast to `scores`; names both shapes.
    """
    unmasked = as_floating(scores)  # (..., n, m)
    given = np.asarray(mask)
    try:
        spread = np.broadcast_to(given, unmasked.shape)  # (..., n, m)
    except ValueError:
        raise ValueError(
            f"a mask of shape {given.shape} does not broadcast to scores of shape {unmasked.shape}"
        ) from None
    if spread.dtype == np.bool_:
        return np.where(spread, -np.inf, unmasked)  # (..., n, m)
    if np.issubdtype(spread.dtype, np.floating):
        return unmasked + spread.astype(unmasked.dtype)  # (..., n, m)
    raise TypeError(f"a mask is boolean or floating-point, got an array of dtype {given.dtype}")
