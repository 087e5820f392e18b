"""Self-attention: a sequence asks itself."""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.attention import scaled_dot_product_attention
from reference.projections import draw_qkv_weights, project_qkv


def self_attention(
    x: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike, mask: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Attend from every position of a sequence to all of its positions.

        output = softmax(Q K^T / sqrt(d_k)) V,    Q = x W_Q,    K = x W_K,    V = x W_V

    Args:
        x: The sequence, of shape (..., n, d_model).
        W_Q: Query projection, of shape (d_model, d_k).
        W_K: Key projection, of shape (d_model, d_k).
        W_V: Value projection, of shape (d_model, d_v).
        mask: Boolean (True means blocked) or additive, broadcasting to (..., n, n).

    Returns:
        The output, of shape (..., n, d_v), and the weights, of shape (..., n, n). The dtypes follow
        the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, sections 3.2.1-3.2.3.
    """
    Q, K, V = project_qkv(x, W_Q, W_K, W_V)  # (..., n, d_k), (..., n, d_k), (..., n, d_v)
    return scaled_dot_product_attention(Q, K, V, mask)  # (..., n, d_v), (..., n, n)


def self_attention_with_drawn_weights(
    x: ArrayLike,
    d_k: int,
    rng: np.random.Generator | np.random.RandomState,
    mask: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Do the same with projections drawn from the standard normal distribution.

    W_Q, W_K and W_V are drawn in this order, each of shape (d_model, d_k). They are forgotten
    afterwards, so this shows what untrained attention looks like and is good for nothing else.

    Args:
        x: The sequence, of shape (..., n, d_model).
        d_k: The number of features of queries, keys and values.
        rng: Where the weights come from; its state moves on.
        mask: Boolean (True means blocked) or additive, broadcasting to (..., n, n).

    Returns:
        The output, of shape (..., n, d_k), and the weights, of shape (..., n, n), both float64 or
        wider.

    Raises:
        TypeError: If `x` does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        As `self_attention`.
    """
    sequence = as_floating(x)  # (..., n, d_model)
    if not sequence.ndim:
        raise ValueError("x needs axes of positions and features, got x of shape ()")
    W_Q, W_K, W_V = draw_qkv_weights(sequence.shape[-1], d_k, rng)  # (d_model, d_k) each
    return self_attention(sequence, W_Q, W_K, W_V, mask)
