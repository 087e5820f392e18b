"""Multi-head attention: several attentions side by side, each on its own projections.

    head_i = Attention(X W_Q^i, X W_K^i, X W_V^i)
    output = Concat(head_1, ..., head_h) W_O

Source: Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.2.2.

The matrices of all heads stand side by side in one: columns (i - 1) d_k to i d_k of W_Q are those
of head i. One product then serves all heads, and splitting the features is all that is left to do.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.attention import scaled_dot_product_attention
from reference.linear import linear

_PER_HEAD_AXES = 3  # heads, features in, features out


class MultiHeadParameters(NamedTuple):
    """The parameters of multi-head attention; the matrices of all heads side by side."""

    W_Q: FloatArray  # (d_model, h * d_k)
    W_K: FloatArray  # (d_memory, h * d_k)
    W_V: FloatArray  # (d_memory, h * d_v)
    W_O: FloatArray  # (h * d_v, d_model)


def split_heads(x: ArrayLike, heads: int) -> FloatArray:
    """Deal the features out to the heads, in blocks of neighbours.

        heads_i = x[..., (i - 1) d : i d]

    Args:
        x: An array of shape (..., n, h * d).
        heads: The number of heads, h.

    Returns:
        A new array of shape (..., h, n, d). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        ValueError: If `x` has fewer than two axes, or its last axis is not a multiple of `heads`;
            names the shape.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3.2.2.
    """
    joined = as_floating(x)  # (..., n, h * d)
    if heads < 1 or joined.ndim < 2 or joined.shape[-1] % heads:  # noqa: PLR2004  positions, features
        raise ValueError(
            f"{heads} heads cannot share the features in the last axis of shape {joined.shape}"
        )
    parts = joined.reshape(*joined.shape[:-1], heads, joined.shape[-1] // heads)  # (..., n, h, d)
    return np.swapaxes(parts, -2, -3).copy()  # (..., h, n, d)


def merge_heads(x: ArrayLike) -> FloatArray:
    """Put the features of all heads side by side again: the inverse of `split_heads`.

        merged = Concat(x_1, ..., x_h)

    Args:
        x: An array of shape (..., h, n, d).

    Returns:
        A new array of shape (..., n, h * d). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        ValueError: If `x` has fewer than three axes; names its shape.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3.2.2.
    """
    parts = as_floating(x)  # (..., h, n, d)
    if parts.ndim < _PER_HEAD_AXES:
        raise ValueError(f"merging needs axes (heads, positions, features), got {parts.shape}")
    *batch, heads, positions, features = parts.shape
    side_by_side = np.swapaxes(parts, -2, -3)  # (..., n, h, d)
    return side_by_side.reshape(*batch, positions, heads * features).copy()  # (..., n, h * d)


def multi_head_attention(
    x: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    W_O: ArrayLike,
    heads: int,
    mask: ArrayLike | None = None,
    memory: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Attend with several heads and mix what they found.

        output = Concat(head_1, ..., head_h) W_O,    head_i = Attention(x W_Q^i, m W_K^i, m W_V^i)

    where m is the memory: x itself in self-attention, another sequence in cross-attention.

    Args:
        x: The sequence that asks, of shape (..., n, d_model).
        W_Q: Query projections side by side, of shape (d_model, h * d_k).
        W_K: Key projections side by side, of shape (d_memory, h * d_k).
        W_V: Value projections side by side, of shape (d_memory, h * d_v).
        W_O: Output projection, of shape (h * d_v, d_out), where d_out is mostly d_model.
        heads: The number of heads, h.
        mask: Boolean (True means blocked) or additive, broadcasting to (..., h, n, m). One of shape
            (n, m) serves all heads and batches; one for each batch, (b, n, m), needs an axis for
            the heads: (b, 1, n, m).
        memory: The sequence that answers, of shape (..., m, d_memory); `x` if there is none.

    Returns:
        The output, of shape (..., n, d_out), and the weights of each head, of shape
        (..., h, n, m). The dtypes follow the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3.2.2.
    """
    source = x if memory is None else memory  # (..., m, d_memory)
    Q = split_heads(linear(x, W_Q), heads)  # (..., h, n, d_k)
    K = split_heads(linear(source, W_K), heads)  # (..., h, m, d_k)
    V = split_heads(linear(source, W_V), heads)  # (..., h, m, d_v)
    mixed, weights = scaled_dot_product_attention(Q, K, V, mask)  # (..., h, n, d_v), (..., h, n, m)
    return linear(merge_heads(mixed), W_O), weights  # (..., n, d_out), (..., h, n, m)


