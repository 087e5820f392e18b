"""The first transformer, whole: an encoder reads one text, a decoder writes another.

Post-norm blocks, sinusoidal positions and a linear layer at the end. In the shapes, m counts the
source's positions and n the target's; V_s and V_t are the sizes of their vocabularies.

Source: Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, figure 1.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, IntArray
from reference.decoder import DecoderBlockParameters, decoder, init_decoder_block
from reference.decoding import greedy
from reference.embeddings import embed
from reference.encoder import EncoderBlockParameters, encoder, init_encoder_block
from reference.language_model import language_model_logits
from reference.positions import add_positions, sinusoidal_positions


class TransformerParameters(NamedTuple):
    """The parameters of an encoder-decoder transformer."""

    source_embedding: FloatArray  # (V_s, d_model)
    target_embedding: FloatArray  # (V_t, d_model)
    encoder_blocks: tuple[EncoderBlockParameters, ...]
    decoder_blocks: tuple[DecoderBlockParameters, ...]
    W_out: FloatArray  # (d_model, V_t)
    b_out: FloatArray  # (V_t,)


def transformer(
    source: ArrayLike,
    target: ArrayLike,
    parameters: TransformerParameters,
    heads: int,
    source_mask: ArrayLike | None = None,
) -> FloatArray:
    """Score every next token of the target, given the source and the target so far.

        logits = decode(target, encode(source))

    Args:
        source: Token numbers of shape (..., m).
        target: Token numbers of shape (..., n), of which position t sees those up to t.
        parameters: The weights; a plain tuple in the same order will do.
        heads: The number of heads.
        source_mask: Which source positions no one must see, boolean (True means blocked) or
            additive, broadcasting to (..., h, 1, m), such as padding of shape (batch, 1, 1, m).

    Returns:
        Logits of shape (..., n, V_t). The dtype follows the parameters.

    Raises:
        TypeError: If tokens are not integers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together, naming both, or a token is out of range.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, figure 1.
    """
    memory = encode(source, parameters, heads, source_mask)  # (..., m, d_model)
    return decode(target, memory, parameters, heads, source_mask)  # (..., n, V_t)


def encode(
    source: ArrayLike,
    parameters: TransformerParameters,
    heads: int,
    source_mask: ArrayLike | None = None,
) -> FloatArray:
    """Read the source.

        memory = encoder(sqrt(d_model) E_s[source] + P)

    Args:
        source: Token numbers of shape (..., m).
        parameters: The weights.
        heads: The number of heads.
        source_mask: As for `transformer`.

    Returns:
        The memory, of shape (..., m, d_model). The dtype follows the parameters.

    Raises:
        TypeError: If tokens are not integers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together, naming both, or a token is out of range.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, sections 3.1, 3.4 and 3.5.
    """
    p = TransformerParameters(*parameters)
    x = embed_with_positions(source, p.source_embedding)  # (..., m, d_model)
    return encoder(x, p.encoder_blocks, heads, source_mask)  # (..., m, d_model)


def decode(
    target: ArrayLike,
    memory: ArrayLike,
    parameters: TransformerParameters,
    heads: int,
    source_mask: ArrayLike | None = None,
) -> FloatArray:
    """Score every next token of the target, given the memory of the source.

        logits = decoder(sqrt(d_model) E_t[target] + P, memory) W_out + b_out

    Args:
        target: Token numbers of shape (..., n).
        memory: What `encode` gave, of shape (..., m, d_model).
        parameters: The weights.
        heads: The number of heads.
        source_mask: As for `transformer`.

    Returns:
        Logits of shape (..., n, V_t). The dtype follows the parameters.

    Raises:
        TypeError: If tokens are not integers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together, naming both, or a token is out of range.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, sections 3.1, 3.4 and 3.5.
    """
    p = TransformerParameters(*parameters)
    x = embed_with_positions(target, p.target_embedding)  # (..., n, d_model)
    hidden = decoder(x, memory, p.decoder_blocks, heads, memory_mask=source_mask)
    return language_model_logits(hidden, p.W_out, p.b_out)  # (..., n, V_t)


def embed_with_positions(tokens: ArrayLike, E: ArrayLike) -> FloatArray:
    """Embed tokens, enlarge them, and add sinusoidal positions.

        x_i = sqrt(d_model) E[token_i] + P_i

    Args:
        tokens: Token numbers of shape (..., n).
        E: The embedding matrix, of shape (V, d_model).

    Returns:
        An array of shape (..., n, d_model). The dtype follows E.

    Raises:
        TypeError: If tokens are not integers.
        ValueError: If a token is out of range; names the shape of the tokens.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, sections 3.4 and 3.5.
    """
    vectors = embed(tokens, E)  # (..., n, d_model)
    length, d_model = vectors.shape[-2:]
    P = sinusoidal_positions(length, d_model, dtype=vectors.dtype)  # (n, d_model)
    return add_positions(math.sqrt(d_model) * vectors, P)  # (..., n, d_model)


def translate(
    source: ArrayLike,
    parameters: TransformerParameters,
    heads: int,
    start: int,
    count: int,
    *,
    source_mask: ArrayLike | None = None,
) -> IntArray:
    """Write the target token by token, each time the most probable one.

        y_t = argmax P(y_t | y_0, ..., y_t-1, source),    y_0 = start

    Args:
        source: Token numbers of shape (..., m).
        parameters: The weights.
        heads: The number of heads.
        start: The token number that begins every target.
        count: How many tokens to write, at least 0.
        source_mask: As for `transformer`.

    Returns:
        Token numbers of shape (..., count), without the start.

    Raises:
        TypeError: If tokens are not integers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together, naming both, or a token is out of range.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3: the model is auto-regressive.
    """
    memory = encode(source, parameters, heads, source_mask)  # (..., m, d_model)
    target = np.full((*memory.shape[:-2], 1), start)  # (..., 1)
    for _ in range(count):
        logits = decode(target, memory, parameters, heads, source_mask)  # (..., t, V_t)
        following = greedy(logits[..., -1, :])[..., np.newaxis]  # (..., 1)
        target = np.concatenate([target, following], axis=-1)  # (..., t + 1)
    return target[..., 1:].copy()  # (..., count)


def init_transformer(
    rng: np.random.Generator,
    *,
    source_vocabulary: int,
    target_vocabulary: int,
    d_model: int,
    heads: int,
    layers: int,
    d_ff: int | None = None,
) -> TransformerParameters:
    """Draw the parameters of an encoder-decoder transformer.

    Args:
        rng: The generator to draw from.
        source_vocabulary: V_s.
        target_vocabulary: V_t.
        d_model: The features of a position, a multiple of `heads`.
        heads: The number of heads.
        layers: The number of encoder blocks, and of decoder blocks.
        d_ff: The hidden features of the feed-forward networks; 4 * d_model if not given.

    Returns:
        Parameters in float64.

    Raises:
        ValueError: If `d_model` is not a positive multiple of `heads`, or a number is negative.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3, for the sizes. The embeddings have a
        standard deviation of 1 / sqrt(d_model), so that enlarged they match the positions.
    """
    hidden = 4 * d_model if d_ff is None else d_ff
    encoder_blocks = [init_encoder_block(rng, d_model, heads, hidden) for _ in range(layers)]
    decoder_blocks = [init_decoder_block(rng, d_model, heads, hidden) for _ in range(layers)]
    scale = 1 / math.sqrt(d_model)
    return TransformerParameters(
        source_embedding=rng.normal(0, scale, (source_vocabulary, d_model)),
        target_embedding=rng.normal(0, scale, (target_vocabulary, d_model)),
        encoder_blocks=tuple(encoder_blocks),
        decoder_blocks=tuple(decoder_blocks),
        W_out=rng.normal(0, scale, (d_model, target_vocabulary)),
        b_out=np.zeros(target_vocabulary),
    )
