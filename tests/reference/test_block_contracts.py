"""Promises that layers, losses and models share, checked for each of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reference.bigram import bigram_gradient, bigram_logits, bigram_loss
from reference.decoder import decoder_block, init_decoder_block
from reference.encoder import encoder_block, init_encoder_block
from reference.encoder_backward import encoder_block_backward
from reference.feed_forward import (
    feed_forward,
    feed_forward_backward,
    gated_feed_forward,
    gated_feed_forward_backward,
    init_feed_forward,
)
from reference.gpt import gpt, gpt_gradients, gpt_loss, gpt_with_cache, init_gpt
from reference.language_model import (
    language_model_logits,
    next_token_distribution,
    sequence_log_probability,
    tied_logits,
)
from reference.linear import linear, linear_backward
from reference.losses import cross_entropy, cross_entropy_gradient, perplexity, token_losses
from reference.normalization import (
    init_layer_norm,
    layer_norm,
    layer_norm_backward,
    rms_norm,
    rms_norm_backward,
)
from reference.parameters import arrays_in, map_arrays
from reference.residual import post_norm, pre_norm, residual

RNG = np.random.default_rng(0)
X, GAIN, W, B, W_BACK, LOGITS = (
    RNG.standard_normal(shape) for shape in ((2, 3, 6), (6,), (6, 5), (5,), (5, 6), (2, 3, 7))
)
TARGETS = RNG.integers(0, 7, (2, 3))
TARGETS.flags.writeable = False
ENCODER = init_encoder_block(RNG, 6, 2, 5)
DECODER = init_decoder_block(RNG, 6, 2, 5)
GPT = init_gpt(RNG, vocabulary=7, context=3, d_model=6, heads=2, layers=2, d_ff=5)
NETWORK = init_feed_forward(RNG, 6, 5)

# Functions, and the floating-point arguments that suit them.
FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "linear": (linear, (X, W, B)),
    "linear_backward": (linear_backward, (X @ W, X, W)),
    "layer_norm": (layer_norm, (X, GAIN, GAIN)),
    "layer_norm_plain": (layer_norm, (X,)),
    "layer_norm_backward": (layer_norm_backward, (X, X, GAIN)),
    "init_layer_norm": (lambda p: layer_norm(p[0], *p), (init_layer_norm(6),)),
    "rms_norm": (rms_norm, (X, GAIN)),
    "rms_norm_backward": (rms_norm_backward, (X, X, GAIN)),
    "feed_forward": (feed_forward, (X, *NETWORK)),
    "feed_forward_backward": (feed_forward_backward, (X, X, W, B, W_BACK)),
    "gated_feed_forward": (gated_feed_forward, (X, W, W, W_BACK)),
    "gated_feed_forward_backward": (gated_feed_forward_backward, (X, X, W, W, W_BACK)),
    "residual": (lambda x: residual(x, np.zeros_like), (X,)),
    "post_norm": (lambda x: post_norm(x, np.zeros_like, layer_norm), (X,)),
    "pre_norm": (lambda x: pre_norm(x, np.zeros_like, layer_norm), (X,)),
    "token_losses": (lambda x: token_losses(x, TARGETS, label_smoothing=0.1), (LOGITS,)),
    "cross_entropy": (lambda x: cross_entropy(x, TARGETS, label_smoothing=0.1), (LOGITS,)),
    "cross_entropy_gradient": (
        lambda x: cross_entropy_gradient(x, TARGETS, label_smoothing=0.1),
        (LOGITS,),
    ),
    "perplexity": (lambda x: perplexity(x, TARGETS), (LOGITS,)),
    "sequence_log_probability": (lambda x: sequence_log_probability(x, TARGETS), (LOGITS,)),
    "language_model_logits": (language_model_logits, (X, W, B)),
    "next_token_distribution": (next_token_distribution, (X, W, B)),
    "tied_logits": (tied_logits, (X, W.T)),
    "bigram_logits": (lambda w: bigram_logits([0, 2], w), (W_BACK @ W,)),
    "bigram_loss": (lambda w: bigram_loss(w, [0, 2, 1]), (W_BACK @ W,)),
    "bigram_gradient": (lambda w: bigram_gradient(w, [0, 2, 1]), (W_BACK @ W,)),
    "encoder_block": (lambda x, p: encoder_block(x, p, 2), (X, ENCODER)),
    "encoder_block_backward": (lambda x, p: encoder_block_backward(x, x, p, 2), (X, ENCODER)),
    "encoder_block_backward_pre": (
        lambda x, p: encoder_block_backward(x, x, p, 2, norm_first=True),
        (X, ENCODER),
    ),
    "decoder_block": (lambda x, p: decoder_block(x, x, p, 2), (X, DECODER)),
    "gpt": (lambda p: gpt(TARGETS, p, 2), (GPT,)),
    "gpt_loss": (lambda p: gpt_loss(TARGETS, p, 2), (GPT,)),
    "gpt_gradients": (lambda p: gpt_gradients(TARGETS, p, 2), (GPT,)),
    "gpt_with_cache": (lambda p: gpt_with_cache(TARGETS, p, 2), (GPT,)),
}

each_function = pytest.mark.parametrize(
    ("function", "arguments"), FUNCTIONS.values(), ids=FUNCTIONS.keys()
)


@each_function
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_of_the_inputs_is_that_of_the_results(
    function: Callable[..., Any], arguments: tuple[Any, ...], dtype: type[np.floating[Any]]
) -> None:
    """Float32 stays float32 and float64 stays float64, in every part of a result."""
    given = map_arrays(lambda array: array.astype(dtype), arguments)

    results = list(arrays_in(function(*given)))

    assert [result.dtype for result in results] == [dtype] * len(results)


@each_function
def test_float32_is_as_good_as_it_can_be(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """Its results are those of float64, but for rounding."""
    narrow = map_arrays(lambda array: array.astype(np.float32), arguments)
    wide = map_arrays(lambda array: array.astype(np.float64), narrow)

    for one, other in zip(arrays_in(function(*narrow)), arrays_in(function(*wide)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=2e-5)


@each_function
def test_inputs_are_only_read(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Arrays that cannot be written to are enough, and no result shares their memory."""
    given = map_arrays(np.copy, arguments)
    for array in arrays_in(given):
        array.flags.writeable = False

    results = list(arrays_in(function(*given)))

    for array in arrays_in(given):
        assert not any(np.shares_memory(result, array) for result in results)


@each_function
def test_whole_numbers_count_as_float64(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """Integers give what the same numbers give as float64."""
    whole: Any = map_arrays(lambda array: np.rint(2 * array).astype(np.int64), arguments)
    floats: Any = map_arrays(lambda array: array.astype(np.float64), whole)

    for one, other in zip(arrays_in(function(*whole)), arrays_in(function(*floats)), strict=True):
        assert one.dtype == np.float64
        np.testing.assert_array_equal(one, other)
