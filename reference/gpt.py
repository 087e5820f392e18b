"""A tiny GPT: it reads tokens, scores the next one, learns from text and writes some.

Learned positions, pre-norm blocks with causal attention and tanh-GELU, a final normalisation, and a
head tied to the embedding. Unlike GPT-2 its attention has no biases.

In the shapes, n counts positions, V the tokens of the vocabulary, and context the positions that
there are. Where parameters are asked for, a plain tuple in the same order will do.

Sources: Radford et al., "Improving Language Understanding by Generative Pre-Training" (2018),
section 3.1, and "Language Models are Unsupervised Multitask Learners" (2019), section 2.3.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, IntArray
from reference.decoding import choose_token
from reference.embeddings import embed, embed_backward
from reference.encoder import EncoderBlockParameters, encoder_block, init_encoder_block
from reference.encoder_backward import encoder_block_backward
from reference.feed_forward import feed_forward
from reference.kv_cache import KeyValueCache, attention_with_cache
from reference.language_model import next_token_pairs, tied_logits
from reference.linear import linear, linear_backward
from reference.losses import cross_entropy, cross_entropy_gradient
from reference.masks import causal_mask
from reference.multi_head import merge_heads, split_heads
from reference.normalization import (
    LayerNormParameters,
    init_layer_norm,
    layer_norm,
    layer_norm_backward,
)
from reference.optimizers import gradient_descent_step
from reference.positions import add_positions, add_positions_backward

_ACTIVATION = "gelu_tanh"


class GPTParameters(NamedTuple):
    """The parameters of a GPT."""

    token_embedding: FloatArray  # (V, d_model)
    position_embedding: FloatArray  # (context, d_model)
    blocks: tuple[EncoderBlockParameters, ...]
    final_norm: LayerNormParameters


class GPTGradients(NamedTuple):
    """The loss of a GPT, and its gradients in the structure of the parameters."""

    loss: FloatArray  # ()
    parameters: GPTParameters


def init_gpt(
    rng: np.random.Generator,
    *,
    vocabulary: int,
    context: int,
    d_model: int,
    heads: int,
    layers: int,
    d_ff: int | None = None,
) -> GPTParameters:
    """Draw the parameters of a GPT.

    Args:
        rng: The generator to draw from.
        vocabulary: The number of tokens, V.
        context: The number of positions.
        d_model: The features of a position, a multiple of `heads`.
        heads: The number of heads.
        layers: The number of blocks.
        d_ff: The hidden features of the feed-forward networks; 4 * d_model if not given.

    Returns:
        Parameters in float64; `reference.parameters.count_parameters` counts them.

    Raises:
        ValueError: If `d_model` is not a positive multiple of `heads`, or a number is negative.

    Source:
        Radford et al. (2018), section 4.1, for the embeddings' standard deviation of 0.02 and
        d_ff; the blocks as in `reference.encoder.init_encoder_block`.
    """
    hidden = 4 * d_model if d_ff is None else d_ff
    return GPTParameters(
        token_embedding=rng.normal(0, 0.02, (vocabulary, d_model)),
        position_embedding=rng.normal(0, 0.02, (context, d_model)),
        blocks=tuple(init_encoder_block(rng, d_model, heads, hidden) for _ in range(layers)),
        final_norm=init_layer_norm(d_model),
    )


def gpt(tokens: ArrayLike, parameters: GPTParameters, heads: int) -> FloatArray:
    """Score the next token at every position.

        z_0 = E[tokens] + P,    z_l+1 = block_l(z_l),    logits = norm(z_L) E^T

    Args:
        tokens: Token numbers of shape (..., n), with n at most the context.
        parameters: The weights.
        heads: The number of heads.

    Returns:
        Logits of shape (..., n, V); those of a position depend on the tokens up to it. The dtype
        follows the parameters.

    Raises:
        TypeError: If tokens are not integers.
        ValueError: If shapes do not go together, naming both, or a token is out of range.

    Source:
        Radford et al. (2018), equation 2, with the normalisations of Radford et al. (2019),
        section 2.3.
    """
    p = GPTParameters(*parameters)
    *_, last = _states(tokens, p, heads)  # (..., n, d_model)
    return tied_logits(layer_norm(last, *p.final_norm), p.token_embedding)  # (..., n, V)


def gpt_loss(tokens: ArrayLike, parameters: GPTParameters, heads: int) -> FloatArray:
    """Compute the cross-entropy of every token but the first, given those before.

        loss = -mean_t log P(x_t | x_1, ..., x_t-1)

    Args:
        tokens: Token numbers of shape (..., n), with n from 2 to the context plus 1.
        parameters: The weights.
        heads: The number of heads.

    Returns:
        One number, in an array of shape ().

    Raises:
        TypeError: If tokens are not integers.
        ValueError: If shapes do not go together, naming both, or a token is out of range.

    Source:
        Radford et al. (2018), equation 1.
    """
    inputs, targets = next_token_pairs(tokens)  # (..., n - 1), (..., n - 1)
    return cross_entropy(gpt(inputs, parameters, heads), targets)  # ()


def gpt_gradients(tokens: ArrayLike, parameters: GPTParameters, heads: int) -> GPTGradients:
    """Differentiate `gpt_loss` with respect to every parameter.

    The gradient starts at the logits and goes back through head, final normalisation and blocks to
    the embeddings. The token embedding is used at both ends, so it collects two gradients.

    Args:
        tokens: Token numbers of shape (..., n), with n from 2 to the context plus 1.
        parameters: The weights.
        heads: The number of heads.

    Returns:
        The loss, and the gradients in the structure of the parameters.

    Raises:
        TypeError: If tokens are not integers.
        ValueError: If shapes do not go together, naming both, or a token is out of range.

    Source:
        The chain rule; Rumelhart, Hinton and Williams, "Learning representations by
        back-propagating errors" (1986).
    """
    p = GPTParameters(*parameters)
    inputs, targets = next_token_pairs(tokens)  # (..., n - 1), (..., n - 1)
    *states, last = _states(inputs, p, heads)  # each (..., n - 1, d_model)
    hidden = layer_norm(last, *p.final_norm)  # (..., n - 1, d_model)
    logits = tied_logits(hidden, p.token_embedding)  # (..., n - 1, V)
    head = linear_backward(cross_entropy_gradient(logits, targets), hidden, p.token_embedding.T)
    d_last, *d_final_norm = layer_norm_backward(head.x, last, p.final_norm[0])
    mask = causal_mask(d_last.shape[-2])  # (n - 1, n - 1)
    d_state = d_last
    d_blocks: list[EncoderBlockParameters] = []
    for state, block in zip(reversed(states), reversed(p.blocks), strict=True):
        d_state, d_block = encoder_block_backward(
            d_state, state, block, heads, mask, norm_first=True, activation=_ACTIVATION
        )
        d_blocks.insert(0, d_block)
    d_looked_up = embed_backward(d_state, inputs, len(p.token_embedding))  # (V, d_model)
    gradients = GPTParameters(
        token_embedding=d_looked_up + head.W.T,  # (V, d_model)
        position_embedding=add_positions_backward(d_state, len(p.position_embedding)),
        blocks=tuple(d_blocks),
        final_norm=LayerNormParameters(*d_final_norm),
    )
    return GPTGradients(cross_entropy(logits, targets), gradients)


def gpt_training_step(
    tokens: ArrayLike, parameters: GPTParameters, heads: int, learning_rate: float
) -> tuple[GPTParameters, FloatArray]:
    """Take one step of gradient descent.

        new parameters = parameters - learning_rate * gradients of gpt_loss

    Args:
        tokens: Token numbers of shape (..., n), with n from 2 to the context plus 1.
        parameters: The weights.
        heads: The number of heads.
        learning_rate: The length of the step, at least 0.

    Returns:
        The new parameters, and the loss before the step.

    Raises:
        TypeError: If tokens are not integers.
        ValueError: If shapes do not go together, naming both, a token is out of range, or the
            learning rate negative.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), equation 4.5.
    """
    loss, gradients = gpt_gradients(tokens, parameters, heads)
    return gradient_descent_step(parameters, gradients, learning_rate), loss


def generate(
    prompt: ArrayLike,
    parameters: GPTParameters,
    heads: int,
    count: int,
    *,
    rng: np.random.Generator | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> IntArray:
    """Continue a text, reading all of it again for every token.

        x_n+1 = choose(logits_n of gpt(x_1, ..., x_n))

    Args:
        prompt: Token numbers of shape (..., n), with n at least 1.
        parameters: The weights.
        heads: The number of heads.
        count: How many tokens to add, at least 0; n + count is at most the context plus 1.
        rng: The generator to sample with; None means greedy.
        temperature: As in `reference.decoding.choose_token`.
        top_k: As in `reference.decoding.choose_token`.
        top_p: As in `reference.decoding.choose_token`.

    Returns:
        The prompt and its continuation, of shape (..., n + count).

    Raises:
        TypeError: If tokens are not integers.
        ValueError: If the prompt is empty or the text longer than the context allows, naming both,
            a token is out of range, or a setting of the sampling.

    Source:
        Radford et al. (2019), section 2: sampling from the factorised distribution.
    """
    tokens = _room_for(prompt, parameters, count)  # (..., n)
    for _ in range(count):
        logits = gpt(tokens, parameters, heads)[..., -1, :]  # (..., V)
        following = choose_token(logits, rng, temperature, top_k, top_p)  # (...)
        tokens = np.concatenate([tokens, following[..., np.newaxis]], axis=-1)
    return tokens  # (..., n + count)


def generate_with_cache(
    prompt: ArrayLike,
    parameters: GPTParameters,
    heads: int,
    count: int,
    *,
    rng: np.random.Generator | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> IntArray:
    """Continue a text, reading every token only once.

    Gives what `generate` gives, and draws the same numbers; the keys and values of the past are
    kept instead of computed again.

    Args:
        prompt: Token numbers of shape (..., n), with n at least 1.
        parameters: The weights.
        heads: The number of heads.
        count: How many tokens to add, at least 0; n + count is at most the context plus 1.
        rng: The generator to sample with; None means greedy.
        temperature: As in `reference.decoding.choose_token`.
        top_k: As in `reference.decoding.choose_token`.
        top_p: As in `reference.decoding.choose_token`.

    Returns:
        The prompt and its continuation, of shape (..., n + count).

    Raises:
        TypeError: If tokens are not integers.
        ValueError: As `generate`.

    Source:
        Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need" (2019),
        arXiv:1911.02150, section 2.4.
    """
    tokens = _room_for(prompt, parameters, count)  # (..., n)
    unread, caches = tokens, None
    for _ in range(count):
        logits, caches = gpt_with_cache(unread, parameters, heads, caches)  # (..., unread, V)
        following = choose_token(logits[..., -1, :], rng, temperature, top_k, top_p)  # (...)
        unread = following[..., np.newaxis]  # (..., 1)
        tokens = np.concatenate([tokens, unread], axis=-1)
    return tokens  # (..., n + count)


def gpt_with_cache(
    tokens: ArrayLike,
    parameters: GPTParameters,
    heads: int,
    caches: tuple[KeyValueCache, ...] | None = None,
) -> tuple[FloatArray, tuple[KeyValueCache, ...]]:
    """Score the next token at new positions, given what is kept of those before.

    Args:
        tokens: The new token numbers, of shape (..., n).
        parameters: The weights, with at least one block.
        heads: The number of heads.
        caches: What the last call returned, one for each block; None at the start of a text.

    Returns:
        Logits of shape (..., n, V), and the caches with the new positions behind the old ones.

    Raises:
        TypeError: If tokens are not integers.
        ValueError: If shapes do not go together, naming both, a token is out of range, or there
            is not one cache for each block, and at least one.

    Source:
        Shazeer (2019), arXiv:1911.02150, section 2.4.
    """
    p = GPTParameters(*parameters)
    past = [None] * len(p.blocks) if caches is None else caches
    if not p.blocks or len(past) != len(p.blocks):
        raise ValueError(f"{len(p.blocks)} blocks need as many caches, got {len(past)}")
    start = 0 if caches is None else np.shape(caches[0][0])[-2]  # as many keys as past positions
    z = add_positions(embed(tokens, p.token_embedding), p.position_embedding, start)
    grown = []
    for block, cache in zip(p.blocks, past, strict=True):
        # What a pre-norm block does, for new positions alone.
        (W_Q, W_K, W_V, W_O), norm_1, network, norm_2 = block
        normed = layer_norm(z, *norm_1)  # (..., n, d_model)
        Q, K, V = (split_heads(linear(normed, W), heads) for W in (W_Q, W_K, W_V))
        attended, _, longer = attention_with_cache(Q, K, V, cache)  # (..., h, n, d_k)
        z = z + linear(merge_heads(attended), W_O)  # (..., n, d_model)
        z = z + feed_forward(layer_norm(z, *norm_2), *network, activation=_ACTIVATION)
        grown.append(longer)
    hidden = layer_norm(z, *p.final_norm)  # (..., n, d_model)
    return tied_logits(hidden, p.token_embedding), tuple(grown)  # (..., n, V)


def _states(tokens: ArrayLike, p: GPTParameters, heads: int) -> list[FloatArray]:
    """Return the input of each block, followed by the output of the last one."""
    states = [add_positions(embed(tokens, p.token_embedding), p.position_embedding)]
    mask = causal_mask(states[0].shape[-2])  # (n, n)
    for block in p.blocks:
        after = encoder_block(
            states[-1], block, heads, mask, norm_first=True, activation=_ACTIVATION
        )
        states.append(after)  # (..., n, d_model)
    return states


def _room_for(prompt: ArrayLike, parameters: GPTParameters, count: int) -> IntArray:
    """Check that a prompt leaves room for a continuation; returns a copy of it."""
    tokens = np.array(prompt)  # (..., n)
    context = len(GPTParameters(*parameters).position_embedding)
    if tokens.dtype.kind not in "iu":
        raise TypeError(f"tokens are whole numbers, got an array of dtype {tokens.dtype}")
    if not tokens.ndim or not tokens.shape[-1] or tokens.shape[-1] + count > context + 1:
        raise ValueError(
            f"a prompt of at least 1 token and {count} more have to fit into {context} positions "
            f"and one token after them, got a prompt of shape {tokens.shape}"
        )
    return tokens
