"""The decoder of a transformer: causal self-attention, attention to the encoder's memory, network.

Where parameters are asked for, a plain tuple in the same order will do. Dropout, which does nothing
at inference, is left out.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.encoder import attention_with, feed_forward_with, norm_with
from reference.feed_forward import FeedForwardParameters, init_feed_forward
from reference.masks import causal_mask
from reference.multi_head import MultiHeadParameters, init_multi_head, multi_head_attention
from reference.normalization import LayerNormParameters, init_layer_norm, layer_norm
from reference.residual import post_norm, pre_norm

_MATRIX_AXES = 2


class DecoderBlockParameters(NamedTuple):
    """The parameters of a decoder block."""

    self_attention: MultiHeadParameters
    norm_1: LayerNormParameters
    cross_attention: MultiHeadParameters
    norm_2: LayerNormParameters
    feed_forward: FeedForwardParameters
    norm_3: LayerNormParameters


def decoder_block(
    x: ArrayLike,
    memory: ArrayLike,
    parameters: DecoderBlockParameters,
    heads: int,
    mask: ArrayLike | None = None,
    *,
    memory_mask: ArrayLike | None = None,
    norm_first: bool = False,
    activation: str = "relu",
) -> FloatArray:
    """Look back at what was said, then at what the encoder read, then think about it.

        z = norm_1(x + self_attention(x)),    u = norm_2(z + cross_attention(z, memory)),
        y = norm_3(u + feed_forward(u))

    This is post-norm. With pre-norm each normalisation moves from the sum to the input of its
    layer, as in `reference.encoder.encoder_block`; the memory is taken as it is.

    Args:
        x: What was said so far, of shape (..., n, d_model).
        memory: What the encoder gives, of shape (..., m, d_model).
        parameters: The weights of both attentions, network and normalisations.
        heads: The number of heads, which d_model is a multiple of.
        mask: Which positions of x a position must not see, broadcasting to (..., h, n, n); the
            causal mask if there is none.
        memory_mask: Which positions of the memory it must not see, broadcasting to (..., h, n, m).
        norm_first: Whether to normalise before the layers instead of after the sums.
        activation: A name in `reference.activations.ACTIVATIONS`.

    Returns:
        An array of the shape of `x`. The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or a mask neither booleans nor floats.
        ValueError: If shapes do not go together, naming both, or there is no such activation.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, sections 3.1, 3.2.3.
    """
    p = DecoderBlockParameters(*parameters)
    connect = pre_norm if norm_first else post_norm
    if mask is None:
        if np.ndim(x) < _MATRIX_AXES:
            raise ValueError(
                f"x needs two axes or more, positions and features, got x of shape {np.shape(x)}"
            )
        mask = causal_mask(np.shape(x)[-2])  # (n, n)
    look_back = attention_with(p.self_attention, heads, mask)
    think = feed_forward_with(p.feed_forward, activation)

    def look_across(z: FloatArray) -> FloatArray:
        cross = p.cross_attention
        return multi_head_attention(z, *cross, heads=heads, mask=memory_mask, memory=memory)[0]

    attended = connect(x, look_back, norm_with(p.norm_1))  # (..., n, d_model)
    informed = connect(attended, look_across, norm_with(p.norm_2))  # (..., n, d_model)
    return connect(informed, think, norm_with(p.norm_3))  # (..., n, d_model)


def decoder(
    x: ArrayLike,
    memory: ArrayLike,
    blocks: Iterable[DecoderBlockParameters],
    heads: int,
    mask: ArrayLike | None = None,
    *,
    memory_mask: ArrayLike | None = None,
    norm_first: bool = False,
    activation: str = "relu",
    final_norm: LayerNormParameters | None = None,
) -> FloatArray:
    """Stack decoder blocks, all of which see the same memory.

        z_0 = x,    z_l+1 = block_l(z_l, memory)

    Args:
        x: Embedded tokens with their positions, of shape (..., n, d_model).
        memory: What the encoder gives, of shape (..., m, d_model).
        blocks: The parameters of each block, first to last.
        heads: The number of heads.
        mask: As for `decoder_block`, the same for every block; causal if there is none.
        memory_mask: As for `decoder_block`, the same for every block.
        norm_first: Whether the blocks normalise before their layers.
        activation: A name in `reference.activations.ACTIVATIONS`.
        final_norm: A normalisation after the last block, as pre-norm stacks have it.

    Returns:
        An array of the shape of `x`. The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or a mask neither booleans nor floats.
        ValueError: If shapes do not go together, naming both, or there is no such activation.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3.1.
    """
    z = as_floating(x).copy()  # (..., n, d_model)
    for block in blocks:
        z = decoder_block(
            z,
            memory,
            block,
            heads,
            mask,
            memory_mask=memory_mask,
            norm_first=norm_first,
            activation=activation,
        )
    return z if final_norm is None else layer_norm(z, *final_norm)  # (..., n, d_model)


def init_decoder_block(
    rng: np.random.Generator, d_model: int, heads: int, d_ff: int
) -> DecoderBlockParameters:
    """Draw the parameters of a decoder block.

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
    return DecoderBlockParameters(
        self_attention=init_multi_head(d_model, heads, rng),
        norm_1=init_layer_norm(d_model),
        cross_attention=init_multi_head(d_model, heads, rng),
        norm_2=init_layer_norm(d_model),
        feed_forward=init_feed_forward(rng, d_model, d_ff),
        norm_3=init_layer_norm(d_model),
    )
