"""Cross-attention: one sequence asks, another answers."""

from numpy.typing import ArrayLike

from reference.arrays import FloatArray
from reference.attention import scaled_dot_product_attention
from reference.linear import linear


def cross_attention(
    x: ArrayLike,
    memory: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    mask: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Attend from every position of a sequence to all positions of another.

        output = softmax(Q K^T / sqrt(d_k)) V,    Q = x W_Q,    K = m W_K,    V = m W_V

    In translation x is what the decoder has so far and m, the memory, what the encoder returned.

    Args:
        x: The sequence that asks, of shape (..., n, d_model).
        memory: The sequence that answers, of shape (..., m, d_memory).
        W_Q: Query projection, of shape (d_model, d_k).
        W_K: Key projection, of shape (d_memory, d_k).
        W_V: Value projection, of shape (d_memory, d_v).
        mask: Boolean (True means blocked) or additive, broadcasting to (..., n, m).

    Returns:
        The output, of shape (..., n, d_v), and the weights, of shape (..., n, m). The dtypes follow
        the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.2.3.
    """
    Q = linear(x, W_Q)  # (..., n, d_k)
    K, V = linear(memory, W_K), linear(memory, W_V)  # (..., m, d_k), (..., m, d_v)
    return scaled_dot_product_attention(Q, K, V, mask)  # (..., n, d_v), (..., n, m)