def multi_head_attention_per_head(
    x: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    W_O: ArrayLike,
    mask: ArrayLike | None = None,
    memory: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Do the same with a matrix of its own for each head, as the equation reads.

        output = Concat(head_1, ..., head_h) W_O,    head_i = Attention(x W_Q^i, m W_K^i, m W_V^i)

    Args:
        x: The sequence that asks, of shape (..., n, d_model).
        W_Q: A query projection for each head, of shape (h, d_model, d_k).
        W_K: A key projection for each head, of shape (h, d_memory, d_k).
        W_V: A value projection for each head, of shape (h, d_memory, d_v).
        W_O: Output projection, of shape (h * d_v, d_out).
        mask: As for `multi_head_attention`.
        memory: The sequence that answers, of shape (..., m, d_memory); `x` if there is none.

    Returns:
        The output, of shape (..., n, d_out), and the weights of each head, of shape
        (..., h, n, m). The dtypes follow the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3.2.2.
    """
    shapes = [np.shape(W) for W in (W_Q, W_K, W_V)]
    queries, keys, values = (join_head_weights(W) for W in (W_Q, W_K, W_V))  # (d, h * d_k) or d_v
    heads = shapes[0][0]
    if any(shape[0] != heads for shape in shapes):
        raise ValueError(
            "W_Q, W_K and W_V need equally many heads in their first axis, "
            f"got shapes {shapes[0]}, {shapes[1]} and {shapes[2]}"
        )
    return multi_head_attention(x, queries, keys, values, W_O, heads, mask, memory)


def join_head_weights(W: ArrayLike) -> FloatArray:
    """Put the projections of all heads side by side.

        joined = [W^1, ..., W^h]

    Args:
        W: A projection for each head, of shape (h, d_in, d).

    Returns:
        A new array of shape (d_in, h * d). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `W` does not hold real numbers.
        ValueError: If `W` does not have three axes; names its shape.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3.2.2.
    """
    per_head = as_floating(W)  # (h, d_in, d)
    if per_head.ndim != _PER_HEAD_AXES:
        raise ValueError(f"weights for each head need axes (h, d_in, d), got {per_head.shape}")
    return merge_heads(per_head)  # (d_in, h * d)


def separate_head_weights(W: ArrayLike, heads: int) -> FloatArray:
    """Take projections that stand side by side apart: the inverse of `join_head_weights`.

        W^i = W[:, (i - 1) d : i d]

    Args:
        W: Projections side by side, of shape (d_in, h * d).
        heads: The number of heads, h.

    Returns:
        A new array of shape (h, d_in, d). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `W` does not hold real numbers.
        ValueError: If `W` does not have two axes or its last is not a multiple of `heads`; names
            the shape.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3.2.2.
    """
    if np.ndim(W) != _PER_HEAD_AXES - 1:
        raise ValueError(f"weights side by side need axes (d_in, h * d), got {np.shape(W)}")
    return split_heads(W, heads)  # (h, d_in, d)


def init_multi_head(
    d_model: int, heads: int, rng: np.random.Generator | np.random.RandomState
) -> MultiHeadParameters:
    """Draw the matrices of multi-head attention, head by head.

        W ~ N(0, 1 / d_model),    d_k = d_v = d_model / h

    For each head W_Q, W_K and W_V are drawn in this order, and W_O after all heads. The scale keeps
    the variance of the projected features at that of the inputs.

    Args:
        d_model: The number of features, a multiple of `heads`.
        heads: The number of heads, h.
        rng: Where the numbers come from; its state moves on.

    Returns:
        Four float64 matrices of shape (d_model, d_model).

    Raises:
        ValueError: If `d_model` is not a positive multiple of `heads`.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3.2.2, for the sizes; LeCun et al.,
        "Efficient BackProp" (1998), equation 16, for the scale.
    """
    if min(d_model, heads) < 1 or d_model % heads:
        raise ValueError(f"{heads} heads cannot share d_model = {d_model} features")
    size = (heads, 3, d_model, d_model // heads)
    drawn = rng.standard_normal(size) / np.sqrt(d_model)  # (h, 3, d_model, d_k)
    W_Q, W_K, W_V = (join_head_weights(drawn[:, part]) for part in range(3))
    W_O = rng.standard_normal((d_model, d_model)) / np.sqrt(d_model)  # (d_model, d_model)
    return MultiHeadParameters(W_Q, W_K, W_V, W_O)


class MultiHeadAttention:
    """Multi-head self-attention as an object that keeps its weights.

    Args:
        W_Q: Query projections side by side, of shape (d_model, h * d_k).
        W_K: Key projections side by side, of shape (d_model, h * d_k).
        W_V: Value projections side by side, of shape (d_model, h * d_v).
        W_O: Output projection, of shape (h * d_v, d_out).
        heads: The number of heads, h.
    """

    def __init__(
        self, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike, W_O: ArrayLike, heads: int
    ) -> None:
        self.parameters = MultiHeadParameters(
            *(as_floating(W).copy() for W in (W_Q, W_K, W_V, W_O))
        )
        self.heads = heads

    def __call__(
        self, x: ArrayLike, mask: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Attend with all heads; see `multi_head_attention`."""
        return multi_head_attention(x, *self.parameters, self.heads, mask)
