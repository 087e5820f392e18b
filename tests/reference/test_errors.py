"""Arguments that do not fit, and the errors that name them.

A case here is for words that no other function has; test_contracts.py tries every function with
shapes that do not go together.
"""

import math
import re
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.activations import activation_named
from reference.alibi import alibi_bias, alibi_slopes
from reference.attention import attention_weights, causal_attention, scaled_dot_product_attention
from reference.batches import require_broadcasting_batches, require_matrices, sum_to_shape
from reference.beam_search import beam_search, length_penalty
from reference.bigram import bigram_loss
from reference.byte_pairs import learn_merges
from reference.decoder import decoder_block, init_decoder_block
from reference.decoding import (
    apply_temperature,
    draw_from_nucleus,
    greedy,
    min_p_filter,
    sample,
    top_k_filter,
    top_p_filter,
)
from reference.dropout import drop
from reference.embeddings import embed, embed_backward, one_hot
from reference.encoder import init_encoder_block
from reference.encoder_backward import encoder_block_backward
from reference.experts import balance_loss
from reference.feed_forward import feed_forward
from reference.flash import flash_attention
from reference.fused_swiglu import fused_rms_swiglu
from reference.gpt import gpt_with_cache, init_gpt
from reference.gradient_clipping import accumulate_gradients, clip_by_global_norm
from reference.gradients import numerical_gradient, relative_error
from reference.grouped_query import grouped_query_attention, multi_query_attention, repeat_heads
from reference.kv_cache import attention_with_cache
from reference.language_model import next_token_pairs, tied_logits
from reference.linear import linear
from reference.linear_attention import linear_attention
from reference.lora import lora_merge
from reference.masks import (
    additive_from_boolean,
    apply_mask,
    boolean_from_additive,
    boolean_from_integer,
    causal_mask,
    fully_blocked,
    integer_from_boolean,
    padding_mask,
    sliding_window_mask,
)
from reference.multi_head import (
    init_multi_head,
    join_head_weights,
    merge_heads,
    multi_head_attention_per_head,
    separate_head_weights,
    split_heads,
)
from reference.multi_head_backward import multi_head_attention_backward
from reference.naive_softmax import naive_softmax_by_rows
from reference.normalization import layer_norm, rms_norm
from reference.online_softmax import blocks, online_softmax
from reference.optimizers import adamw_step, gradient_descent_step, init_adamw
from reference.parameters import count_parameters, map_arrays
from reference.patches import image_to_patches, patches_to_image
from reference.penalties import add_penalty, replace_by_penalty
from reference.policy import clipped_policy_loss, group_advantages
from reference.positions import add_positions, sinusoidal_positions
from reference.preferences import dpo_loss
from reference.quantization import quantize
from reference.residual import post_norm, pre_norm, residual
from reference.rotary import rotary_angles, rotate_half_split, rotate_interleaved
from reference.rotary_scaling import interpolated_positions, stretched_frequencies
from reference.scaling import measure_scaling, scale_scores
from reference.schedules import warm_up_cosine
from reference.self_attention import self_attention_with_drawn_weights
from reference.shapes import require_one_per_feature, require_same_shape
from reference.similarity import dot_product
from reference.softmax import softmax
from reference.speculative import check_draft, leftover

Call: TypeAlias = Callable[[], object]
Function: TypeAlias = Callable[..., object]
Shape: TypeAlias = tuple[int, ...]

RNG = np.random.default_rng(0)
ENCODER = init_encoder_block(RNG, 6, 2, 11)
DECODER = init_decoder_block(RNG, 6, 2, 11)
GPT = init_gpt(RNG, vocabulary=13, context=7, d_model=6, heads=2, layers=2)
SEQUENCES, W = np.ones((2, 3, 6)), np.ones((6, 6))
CACHE = (np.ones((11, 3)), np.ones((11, 7)))


def ones(*shape: int) -> NDArray[np.float64]:
    return np.ones(shape)


def pattern(message: str) -> str:
    """Return a regular expression for a message in which three dots stand for anything."""
    return ".*".join(map(re.escape, message.split(" ... ")))


