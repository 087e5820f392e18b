"""Similarity by dot products: how well each key fits each query."""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.batches import require_broadcasting_batches, require_matrices
from reference.shapes import Shape


def dot_product(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Multiply vectors entry by entry and add up.

        a . b = sum_i a_i b_i = |a| |b| cos(angle)

    Positive if the vectors point the same way, negative if they oppose, zero if perpendicular.

    Args:
        a: Vectors of shape (..., d).
        b: Vectors of shape (..., d); the leading axes broadcast.

    Returns:
        An array of the broadcast leading shape: without axes for two single vectors. The dtype
        follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If the shapes do not go together; names both.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.2.1.
    """
    x, y = as_floating(a), as_floating(b)  # (..., d), (..., d)
    _require_vectors_of_one_length(x.shape, y.shape)
    return np.asarray(np.sum(x * y, axis=-1))  # (...)


def cosine_similarity(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Compare directions alone: the dot product of the vectors at length one.

        cos = a . b / (|a| |b|)

    Args:
        a: Vectors of shape (..., d).
        b: Vectors of shape (..., d); the leading axes broadcast.

    Returns:
        Numbers from -1 to 1 (up to rounding), of the broadcast leading shape; 0 where a vector is
        zero and so has no direction. The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If the shapes do not go together; names both.

    Source:
        Manning, Raghavan and Schütze, "Introduction to Information Retrieval" (2008), equation
        6.10.
    """
    x, y = as_floating(a), as_floating(b)  # (..., d), (..., d)
    _require_vectors_of_one_length(x.shape, y.shape)
    return np.asarray(np.sum(_direction(x) * _direction(y), axis=-1))  # (...)


def similarity_scores(Q: ArrayLike, K: ArrayLike) -> FloatArray:
    """Compare every query with every key.

        scores = Q K^T,    scores_ij = q_i . k_j

    Args:
        Q: Queries, of shape (..., n, d_k).
        K: Keys, of shape (..., m, d_k).

    Returns:
        Scores of shape (..., n, m), not scaled. The dtype follows the inputs; integers count as
        float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, equation 1.
    """
    queries, keys = as_floating(Q), as_floating(K)  # (..., n, d_k), (..., m, d_k)
    require_comparable(queries.shape, keys.shape)
    scores: FloatArray = queries @ np.swapaxes(keys, -1, -2)  # (..., n, m)
    return scores


def require_comparable(queries: Shape, keys: Shape) -> None:
    """Refuse queries and keys that cannot be compared.

    Args:
        queries: The shape of Q.
        keys: The shape of K.

    Returns:
        Nothing.

    Raises:
        ValueError: If either lacks an axis, the numbers of features differ or are zero, or the
            batch axes do not broadcast; names both shapes.
    """
    shapes = f"Q of shape {queries} and K of shape {keys}"
    require_matrices("Q", queries, "K", keys)
    if queries[-1] != keys[-1]:
        raise ValueError(f"Q and K need equally many features in their last axis, got {shapes}")
    if queries[-1] == 0:
        raise ValueError(f"Q and K need at least one feature to compare, got {shapes}")
    require_broadcasting_batches("Q", queries, "K", keys)


def _direction(vectors: FloatArray) -> FloatArray:
    """Give each vector of shape (..., d) length one; a zero vector stays zero."""
    largest = np.max(np.abs(vectors), axis=-1, keepdims=True, initial=0)  # (..., 1)
    # Squares of very large or small entries would overflow or vanish.
    level = vectors / np.where(largest == 0, 1, largest)  # (..., d)
    length = np.sqrt(np.sum(level * level, axis=-1, keepdims=True))  # (..., 1)
    direction: FloatArray = level / np.where(length == 0, 1, length)  # (..., d)
    return direction


def _require_vectors_of_one_length(a: Shape, b: Shape) -> None:
    shapes = f"a of shape {a} and b of shape {b}"
    if not a or not b or a[-1] != b[-1]:
        raise ValueError(f"a and b need equally many entries in their last axis, got {shapes}")
    try:
        np.broadcast_shapes(a, b)
    except ValueError:
        raise ValueError(f"the leading axes do not broadcast, got {shapes}") from None
