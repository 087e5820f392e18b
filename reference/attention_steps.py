"""Attention with everything that it computes on the way, for looking at."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.attention import scaled_dot_product_attention
from reference.masks import apply_mask
from reference.scaling import scale_scores
from reference.similarity import similarity_scores


class AttentionSteps(NamedTuple):
    """The steps of scaled dot-product attention, in their order."""

    Q: FloatArray  # (..., n, d_k)  the queries
    K: FloatArray  # (..., m, d_k)  the keys
    V: FloatArray  # (..., m, d_v)  the values
    scores: FloatArray  # (..., n, m)  Q K^T
    scaled: FloatArray  # (..., n, m)  scores / sqrt(d_k)
    masked: FloatArray  # (..., n, m)  scaled, -inf where blocked
    weights: FloatArray  # (..., n, m)  softmax of masked
    output: FloatArray  # (..., n, d_v)  weights V


def attention_steps(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None
) -> AttentionSteps:
    """Compute scaled dot-product attention and keep every step.

        scores = Q K^T,    scaled = scores / sqrt(d_k),    masked = scaled or -inf,
        weights = softmax(masked),    output = weights V

    Args:
        Q: Queries, of shape (..., n, d_k).
        K: Keys, of shape (..., m, d_k).
        V: Values, of shape (..., m, d_v).
        mask: Boolean (True means blocked) or additive, broadcasting to (..., n, m); see
            `reference.masks`.

    Returns:
        The steps. Without a mask, `masked` is equal to `scaled`. Dtypes as in
        `reference.attention.scaled_dot_product_attention`.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, equation 1.
    """
    output, weights = scaled_dot_product_attention(Q, K, V, mask)  # (..., n, d_v), (..., n, m)
    scores = similarity_scores(Q, K)  # (..., n, m)
    scaled = scale_scores(scores, np.shape(Q)[-1])  # (..., n, m)
    masked = scaled.copy() if mask is None else apply_mask(scaled, mask)  # (..., n, m)
    queries, keys, values = (as_floating(given).copy() for given in (Q, K, V))
    return AttentionSteps(queries, keys, values, scores, scaled, masked, weights, output)