# For each function what the ValueError says of shapes of arguments that do not go together.
SHAPES: dict[Function, dict[str, list[Shape]]] = {
    attention_weights: {
        "Q of shape (3, 2) ... K of shape (5, 7)": [(3, 2), (5, 7)],
        "Q of shape (2,) ... K of shape (5, 2)": [(2,), (5, 2)],
        "Q of shape (3, 2) ... K of shape (2,)": [(3, 2), (2,)],
        "Q of shape (3, 0) ... K of shape (5, 0)": [(3, 0), (5, 0)],
        "Q of shape (2, 3, 5) ... K of shape (7, 11, 5)": [(2, 3, 5), (7, 11, 5)],
        "mask of shape (5, 3) ... scores of shape (3, 5)": [(3, 2), (5, 2), (5, 3)],
    },
    scaled_dot_product_attention: {
        "K of shape (5, 2) ... V of shape (7, 11)": [(3, 2), (5, 2), (7, 11)],
        "K of shape (5, 2) ... V of shape (5,)": [(3, 2), (5, 2), (5,)],
        "weights of shape (2, 3, 7) ... V of shape (11, 7, 13)": [
            (2, 3, 5),
            (2, 7, 5),
            (11, 7, 13),
        ],
    },
    causal_attention: {
        "Q of shape (3, 2) ... K of shape (5, 2)": [(3, 2), (5, 2), (5, 7)],
    },
    greedy: {"at least one token, got shape (2, 0)": [(2, 0)]},
    fused_rms_swiglu: {
        "gain of shape (3,)": [(2, 4), (3,), (4, 6), (3, 4)],
        "got shape (4, 5)": [(2, 4), (4,), (4, 5), (3, 4)],
    },
    flash_attention: {
        "K of shape (5, 2) ... V of shape (3, 7)": [(3, 2), (5, 2), (3, 7)],
        "mask of shape (5, 3) ... scores of shape (3, 5)": [(3, 2), (5, 2), (5, 7), (5, 3)],
    },
    relative_error: {"analytic of shape (3,) and numerical of shape (3, 1)": [(3,), (3, 1)]},
    grouped_query_attention: {
        "Q of shape (6, 3, 7), K of shape (4, 5, 7) and V of shape (4, 5, 2)": [
            (6, 3, 7),
            (4, 5, 7),
            (4, 5, 2),
        ],
        "Q of shape (6, 3, 7), K of shape (2, 5, 7) and V of shape (3, 5, 2)": [
            (6, 3, 7),
            (2, 5, 7),
            (3, 5, 2),
        ],
        "Q of shape (3, 7), K of shape (2, 5, 7) and V of shape (2, 5, 2)": [
            (3, 7),
            (2, 5, 7),
            (2, 5, 2),
        ],
        "Q of shape (6, 3, 7), K of shape (0, 5, 7) and V of shape (0, 5, 2)": [
            (6, 3, 7),
            (0, 5, 7),
            (0, 5, 2),
        ],
    },
    multi_query_attention: {"Q of shape (3, 7), K of shape (5, 7)": [(3, 7), (5, 7), (5, 2)]},
    tied_logits: {
        "hidden of shape (3,) and embedding of shape (3,)": [(3,), (3,)],
    },
    linear: {
        "x of shape (3, 2) ... W of shape (5, 7)": [(3, 2), (5, 7)],
        "x of shape (3, 2) ... W of shape (2,)": [(3, 2), (2,)],
        "x of shape () ... W of shape (2, 3)": [(), (2, 3)],
        "b of shape (5,) ... x W of shape (3, 7)": [(3, 2), (2, 7), (5,)],
    },
    linear_attention: {"(2, 3) ... (4, 3) ... (4, 1)": [(2, 3), (4, 3), (4, 1)]},
    apply_mask: {
        "mask of shape (3, 5) does not broadcast to scores of shape (2, 3)": [(2, 3), (3, 5)],
        "mask of shape (7, 2, 3) does not broadcast to scores of shape (2, 3)": [(2, 3), (7, 2, 3)],
    },
    merge_heads: {"(heads, positions, features), got (5, 6)": [(5, 6)]},
    join_head_weights: {"axes (h, d_in, d), got (5, 6)": [(5, 6)]},
    multi_head_attention_per_head: {
        "(2, 6, 3), (3, 6, 3) and (2, 6, 3)": [(5, 6), (2, 6, 3), (3, 6, 3), (2, 6, 3), (6, 6)]
    },
    naive_softmax_by_rows: {"exactly two axes, got shape (2, 3, 5)": [(2, 3, 5)]},
    layer_norm: {
        "gain of shape (2,) and x of shape (2, 3)": [(2, 3), (2,)],
        "at least one feature in its last axis, got x of shape (2, 0)": [(2, 0)],
    },
    rotate_interleaved: {
        "even number of features, got shape (3, 5)": [(3, 5)],
        "positions and features, got shape (4,)": [(4,)],
    },
    rotate_half_split: {
        "positions and features, got shape (4,)": [(4,)],
    },
    dot_product: {
        "a of shape (3,) and b of shape (5,)": [(3,), (5,)],
        "a of shape () and b of shape (3,)": [(), (3,)],
        "a of shape (2, 3) and b of shape (5, 3)": [(2, 3), (5, 3)],
    },
    leftover: {"(3,) and (2,)": [(3,), (2,)]},
}

