"""Attention with a key-value cache: each new position attends to all past ones, computed once.

Generating token by token, causal attention over the whole text would project and compare every past
position again. Their keys and values never change, though, since nothing later reaches them. Kept
in a cache, one new token costs one row of weights.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.attention import scaled_dot_product_attention
from reference.batches import require_broadcasting_batches, require_matrices
from reference.masks import causal_mask, sliding_window_mask


class KeyValueCache(NamedTuple):
    """The keys and values of all positions so far. Appending makes a new one."""

    keys: FloatArray  # (..., m, d_k)
    values: FloatArray  # (..., m, d_v)


CacheLike: TypeAlias = tuple[ArrayLike, ArrayLike]


def append_to_cache(cache: CacheLike | None, K: ArrayLike, V: ArrayLike) -> KeyValueCache:
    """Put new positions behind those of a cache.

        keys = [past keys; K],    values = [past values; V],    along the positions

    Args:
        cache: Keys of shape (..., past, d_k) and values of shape (..., past, d_v), or nothing.
        K: The new keys, of shape (..., n, d_k).
        V: The new values, of shape (..., n, d_v).

    Returns:
        A new cache of past + n positions; the given one stays as it is.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need" (2019),
        arXiv:1911.02150, section 2.4.
    """
    keys, values = as_floating(K), as_floating(V)  # (..., n, d_k), (..., n, d_v)
    require_matrices("K", keys.shape, "V", values.shape)
    if keys.shape[-2] != values.shape[-2]:
        raise ValueError(
            f"V needs one value for each key, got K of shape {keys.shape} "
            f"and V of shape {values.shape}"
        )
    if cache is None:
        return KeyValueCache(keys.copy(), values.copy())
    return KeyValueCache(_behind("keys", cache[0], keys), _behind("values", cache[1], values))


def attention_with_cache(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, cache: CacheLike | None = None
) -> tuple[FloatArray, FloatArray, KeyValueCache]:
    """Attend causally from new positions to those of a cache and to each other.

        output = softmax(Q [past keys; K]^T / sqrt(d_k) + M) [past values; V],
        M_ij = -inf where j > past + i, else 0

    Called for one stretch of a text after the other, it gives what causal attention over the whole
    text gives, whatever the lengths of the stretches.

    Args:
        Q: Queries of the new positions, of shape (..., n, d_k).
        K: Their keys, of shape (..., n, d_k).
        V: Their values, of shape (..., n, d_v).
        cache: What the previous call returned; nothing at the first.

    Returns:
        The output, of shape (..., n, d_v), the weights, of shape (..., n, past + n), and the cache
        for the next call, of past + n positions. The dtypes follow the inputs; integers count as
        float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Shazeer (2019), arXiv:1911.02150, section 2.4; masking as in Vaswani et al. (2017),
        arXiv:1706.03762, section 3.2.3.
    """
    grown = append_to_cache(cache, K, V)
    queries, keys = np.shape(Q), np.shape(K)
    require_matrices("Q", queries, "K", keys)
    if queries[-2] != keys[-2]:
        raise ValueError(
            f"each new position needs a query and a key, got Q of shape {queries} "
            f"and K of shape {keys}"
        )
    m = grown.keys.shape[-2]
    mask = causal_mask(queries[-2], m, k=m - queries[-2] + 1)  # (n, m)
    output, weights = scaled_dot_product_attention(Q, grown.keys, grown.values, mask)
    return output, weights, grown


def attention_with_sliding_cache(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, window: int, cache: CacheLike | None = None
) -> tuple[FloatArray, FloatArray, KeyValueCache]:
    """Attend causally to a window of positions, with a cache that stops growing.

        M_ij = -inf where j > past + i or j <= past + i - window, else 0

    The new positions attend first, to each other and to the cache; then all but the last `window`
    positions are dropped from it.

    Args:
        Q: Queries of the new positions, of shape (..., n, d_k).
        K: Their keys, of shape (..., n, d_k).
        V: Their values, of shape (..., n, d_v).
        window: How many positions each one sees, itself included; at least 1.
        cache: What the previous call returned; nothing at the first.

    Returns:
        The output, of shape (..., n, d_v), the weights, of shape (..., n, past + n), and the cache
        for the next call, of at most `window` positions.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together, or the window is less than 1.

    Source:
        Beltagy, Peters and Cohan, "Longformer" (2020), arXiv:2004.05150, section 3.1; the cache as
        in Jiang et al., "Mistral 7B" (2023), arXiv:2310.06825, section 2.
    """
    grown = append_to_cache(cache, K, V)
    n, m = np.shape(Q)[-2], grown.keys.shape[-2]
    mask = sliding_window_mask(m, window)[m - n :]  # (n, m)
    output, weights = scaled_dot_product_attention(Q, grown.keys, grown.values, mask)
    keys, values = (part[..., -window:, :].copy() for part in grown)
    return output, weights, KeyValueCache(keys, values)


def _behind(name: str, past: ArrayLike, new: FloatArray) -> FloatArray:
    """Join past and new positions; the batch axes broadcast."""
    before = as_floating(past)  # (..., past, d)
    shapes = f"the cached {name}", before.shape, f"the new {name}", new.shape
    require_matrices(*shapes)
    if before.shape[-1] != new.shape[-1]:
        raise ValueError(
            f"cached and new {name} need equally many features, "
            f"got shapes {before.shape} and {new.shape}"
        )
    require_broadcasting_batches(*shapes)
    batch = np.broadcast_shapes(before.shape[:-2], new.shape[:-2])
    parts = [np.broadcast_to(part, (*batch, *part.shape[-2:])) for part in (before, new)]
    return np.concatenate(parts, axis=-2)  # (..., past + n, d)
