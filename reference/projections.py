"""Projections: from one sequence to queries, keys and values."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray
from reference.linear import linear, linear_backward


class QKV(NamedTuple):
    """Queries, keys and values; or their gradients, or the weights that make them."""

    Q: FloatArray  # (..., n, d_k)
    K: FloatArray  # (..., n, d_k)
    V: FloatArray  # (..., n, d_v)


class ProjectionGradients(NamedTuple):
    """The gradients of `project_qkv`, each with the shape of what it belongs to."""

    x: FloatArray  # (..., n, d_model)
    W_Q: FloatArray  # (d_model, d_k)
    W_K: FloatArray  # (d_model, d_k)
    W_V: FloatArray  # (d_model, d_v)


def project_qkv(x: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike) -> QKV:
    """Project a sequence three times: to ask, to be found, to be read.

        Q = x W_Q,    K = x W_K,    V = x W_V

    Args:
        x: The sequence, of shape (..., n, d_model).
        W_Q: Query projection, of shape (d_model, d_k).
        W_K: Key projection, of shape (d_model, d_k).
        W_V: Value projection, of shape (d_model, d_v).

    Returns:
        Q and K of shape (..., n, d_k) and V of shape (..., n, d_v). The dtypes follow the inputs;
        integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.2.2.
    """
    return QKV(linear(x, W_Q), linear(x, W_K), linear(x, W_V))


def project_qkv_backward(
    d_qkv: tuple[ArrayLike, ArrayLike, ArrayLike],
    x: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
) -> ProjectionGradients:
    """Carry the gradient of a loss from queries, keys and values to the sequence and the weights.

        d_x = d_Q W_Q^T + d_K W_K^T + d_V W_V^T,    d_W_Q = x^T d_Q; the same for W_K and W_V

    Args:
        d_qkv: The gradients with respect to Q, K and V.
        x: The sequence, of shape (..., n, d_model).
        W_Q: Query projection, of shape (d_model, d_k).
        W_K: Key projection, of shape (d_model, d_k).
        W_V: Value projection, of shape (d_model, d_v).

    Returns:
        The gradients with respect to x, W_Q, W_K and W_V.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), algorithm 6.4.
    """
    d_Q, d_K, d_V = d_qkv
    query = linear_backward(d_Q, x, W_Q)
    key = linear_backward(d_K, x, W_K)
    value = linear_backward(d_V, x, W_V)
    return ProjectionGradients(query.x + key.x + value.x, query.W, key.W, value.W)


def draw_qkv_weights(
    d_model: int, d_k: int, rng: np.random.Generator | np.random.RandomState, d_v: int | None = None
) -> QKV:
    """Draw the three projections, in the order W_Q, W_K, W_V.

        W ~ N(0, 1)

    Args:
        d_model: The number of features of the sequence.
        d_k: The number of features of a query and of a key.
        rng: Where the numbers come from; its state moves on.
        d_v: The number of features of a value; d_k if not given.

    Returns:
        W_Q and W_K of shape (d_model, d_k) and W_V of shape (d_model, d_v), float64.

    Raises:
        ValueError: If a size is negative.

    Source:
        The simplest choice. Trained models start from smaller numbers, as `init_multi_head` does.
    """
    sizes = (d_k, d_k, d_k if d_v is None else d_v)
    return QKV(*(rng.standard_normal((d_model, size)) for size in sizes))