# Other arguments that are out of range, and what the ValueError says.
VALUES: list[tuple[Call, str]] = [
    # alibi
    (lambda: alibi_slopes(0), "at least one head, got 0"),
    (lambda: alibi_bias(2, 3, keys=3, start=-1), "counted from 0, got 3, 3 and -1"),
    # batches
    (
        lambda: sum_to_shape(ones(2, 3), (2, 2, 3)),
        "shape (2, 2, 3) does not broadcast to shape (2, 3)",
    ),
    (lambda: sum_to_shape(ones(2, 3), (3, 3)), "shape (3, 3) does not broadcast to shape (2, 3)"),
    (lambda: sum_to_shape(ones(2, 3), (2,)), "shape (2,) does not broadcast to shape (2, 3)"),
    (lambda: require_matrices("A", (2,), "B", (3, 5)), "A of shape (2,) and B of shape (3, 5)"),
    (
        lambda: require_broadcasting_batches("A", (2, 5, 7), "B", (3, 5, 7)),
        "A of shape (2, 5, 7) and B of shape (3, 5, 7)",
    ),
    # beam search
    (lambda: length_penalty(0, 1.0), "at least one token, got 0"),
    (lambda: beam_search(ones(2, 3), 0, 1, 1), "got shape (2, 3)"),
    (lambda: beam_search(ones(3, 2, 2), 0, 1, 0), "at least 1, got 0"),
    # bigram
    (lambda: bigram_loss(ones(2, 3), [0, 1]), "got W of shape (2, 3)"),
    # byte pairs
    (lambda: learn_merges(b"aa", -1), "at least 0, got -1"),
    # decoder
    (lambda: decoder_block(ones(6), ones(3, 6), DECODER, 2), "got x of shape (6,)"),
    # decoding
    (lambda: apply_temperature([1.0], 0.0), "a temperature is positive and finite, got 0.0"),
    (lambda: apply_temperature([1.0], math.inf), "a temperature is positive and finite, got inf"),
    (lambda: apply_temperature([1.0], math.nan), "a temperature is positive and finite"),
    (lambda: top_k_filter([1.0], 0), "at least one token, got k = 0"),
    (lambda: top_p_filter([1.0], 0.0), "above 0 and at most 1, got p = 0.0"),
    (lambda: top_p_filter([1.0], 1.1), "above 0 and at most 1, got p = 1.1"),
    (lambda: top_p_filter([1.0], math.nan), "above 0 and at most 1"),
    (lambda: min_p_filter([1.0], 0.0), "at most 1, got 0"),
    (lambda: greedy(1.0), "at least one token, got shape ()"),
    (lambda: sample([0.5, -0.1], RNG), "probabilities are not negative"),
    (lambda: sample([0.0, 0.0], RNG), "a positive, finite sum"),
    (lambda: sample([math.nan, 1.0], RNG), "a positive, finite sum"),
    (lambda: draw_from_nucleus(ones(2, 4), 0.5, ones(3)), "u of shape (3,)"),
    # dropout
    (lambda: drop(ones(2, 3), ones(3) > 0, 0.5), "x of shape (2, 3) and kept of shape (3,)"),
    # embeddings
    (lambda: embed([0, -1], ones(7, 3)), "token -1 of tokens of shape (2,) ... vocabulary of 7"),
    (lambda: embed([0, 7], ones(7, 3)), "token 7 of tokens of shape (2,) ... vocabulary of 7"),
    (
        lambda: embed_backward(ones(2, 3), [0, -1], 7),
        "token -1 of tokens of shape (2,) ... vocabulary of 7",
    ),
    (lambda: one_hot([0, -1], 7), "token -1 of tokens of shape (2,) ... vocabulary of 7"),
    (lambda: embed([0], ones(7)), "axes (vocabulary, features), got shape (7,)"),
    (
        lambda: embed_backward(ones(3, 2), np.zeros(5, dtype=int), 7),
        "(3, 2) and the looked-up vectors of shape (5, 2)",
    ),
    # encoder
    (lambda: encoder_block_backward(ones(3), ones(3, 6), ENCODER, 2), "d_output of shape (3,)"),
    (lambda: activation_named("tanh"), "one of relu, gelu, gelu_tanh, silu, got 'tanh'"),
    # experts
    (lambda: balance_loss(ones(0, 4), 1), "(0, 4)"),
    # feed forward
    (
        lambda: feed_forward(
            ones(2, 3), ones(3, 5), ones(5), ones(5, 3), ones(3), activation="softplus"
        ),
        "an activation is one of",
    ),
    # flash
    (
        lambda: flash_attention(ones(3, 2), ones(5, 2), ones(5, 7), causal=True),
        "Q of shape (3, 2) ... K of shape (5, 2)",
    ),
    # gpt
    (
        lambda: gpt_with_cache([1], GPT, 2, gpt_with_cache([1], GPT, 2)[1][:1]),
        "2 blocks need as many caches, got 1",
    ),
    (
        lambda: gpt_with_cache([1], GPT._replace(blocks=()), 2),
        "0 blocks need as many caches, got 0",
    ),
    # gradients
    (
        lambda: numerical_gradient(lambda v: v, ones(3)),
        "got a value of shape (3,) for x of shape (3,)",
    ),
    (lambda: numerical_gradient(np.sum, [1.0], eps=0.0), "a step has to be positive"),
    (lambda: numerical_gradient(np.sum, [1.0], eps=math.nan), "a step has to be positive"),
    (lambda: clip_by_global_norm(ones(2), 0), "above 0, got 0"),
    (lambda: accumulate_gradients([ones(2), ones(2)], [1]), "got 2 batches"),
    (lambda: accumulate_gradients([ones(2)], [0]), "counts of"),
    # grouped query
    (lambda: repeat_heads(ones(5, 7), 2), "got shape (5, 7) and 2 times"),
    # key-value cache
    (
        lambda: attention_with_cache(ones(2, 3), ones(5, 3), ones(5, 7), CACHE),
        "Q of shape (2, 3) ... K of shape (5, 3)",
    ),
    (
        lambda: attention_with_cache(ones(2, 3), ones(2, 3), ones(5, 7), CACHE),
        "K of shape (2, 3) ... V of shape (5, 7)",
    ),
    (
        lambda: attention_with_cache(ones(2, 5), ones(2, 5), ones(2, 7), CACHE),
        "keys ... (11, 3) and (2, 5)",
    ),
    (
        lambda: attention_with_cache(
            ones(2, 2, 3), ones(2, 2, 3), ones(2, 2, 7), (ones(5, 11, 3), ones(5, 11, 7))
        ),
        "cached keys of shape (5, 11, 3) ... new keys of shape (2, 2, 3)",
    ),
    # language model
    (lambda: next_token_pairs([[1], [2]]), "tokens of shape (2, 1)"),
    # linear
    (lambda: lora_merge(ones(5, 7), ones(5, 2), ones(3, 7), alpha=1), "shape"),
    (lambda: lora_merge(ones(5, 7), ones(4, 2), ones(2, 7), alpha=1), "shape"),
    # masks
    (lambda: causal_mask(-1), "at least 0, got -1"),
    (lambda: boolean_from_additive([0.0, 0.5, -math.inf]), "cannot express the bias 0.5"),
    (lambda: boolean_from_additive([0.0, math.inf, -math.inf]), "cannot express the bias inf"),
    (lambda: boolean_from_additive([0.0, math.nan, -math.inf]), "cannot express the bias nan"),
    (lambda: sliding_window_mask(3, 0), "a window of at least 1, got 0"),
    (lambda: padding_mask(-1, keys=3), "between 0 and the padded length 3, got -1"),
    (lambda: padding_mask(4, keys=3), "between 0 and the padded length 3, got 4"),
    (lambda: fully_blocked(True), "needs an axis of keys, got shape ()"),
    (lambda: boolean_from_integer([0, 1, 2]), "holds only 0 and 1 (blocked), got 2"),
    # multi-head
    (
        lambda: split_heads(ones(5, 6), 0),
        "0 heads cannot share the features in the last axis of shape (5, 6)",
    ),
    (
        lambda: split_heads(ones(5, 6), 4),
        "4 heads cannot share the features in the last axis of shape (5, 6)",
    ),
    (lambda: init_multi_head(6, 0, RNG), "0 heads cannot share d_model = 6"),
    (lambda: init_multi_head(6, 4, RNG), "4 heads cannot share d_model = 6"),
    (lambda: separate_head_weights(ones(2, 5, 6), 2), "axes (d_in, h * d), got (2, 5, 6)"),
    (
        lambda: multi_head_attention_backward(
            SEQUENCES, SEQUENCES, W, W, W, W, 2, memory=ones(5, 6)
        ),
        "batch axes of x of shape (2,) and those of memory of shape ()",
    ),
    # naive and online softmax
    (lambda: blocks(7, 0), "at least one position, got 0"),
    (lambda: online_softmax(1.0), "needs an axis of scores, got shape ()"),
    (lambda: softmax(ones(2, 3), axis=2), "axis 2 is out of bounds"),
    # normalization
    (lambda: layer_norm(ones(2, 3), bias=ones(1, 3)), "bias of shape (1, 3) and x of shape (2, 3)"),
    (lambda: rms_norm(ones(2, 3), 2.0), "gain of shape () and x of shape (2, 3)"),
    (lambda: rms_norm(1.0), "got x of shape ()"),
    # optimizers and parameters
    (lambda: gradient_descent_step(ones(2), ones(2), -1), "a learning rate is at least 0, got -1"),
    (lambda: adamw_step(ones(2), ones(2), init_adamw(ones(2)), math.nan), "learning rate nan"),
    (
        lambda: adamw_step(ones(2), ones(2), init_adamw(ones(2)), betas=(0.9, 1.0)),
        "betas (0.9, 1.0)",
    ),
    (lambda: warm_up_cosine([1], 1.0, 0, 5), "1 <= warm_up < total"),
    (lambda: warm_up_cosine([1], 1.0, 5, 5), "1 <= warm_up < total"),
    (
        lambda: map_arrays(np.add, (ones(2), ones(3)), (ones(2),)),
        "a tuple of 2 does not match a tuple of 1",
    ),
    (
        lambda: map_arrays(np.add, (ones(2), ones(3)), (ones(2), (ones(3),))),
        "an array of shape (3,) does not match a tuple of 1",
    ),
    (
        lambda: map_arrays(np.add, (ones(2, 3),), (ones(3),)),
        "shape (2, 3) does not match an array of shape (3,)",
    ),
    # patches
    (lambda: image_to_patches(ones(4, 5, 1), 2), "pictures of shape (4, 5, 1)"),
    (lambda: image_to_patches(ones(4, 4), 2), "pictures of shape (4, 4)"),
    (lambda: patches_to_image(ones(3, 4), 4, 4, 2), "patches of shape (3, 4)"),
    # penalties
    (
        lambda: add_penalty(ones(2, 3), np.ones(3, dtype=int)),
        "mask of shape (3,) and scores of shape (2, 3)",
    ),
    (
        lambda: replace_by_penalty(ones(2, 3), ones(3) > 0),
        "blocked of shape (3,) and scores of shape (2, 3)",
    ),
    # policy and preferences
    (
        lambda: clipped_policy_loss(ones(2, 3), ones(2, 3), ones(3), ones(2, 3) > 0),
        "advantages of shape (3,)",
    ),
    (
        lambda: clipped_policy_loss(ones(2, 3), ones(2, 3), ones(2), ones(2, 3) < 0),
        "each answer needs a token",
    ),
    (lambda: group_advantages([]), "shape (0,)"),
    (
        lambda: dpo_loss(ones(3, 2, 5), ones(3, 2, 4), ones(3, 2, 5) > 0),
        "frozen of shape (3, 2, 4)",
    ),
    (lambda: dpo_loss(ones(3, 4), ones(3, 4), ones(3, 4) > 0), "got shape (3, 4)"),
    # positions
    (lambda: add_positions(ones(3, 5), ones(2, 5), 0), "x of shape (3, 5) and P of shape (2, 5)"),
    (lambda: add_positions(ones(3, 5), ones(7, 5), 5), "x of shape (3, 5) and P of shape (7, 5)"),
    (lambda: add_positions(ones(3, 5), ones(7, 5), -1), "x of shape (3, 5) and P of shape (7, 5)"),
    (lambda: add_positions(ones(5), ones(7, 5), 0), "x of shape (5,) and P of shape (7, 5)"),
    (lambda: sinusoidal_positions(-1, 4), "got -1, 4 and 10000"),
    (lambda: sinusoidal_positions(3, 4, base=0), "got 3, 4 and 0"),
    # projections
    (lambda: self_attention_with_drawn_weights(1.0, 3, RNG), "got x of shape ()"),
    # quantization
    (lambda: quantize([1.0, math.inf]), "finite"),
    # residual
    (
        lambda: residual(ones(2, 3), lambda z: z[:, :1]),
        "x of shape (2, 3) ... layer's output of shape (2, 1)",
    ),
    (
        lambda: pre_norm(ones(2, 3), lambda z: z[:, :1], layer_norm),
        "x of shape (2, 3) ... layer's output of shape (2, 1)",
    ),
    (
        lambda: post_norm(ones(2, 3), np.square, lambda z: z[:, 0]),
        "x of shape (2, 3) ... norm's output of shape (2,)",
    ),
    (
        lambda: pre_norm(ones(2, 3), np.square, lambda z: z[:, 0]),
        "x of shape (2, 3) ... norm's output of shape (2,)",
    ),
    # rotary
    (
        lambda: rotate_interleaved(ones(3, 4), [0, 1]),
        "positions of shape (2,) do not broadcast to the vectors of x of shape (3, 4)",
    ),
    (
        lambda: rotate_half_split(ones(3, 4), [0, 1]),
        "positions of shape (2,) do not broadcast to the vectors of x of shape (3, 4)",
    ),
    (lambda: rotary_angles([0], 3), "even number of features"),
    (lambda: rotary_angles([0], 4, base=0), "base above 0"),
    (lambda: interpolated_positions([1], 0.5), "at least 1, got 0.5"),
    (lambda: stretched_frequencies(3, 2.0, 10), "even number of features"),
    (lambda: stretched_frequencies(4, 2.0, 10, slow=2.0, fast=2.0), "fast above slow"),
    # scaling
    (lambda: scale_scores([1.0], d_k=0), "at least one feature, got d_k = 0"),
    (lambda: measure_scaling(0, RNG, n=4, m=4), "got 0, 4 and 4"),
    (lambda: measure_scaling(4, RNG, n=0, m=4), "got 4, 0 and 4"),
    (lambda: measure_scaling(4, RNG, n=4, m=0), "got 4, 4 and 0"),
    # shapes
    (
        lambda: require_same_shape("one", (2, 3), "other", (3,)),
        "one and other need the same shape, got one of shape (2, 3) and other of shape (3,)",
    ),
    (
        lambda: require_one_per_feature("gain", (1, 3), "x", (2, 3)),
        "got gain of shape (1, 3) and x of shape (2, 3)",
    ),
    (
        lambda: require_one_per_feature("gain", (), "x", ()),
        "got gain of shape () and x of shape ()",
    ),
    # speculative
    (lambda: check_draft(ones(2, 3), ones(2, 3), [0, 0], [0.5, 0.5], 0.5), "(2, 3) ... (2, 3)"),
]

