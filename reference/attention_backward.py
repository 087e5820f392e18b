"""The gradient of scaled dot-product attention, step by step backwards."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.attention import scaled_dot_product_attention
from reference.batches import sum_to_shape
from reference.shapes import require_same_shape
from reference.softmax import softmax_backward


class AttentionGradients(NamedTuple):
    """The gradients of attention, each with the shape of what it belongs to."""

    Q: FloatArray  # (..., n, d_k)
    K: FloatArray  # (..., m, d_k)
    V: FloatArray  # (..., m, d_v)


def attention_backward(
    d_output: ArrayLike, Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None
) -> AttentionGradients:
    """Carry the gradient of a loss from the output of attention to queries, keys and values.

        d_V = W^T d_output,    d_W = d_output V^T
        d_S = W * (d_W - sum_j W_ij d_W_ij),    where W = softmax(S), S = Q K^T / sqrt(d_k)
        d_Q = d_S K / sqrt(d_k),    d_K = d_S^T Q / sqrt(d_k)

    A blocked pair has weight zero, so nothing passes through it; a query whose keys are all blocked
    has the gradient zero.

    Args:
        d_output: The gradient with respect to the output, of shape (..., n, d_v).
        Q: Queries, of shape (..., n, d_k).
        K: Keys, of shape (..., m, d_k).
        V: Values, of shape (..., m, d_v).
        mask: Boolean (True means blocked) or additive, broadcasting to (..., n, m); see
            `reference.masks`.

    Returns:
        The gradients with respect to Q, K and V. What was broadcast collects the sum over its uses.
        The dtypes follow the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        Dao et al., "FlashAttention" (2022), arXiv:2205.14135, appendix B.2.
    """
    upstream, queries, keys, values = map(as_floating, (d_output, Q, K, V))
    output, weights = scaled_dot_product_attention(Q, K, V, mask)  # (..., n, d_v), (..., n, m)
    require_same_shape("d_output", upstream.shape, "the output", output.shape)
    d_values = np.swapaxes(weights, -1, -2) @ upstream  # (..., m, d_v)
    d_weights = sum_to_shape(upstream @ np.swapaxes(values, -1, -2), weights.shape)  # (..., n, m)
    d_scaled = softmax_backward(d_weights, weights)  # (..., n, m)
    d_scores = d_scaled / math.sqrt(queries.shape[-1])  # (..., n, m)
    d_queries = d_scores @ keys  # (..., n, d_k)
    d_keys = np.swapaxes(d_scores, -1, -2) @ queries  # (..., m, d_k)
    return AttentionGradients(
        Q=sum_to_shape(d_queries, queries.shape),
        K=sum_to_shape(d_keys, keys.shape),
        V=sum_to_shape(d_values, values.shape),
    )
