"""The encoder of a transformer: blocks of self-attention and a feed-forward network.

A block wraps each of its two layers in a residual connection with layer normalisation, after the
sum as in the first transformer (the default) or before the layer as in most since. With a causal
mask the same block is what GPT is built of. Dropout, which does nothing at inference, is left out.

Where parameters are asked for, a plain tuple in the same order will do.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.feed_forward import FeedForwardParameters, feed_forward, init_feed_forward
from reference.multi_head import MultiHeadParameters, init_multi_head, multi_head_attention
from reference.normalization import LayerNormParameters, init_layer_norm, layer_norm
from reference.residual import Layer, post_norm, pre_norm


class EncoderBlockParameters(NamedTuple):
    """The parameters of an encoder block."""

    attention: MultiHeadParameters
    norm_1: LayerNormParameters
    feed_forward: FeedForwardParameters
    norm_2: LayerNormParameters


def encoder_block(
    x: ArrayLike,
    parameters: EncoderBlockParameters,
    heads: int,
    mask: ArrayLike | None = None,
    *,
    norm_first: bool = False,
    activation: str = "relu",
) -> FloatArray:
    """Mix information across positions, then transform each position on its own.

        z = norm_1(x + attention(x)),    y = norm_2(z + feed_forward(z))      post-norm
        z = x + attention(norm_1(x)),    y = z + feed_forward(norm_2(z))      pre-norm

    Args:
        x: Inputs of shape (..., n, d_model).
        parameters: The weights of attention, feed-forward network and both normalisations.
        heads: The number of heads, which d_model is a multiple of.
        mask: Boolean (True means blocked) or additive, as for `multi_head_attention`.
        norm_first: Whether to normalise before the layers instead of after the sums.
        activation: A name in `reference.activations.ACTIVATIONS`.

    Returns:
        An array of the shape of `x`. The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together, naming both, or there is no such activation.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.1;
        pre-norm is from Xiong et al. (2020), arXiv:2002.04745, table 1.
    """
    p = EncoderBlockParameters(*parameters)
    connect = pre_norm if norm_first else post_norm
    attention = attention_with(p.attention, heads, mask)
    network = feed_forward_with(p.feed_forward, activation)
    attended = connect(x, attention, norm_with(p.norm_1))  # (..., n, d_model)
    return connect(attended, network, norm_with(p.norm_2))  # (..., n, d_model)


def encoder(
    x: ArrayLike,
    blocks: Iterable[EncoderBlockParameters],
    heads: int,
    mask: ArrayLike | None = None,
    *,
    norm_first: bool = False,
    activation: str = "relu",
    final_norm: LayerNormParameters | None = None,
) -> FloatArray:
    """Stack encoder blocks.

        z_0 = x,    z_l+1 = block_l(z_l)

    Args:
        x: Embedded tokens with their positions, of shape (..., n, d_model).
        blocks: The parameters of each block, first to last.
        heads: The number of heads.
        mask: Boolean (True means blocked) or additive, the same for every block.
        norm_first: Whether the blocks normalise before their layers.
        activation: A name in `reference.activations.ACTIVATIONS`.
        final_norm: A normalisation after the last block, as pre-norm stacks have it.

    Returns:
        An array of the shape of `x`. The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together, naming both, or there is no such activation.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3.1.
    """
    z = as_floating(x).copy()  # (..., n, d_model)
    for block in blocks:
        z = encoder_block(z, block, heads, mask, norm_first=norm_first, activation=activation)
    return z if final_norm is None else layer_norm(z, *final_norm)  # (..., n, d_model)


def init_encoder_block(
    rng: np.random.Generator, d_model: int, heads: int, d_ff: int
) -> EncoderBlockParameters:
    """Draw the parameters of an encoder block.

    Args:
        rng: The generator to draw from.
        d_model: The features of a position, a multiple of `heads`.
        heads: The number of heads.
        d_ff: The hidden features of the feed-forward network.

    Returns:
        Parameters in float64.

    Raises:
        ValueError: If `d_model` is not a positive multiple of `heads`, or `d_ff` is negative.

    Source:
        As `reference.multi_head.init_multi_head` and `reference.feed_forward.init_feed_forward`.
    """
    return EncoderBlockParameters(
        attention=init_multi_head(d_model, heads, rng),
        norm_1=init_layer_norm(d_model),
        feed_forward=init_feed_forward(rng, d_model, d_ff),
        norm_2=init_layer_norm(d_model),
    )


def attention_with(
    parameters: MultiHeadParameters, heads: int, mask: ArrayLike | None = None
) -> Layer:
    """Give multi-head self-attention with these parameters, as a function of its input alone.

    Args:
        parameters: The four projections.
        heads: The number of heads.
        mask: As for `multi_head_attention`.

    Returns:
        A function from arrays of shape (..., n, d_model) to arrays of the same shape.
    """
    return lambda x: multi_head_attention(x, *parameters, heads=heads, mask=mask)[0]


def feed_forward_with(parameters: FeedForwardParameters, activation: str = "relu") -> Layer:
    """Give the feed-forward network with these parameters, as a function of its input alone.

    Args:
        parameters: The two linear layers.
        activation: A name in `reference.activations.ACTIVATIONS`.

    Returns:
        A function from arrays of shape (..., d_model) to arrays of the same shape.
    """
    return lambda x: feed_forward(x, *parameters, activation=activation)


def norm_with(parameters: LayerNormParameters) -> Layer:
    """Give the layer normalisation with these parameters, as a function of its input alone.

    Args:
        parameters: Gain and bias, each of shape (d,).

    Returns:
        A function from arrays of shape (..., d) to arrays of the same shape.
    """
    return lambda x: layer_norm(x, *parameters)
