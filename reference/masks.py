"""Masks: which keys a query must not look at.

Attention takes a mask in one of two forms:

- boolean, where True means *blocked*. Beware that libraries differ: `attn_mask` is read this way by
  PyTorch's `MultiheadAttention`, and the other way round by its `scaled_dot_product_attention`.
- additive, floating-point numbers that are added to the scores: 0 allows and -inf blocks. Other
  numbers are biases, which the boolean form cannot express.

A third is common in code: integers, where 1 means blocked. Attention refuses it, since elsewhere 1
means allowed; `boolean_from_integer` says which is meant. `reference.penalties` has what such code
does with it: add a large negative number instead of -inf.

A query whose keys are all blocked gets zeros; see `fully_blocked`.
"""

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from reference.arrays import BoolArray, FloatArray, IntArray, as_floating


def causal_mask(length: int, keys: int | None = None, *, k: int = 1) -> BoolArray:
    """Block every key that comes after the query.

        blocked_ij = (j >= i + k)

    With k = 1 a position sees itself. With k = 0 it does not, and the first sees nothing at all.
    Queries that continue m - n earlier positions, as with a cache, need k = m - n + 1.

    Args:
        length: The number of queries, n.
        keys: The number of keys, m; n if not given.
        k: The first diagonal that is blocked, counted from the main diagonal to the right.

    Returns:
        A boolean array of shape (n, m), True on and above diagonal k.

    Raises:
        ValueError: If `length` or `keys` is negative.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.2.3.
    """
    return _distances(length, keys) >= k  # (n, m)


def sliding_window_mask(length: int, window: int, *, causal: bool = True) -> BoolArray:
    """Block every key that is `window` positions away or more.

        blocked_ij = (i - j >= window) or (j > i)      if causal
        blocked_ij = (|i - j| >= window)               if not

    Args:
        length: The number of positions, n.
        window: How many positions are seen: the own one, and window - 1 before it (and, unless
            causal, as many after it).
        causal: Whether later positions are blocked as well.

    Returns:
        A boolean array of shape (n, n); True means blocked.

    Raises:
        ValueError: If `length` is negative or `window` not positive.

    Source:
        Child et al., "Generating Long Sequences with Sparse Transformers" (2019), arXiv:1904.10509,
        section 4.2; Beltagy et al., "Longformer" (2020), arXiv:2004.05150, section 3.1.
    """
    if window < 1:
        raise ValueError(f"a position sees at least itself: a window of at least 1, got {window}")
    distances = _distances(length)  # (n, n)
    too_far = np.abs(distances) >= window  # (n, n)
    return too_far | (distances > 0) if causal else too_far  # (n, n)


def padding_mask(lengths: ArrayLike, keys: int) -> BoolArray:
    """Block what was only added to make sequences equally long.

        blocked_j = (j >= length)

    Args:
        lengths: The true length of each sequence, integers of shape (...).
        keys: The padded length, m.

    Returns:
        A boolean array of shape (..., 1, m), which serves every query. Multi-head attention, whose
        scores have shape (..., h, n, m), needs one more axis: mask[..., None, :, :].

    Raises:
        TypeError: If `lengths` are not integers.
        ValueError: If a length is negative or exceeds `keys`.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.2.3, blocks
        positions in the same way.
    """
    counts = np.asarray(lengths)  # (...)
    if not np.issubdtype(counts.dtype, np.integer):
        raise TypeError(f"lengths are integers, got an array of dtype {counts.dtype}")
    if np.any((counts < 0) | (counts > keys)):
        raise ValueError(f"lengths must lie between 0 and the padded length {keys}, got {counts}")
    blocked: BoolArray = np.arange(keys) >= counts[..., None, None]  # (..., 1, m)
    return blocked


def fully_blocked(mask: ArrayLike) -> BoolArray:
    """Find the queries whose keys are all blocked.

        fully_blocked_i = all_j blocked_ij

    Attention gives such a query zero weights and a zero output, by this package's policy. A plain
    softmax would give NaN, a large negative number instead of -inf would give equal weights.

    Args:
        mask: Boolean (True means blocked) or additive, of shape (..., n, m).

    Returns:
        A boolean array of shape (..., n).

    Raises:
        TypeError: If `mask` is neither boolean nor floating-point.
        ValueError: If `mask` has no axis.

    Source:
        PyTorch's `scaled_dot_product_attention` and ONNX's `Attention` give zeros as well.
    """
    array = np.asarray(mask)  # (..., n, m)
    if array.ndim < 1:
        raise ValueError("a mask needs an axis of keys, got shape ()")
    if array.dtype == np.bool_:
        return np.asarray(np.all(array, axis=-1))  # (..., n)
    if np.issubdtype(array.dtype, np.floating):
        return np.asarray(np.all(np.isneginf(array), axis=-1))  # (..., n)
    raise TypeError(f"a mask is boolean or floating-point, got an array of dtype {array.dtype}")


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


def boolean_from_integer(mask: ArrayLike) -> BoolArray:
    """Turn an integer mask, where 1 means blocked, into a boolean mask.

        blocked = (mask == 1)

    Args:
        mask: An integer array of any shape that holds only 0 and 1.

    Returns:
        A boolean array of the shape of `mask`; True means blocked.

    Raises:
        TypeError: If `mask` does not hold integers.
        ValueError: If a value is neither 0 nor 1.
    """
    array = np.asarray(mask)  # (...)
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"expected an integer mask, got an array of dtype {array.dtype}")
    strange = array[(array != 0) & (array != 1)]  # (number of other values,)
    if strange.size:
        raise ValueError(f"an integer mask holds only 0 and 1 (blocked), got {strange[0]}")
    return np.asarray(array == 1)  # (...)


def integer_from_boolean(blocked: ArrayLike, dtype: DTypeLike = np.int32) -> IntArray:
    """Turn a boolean mask into an integer mask, where 1 means blocked.

        mask = 1 where blocked, else 0

    Args:
        blocked: A boolean array of any shape; True means blocked.
        dtype: The integer dtype to give.

    Returns:
        An array of the shape of `blocked` with the values 0 and 1.

    Raises:
        TypeError: If `blocked` is not boolean, or `dtype` not an integer one.
    """
    mask = np.asarray(blocked)  # (...)
    if mask.dtype != np.bool_:
        raise TypeError(f"expected a boolean mask, got an array of dtype {mask.dtype}")
    if not np.issubdtype(dtype, np.integer):
        raise TypeError(f"expected an integer dtype, got {np.dtype(dtype)}")
    return mask.astype(dtype)  # (...)


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
    array = np.asarray(mask)
    try:
        spread = np.broadcast_to(array, unmasked.shape)  # (..., n, m)
    except ValueError:
        raise ValueError(
            f"a mask of shape {array.shape} does not broadcast to scores of shape {unmasked.shape}"
        ) from None
    if spread.dtype == np.bool_:
        return np.where(spread, -np.inf, unmasked)  # (..., n, m)
    if np.issubdtype(spread.dtype, np.floating):
        return unmasked + spread.astype(unmasked.dtype)  # (..., n, m)
    raise TypeError(f"a mask is boolean or floating-point, got an array of dtype {array.dtype}")


def _distances(length: int, keys: int | None = None) -> IntArray:
    """Return j - i for each query i and key j: how far the key lies ahead."""
    columns = length if keys is None else keys
    if min(length, columns) < 0:
        raise ValueError(f"a mask needs a length of at least 0, got {min(length, columns)}")
    return np.arange(columns) - np.arange(length)[:, None]  # (n, m)
