"""The gradient of multi-head attention."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.attention import scaled_dot_product_attention
from reference.attention_backward import attention_backward
from reference.linear import linear, linear_backward
from reference.multi_head import merge_heads, split_heads
from reference.shapes import require_same_shape


class MultiHeadGradients(NamedTuple):
    """The gradients of multi-head attention, each with the shape of what it belongs to."""

    x: FloatArray  # (..., n, d_model)
    W_Q: FloatArray  # (d_model, h * d_k)
    W_K: FloatArray  # (d_memory, h * d_k)
    W_V: FloatArray  # (d_memory, h * d_v)
    W_O: FloatArray  # (h * d_v, d_out)
    memory: FloatArray | None  # (..., m, d_memory); None in self-attention, where x has it all


def multi_head_attention_backward(
    d_output: ArrayLike,
    x: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    W_O: ArrayLike,
    heads: int,
    mask: ArrayLike | None = None,
    memory: ArrayLike | None = None,
) -> MultiHeadGradients:
    """Carry the gradient of a loss back through multi-head attention.

        output = Concat(head_1, ..., head_h) W_O, backwards: the output projection, the merging, the
        attention of each head, the splitting, the three projections. In self-attention the sequence
        was used three times and collects three gradients.

    Args:
        d_output: The gradient with respect to the output, of shape (..., n, d_out).
        x: As given to `reference.multi_head.multi_head_attention`, and so are all that follow. The
            batch axes of x and memory must be the same.
        W_Q: Of shape (d_model, h * d_k).
        W_K: Of shape (d_memory, h * d_k).
        W_V: Of shape (d_memory, h * d_v).
        W_O: Of shape (h * d_v, d_out).
        heads: The number of heads, h.
        mask: Boolean (True means blocked) or additive, broadcasting to (..., h, n, m).
        memory: The sequence that answered, of shape (..., m, d_memory); x if there was none.

    Returns:
        The gradients with respect to x, the four matrices, and memory if there was one.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        The chain rule applied to Vaswani et al., "Attention Is All You Need" (2017),
        arXiv:1706.03762, section 3.2.2.
    """
    source = x if memory is None else memory  # (..., m, d_memory)
    require_same_shape(
        "the batch axes of x", np.shape(x)[:-2], "those of memory", np.shape(source)[:-2]
    )
    Q = split_heads(linear(x, W_Q), heads)  # (..., h, n, d_k)
    K = split_heads(linear(source, W_K), heads)  # (..., h, m, d_k)
    V = split_heads(linear(source, W_V), heads)  # (..., h, m, d_v)
    merged = merge_heads(scaled_dot_product_attention(Q, K, V, mask)[0])  # (..., n, h * d_v)
    after = linear_backward(d_output, merged, W_O)
    inner = attention_backward(split_heads(after.x, heads), Q, K, V, mask)
    query = linear_backward(merge_heads(inner.Q), x, W_Q)
    key = linear_backward(merge_heads(inner.K), source, W_K)
    value = linear_backward(merge_heads(inner.V), source, W_V)
    d_source = as_floating(key.x + value.x)  # (..., m, d_memory)
    return MultiHeadGradients(
        x=query.x + d_source if memory is None else query.x,
        W_Q=query.W,
        W_K=key.W,
        W_V=value.W,
        W_O=after.W,
        memory=None if memory is None else d_source,
    )