# Arguments of another kind, and what the TypeError says.
KINDS: list[tuple[Call, str]] = [
    (lambda: drop(ones(3), ones(3), 0.5), "got dtype float64"),
    (lambda: embed([0.0], ones(7, 3)), "tokens are integers ... dtype float64"),
    (lambda: next_token_pairs([1.0, 2.0]), "got an array of dtype float64"),
    (
        lambda: additive_from_boolean(np.array([1], dtype=np.int64)),
        "expected a boolean mask ... dtype int64",
    ),
    (lambda: boolean_from_additive([True]), "expected a floating-point mask"),
    (
        lambda: additive_from_boolean([True], dtype=np.int32),
        "only a floating-point dtype has an infinity, got int32",
    ),
    (
        lambda: apply_mask(ones(2, 3), np.zeros((2, 3), dtype=np.int64)),
        "boolean or floating-point ... dtype int64",
    ),
    (lambda: padding_mask([1.0], keys=3), "lengths are integers ... dtype float64"),
    (
        lambda: fully_blocked(np.zeros((2, 3), dtype=np.int64)),
        "boolean or floating-point ... dtype int64",
    ),
    (lambda: boolean_from_integer([True]), "expected an integer mask ... dtype bool"),
    (
        lambda: integer_from_boolean(np.array([1], dtype=np.int64)),
        "expected a boolean mask ... dtype int64",
    ),
    (lambda: integer_from_boolean([True], np.float64), "expected an integer dtype, got float64"),
    (lambda: count_parameters((ones(2), [ones(2)])), "parameters are arrays in tuples, got list"),
    (lambda: add_penalty(ones(2, 3), ones(2, 3) > 0), "expected an integer mask"),
    (lambda: replace_by_penalty(ones(2, 3), np.ones((2, 3), dtype=int)), "expected a boolean mask"),
    (lambda: sinusoidal_positions(3, 4, dtype=np.int64), "floating-point dtype, got int64"),
]


@pytest.mark.parametrize(
    ("function", "shapes", "message"),
    [(f, shapes, message) for f, cases in SHAPES.items() for message, shapes in cases.items()],
)
def test_shapes_that_do_not_go_together_are_named(
    function: Function, shapes: list[Shape], message: str
) -> None:
    """The ValueError tells all of them, so that one can see which to change."""
    with pytest.raises(ValueError, match=pattern(message)):
        function(*(np.ones(shape) for shape in shapes))


@pytest.mark.parametrize(("call", "message"), VALUES)
def test_a_value_out_of_range_is_named(call: Call, message: str) -> None:
    """The ValueError tells the setting and its value, or the shape."""
    with pytest.raises(ValueError, match=pattern(message)):
        call()


@pytest.mark.parametrize(("call", "message"), KINDS)
def test_another_kind_is_refused(call: Call, message: str) -> None:
    """The TypeError tells the dtype or the type, and nothing is guessed from it."""
    with pytest.raises(TypeError, match=pattern(message)):
        call()
