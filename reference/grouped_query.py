"""Grouped-query and multi-query attention: several query heads share one head of keys and values.

They shrink what has to be kept for every past position (see `reference.kv_cache`): h query heads
need keys and values of only g heads. With g = h this is multi-head attention, with g = 1
multi-query attention.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.attention import scaled_dot_product_attention

_HEADS_AXIS = -3


def repeat_heads(x: ArrayLike, times: int) -> FloatArray:
    """Repeat each head of keys or values, so that query head i finds its own at place i.

        repeated_i = x_(i // times)

    Neighbours share a head: with two heads and times = 3 the order is 0 0 0 1 1 1.

    Args:
        x: Keys or values, of shape (..., g, m, d).
        times: How many query heads share each.

    Returns:
        A new array of shape (..., g * times, m, d). Floating-point dtypes stay; integers become
        float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        ValueError: If `x` has fewer than three axes or `times` is not positive.

    Source:
        Ainslie et al., "GQA" (2023), arXiv:2305.13245, section 2.2.
    """
    heads = as_floating(x)  # (..., g, m, d)
    if heads.ndim < -_HEADS_AXIS or times < 1:
        raise ValueError(
            "repeating needs axes (heads, positions, features) and at least one time, "
            f"got shape {heads.shape} and {times} times"
        )
    return np.repeat(heads, times, axis=_HEADS_AXIS)  # (..., g * times, m, d)


def grouped_query_attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Attend with h heads of queries to g heads of keys and values.

        output_i = Attention(Q_i, K_j, V_j),    j = i // (h / g)

    Args:
        Q: Queries, of shape (..., h, n, d_k).
        K: Keys, of shape (..., g, m, d_k), where g divides h.
        V: Values, of shape (..., g, m, d_v).
        mask: Boolean (True means blocked) or additive, broadcasting to (..., h, n, m).

    Returns:
        The output, of shape (..., h, n, d_v), and the weights, of shape (..., h, n, m). The dtypes
        follow the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        Ainslie et al., "GQA" (2023), arXiv:2305.13245, section 2.2.
    """
    shapes = f"Q of shape {np.shape(Q)}, K of shape {np.shape(K)} and V of shape {np.shape(V)}"
    if min(np.ndim(Q), np.ndim(K), np.ndim(V)) < -_HEADS_AXIS:
        raise ValueError(f"Q, K and V need axes (heads, positions, features), got {shapes}")
    queries, shared = np.shape(Q)[_HEADS_AXIS], np.shape(K)[_HEADS_AXIS]  # h, g
    if np.shape(V)[_HEADS_AXIS] != shared:
        raise ValueError(f"K and V need equally many heads, got {shapes}")
    if not shared or not queries or queries % shared:
        raise ValueError(f"the heads of Q need to be a multiple of those of K, got {shapes}")
    times = queries // shared
    keys, values = repeat_heads(K, times), repeat_heads(V, times)  # (..., h, m, d_k or d_v)
    return scaled_dot_product_attention(Q, keys, values, mask)


def multi_query_attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Attend with h heads of queries to the same keys and values.

        output_i = Attention(Q_i, K, V)

    Args:
        Q: Queries, of shape (..., h, n, d_k).
        K: Keys, of shape (..., m, d_k): no axis of heads.
        V: Values, of shape (..., m, d_v).
        mask: Boolean (True means blocked) or additive, broadcasting to (..., h, n, m).

    Returns:
        The output, of shape (..., h, n, d_v), and the weights, of shape (..., h, n, m). The dtypes
        follow the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need" (2019),
        arXiv:1911.02150, section 3.
    """
    keys, values = as_floating(K), as_floating(V)  # (..., m, d_k), (..., m, d_v)
    if np.ndim(Q) < -_HEADS_AXIS or min(keys.ndim, values.ndim) < -_HEADS_AXIS - 1:
        raise ValueError(
            "Q needs axes (heads, positions, features), K and V (positions, features), "
            f"got Q of shape {np.shape(Q)}, K of shape {keys.shape} and V of shape {values.shape}"
        )
    shared = [np.expand_dims(array, _HEADS_AXIS) for array in (keys, values)]  # (..., 1, m, d)
    return scaled_dot_product_attention(Q, shared[0], shared[1], mask)
