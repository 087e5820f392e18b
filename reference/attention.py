"""Scaled dot-product attention, without and with a causal mask.

    Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

Source: Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, equation 1.

In the shapes, n counts queries, m keys and values, d_k the features of a query and of a key, d_v
those of a value. Three dots stand for any number of batch axes, which broadcast.

A query whose keys are all blocked attends to nothing: its weights and its output are zeros, as in
PyTorch's `scaled_dot_product_attention` and the output of ONNX's `Attention` operator. A plain
softmax would give NaN.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.batches import require_broadcasting_batches, require_matrices
from reference.masks import apply_mask, causal_mask
from reference.scaling import scale_scores
from reference.similarity import require_comparable, similarity_scores
from reference.softmax import softmax


def attention_weights(Q: ArrayLike, K: ArrayLike, mask: ArrayLike | None = None) -> FloatArray:
    """Weigh every key for every query.

        weights = softmax(Q K^T / sqrt(d_k)),    along the keys

    Args:
        Q: Queries, of shape (..., n, d_k).
        K: Keys, of shape (..., m, d_k).
        mask: Boolean (True means blocked) or additive, broadcasting to (..., n, m); see
            `reference.masks`.

    Returns:
        Weights of shape (..., n, m). Each row adds up to one, or to zero if all its keys are
        blocked. The dtype follows `Q` and `K`, not the mask; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, equation 1, before the product with V.
    """
    scores = scale_scores(similarity_scores(Q, K), np.shape(Q)[-1])  # (..., n, m)
    if mask is not None:
        scores = apply_mask(scores, mask)  # (..., n, m)
    return softmax(scores, axis=-1)  # (..., n, m)


def scaled_dot_product_attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Average the values, weighted by how well each key fits the query.

        output = softmax(Q K^T / sqrt(d_k)) V

    A blocked value still takes part in the product, with weight zero, so it must be finite.

    Args:
        Q: Queries, of shape (..., n, d_k).
        K: Keys, of shape (..., m, d_k).
        V: Values, of shape (..., m, d_v).
        mask: Boolean (True means blocked) or additive, broadcasting to (..., n, m); see
            `reference.masks`.

    Returns:
        The output, of shape (..., n, d_v), and the weights, of shape (..., n, m). The dtype of the
        weights follows `Q` and `K`, that of the output `V` as well; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, equation 1.
    """
    values = as_floating(V)  # (..., m, d_v)
    require_matrices("K", np.shape(K), "V", values.shape)
    if np.shape(K)[-2] != values.shape[-2]:
        raise ValueError(
            "V needs one value for each key, "
            f"got K of shape {np.shape(K)} and V of shape {values.shape}"
        )
    weights = attention_weights(Q, K, mask)  # (..., n, m)
    require_broadcasting_batches("weights", weights.shape, "V", values.shape)
    return weights @ values, weights  # (..., n, d_v), (..., n, m)


def causal_attention(Q: ArrayLike, K: ArrayLike, V: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Attend to the position itself and to those before it.

        output = softmax(Q K^T / sqrt(d_k) + M) V,    M_ij = -inf where j > i, else 0

    Args:
        Q: Queries, of shape (..., n, d_k).
        K: Keys, of shape (..., n, d_k): as many as queries, since both number the same positions.
        V: Values, of shape (..., n, d_v).

    Returns:
        The output, of shape (..., n, d_v), and the weights, of shape (..., n, n), which are exactly
        zero above the diagonal. Dtypes follow the inputs as in `scaled_dot_product_attention`.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, equation 1 with the masking of section 3.2.3.
    """
    queries, keys = np.shape(Q), np.shape(K)
    require_comparable(queries, keys)
    length = queries[-2]
    if keys[-2] != length:
        raise ValueError(
            "causal attention needs as many keys as queries, "
            f"got Q of shape {queries} and K of shape {keys}"
        )
    return scaled_dot_product_attention(Q, K, V, mask=causal_mask(length))
