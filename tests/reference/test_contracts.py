"""Promises that the functions of this package share, checked for each of them."""

import re
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.activations import ACTIVATIONS
from reference.attention import attention_weights, causal_attention, scaled_dot_product_attention
from reference.attention_backward import attention_backward
from reference.attention_steps import attention_steps
from reference.bigram import bigram_gradient, bigram_logits, bigram_loss
from reference.cross_attention import cross_attention
from reference.decoder import decoder_block, init_decoder_block
from reference.decoding import (
    apply_temperature,
    min_p_filter,
    next_token_probabilities,
    top_k_filter,
    top_p_filter,
)
from reference.embeddings import embed_backward
from reference.encoder import encoder_block, init_encoder_block
from reference.encoder_backward import encoder_block_backward
from reference.feed_forward import (
    feed_forward,
    feed_forward_backward,
    gated_feed_forward,
    gated_feed_forward_backward,
)
from reference.flash import flash_attention, flash_attention_backward, flash_attention_forward
from reference.gpt import gpt, gpt_gradients, gpt_loss, gpt_with_cache, init_gpt
from reference.grouped_query import grouped_query_attention, multi_query_attention, repeat_heads
from reference.kv_cache import append_to_cache, attention_with_cache
from reference.language_model import (
    language_model_logits,
    next_token_distribution,
    sequence_log_probability,
    tied_logits,
)
from reference.linear import linear, linear_backward
from reference.losses import cross_entropy, cross_entropy_gradient, perplexity, token_losses
from reference.masks import apply_mask
from reference.multi_head import (
    MultiHeadAttention,
    merge_heads,
    multi_head_attention,
    multi_head_attention_per_head,
    split_heads,
)
from reference.multi_head_backward import multi_head_attention_backward
from reference.naive_softmax import naive_softmax
from reference.normalization import (
    init_layer_norm,
    layer_norm,
    layer_norm_backward,
    rms_norm,
    rms_norm_backward,
)
from reference.online_softmax import online_softmax, running_sum
from reference.parameters import arrays_in, map_arrays
from reference.penalties import add_penalty, replace_by_penalty
from reference.positions import add_positions, add_positions_backward
from reference.projections import project_qkv
from reference.residual import post_norm, pre_norm, residual
from reference.rotary import (
    half_split_from_interleaved,
    interleaved_from_half_split,
    rotary_angles,
    rotate_half_split,
    rotate_interleaved,
)
from reference.scaling import scale_scores
from reference.self_attention import self_attention
from reference.similarity import cosine_similarity, dot_product, similarity_scores
from reference.softmax import log_softmax, logsumexp, softmax, softmax_backward

Array: TypeAlias = NDArray[Any]
Shape: TypeAlias = tuple[int, ...]
Function: TypeAlias = Callable[..., Any]

BLOCKED = np.array([[False, True, False, False, True]] * 3)  # (3, 5)
BIAS = np.where(BLOCKED, -np.inf, 0.5)  # float64, whatever the inputs are
RNG = np.random.default_rng(0)
X, GAIN, W, B, W_BACK, LOGITS = (
    RNG.standard_normal(shape) for shape in ((2, 3, 6), (6,), (6, 5), (5,), (5, 6), (2, 3, 7))
)
TARGETS = RNG.integers(0, 7, (2, 3))
BLOCKED.flags.writeable = BIAS.flags.writeable = TARGETS.flags.writeable = False
ENCODER = init_encoder_block(RNG, 6, 2, 5)
DECODER = init_decoder_block(RNG, 6, 2, 5)
GPT = init_gpt(RNG, vocabulary=7, context=3, d_model=6, heads=2, layers=2, d_ff=5)

Q, K, V, OUT = (3, 7), (5, 7), (5, 11), (3, 11)
QKV_WEIGHTS = ((7, 2), (7, 2), (7, 5))
HEAD_WEIGHTS = ((7, 6), (7, 6), (7, 10), (10, 7))  # two heads: d_k = 3, d_v = 5


def case(
    function: Function, *batched: Shape, shared: tuple[Shape, ...] = ()
) -> tuple[Function, tuple[Shape, ...], tuple[Shape, ...]]:
    """Return a function, shapes of inputs that may get batch axes, and of those for all batches."""
    return function, batched, shared


def blocked_as(x: Array) -> Array:
    """Broadcast the mask to scores, since penalties do not."""
    return np.broadcast_to(BLOCKED, x.shape)


BATCHED = {
    "softmax": case(softmax, Q),
    "log_softmax": case(log_softmax, Q),
    "logsumexp": case(logsumexp, Q),
    "softmax_backward": case(softmax_backward, Q, Q),
    "naive_softmax": case(naive_softmax, Q),
    "online_softmax": case(lambda x: online_softmax(x, block=2), Q),
    "running_sum": case(running_sum, Q),
    "apply_mask": case(lambda x: apply_mask(x, BLOCKED), (3, 5)),
    "add_penalty": case(lambda x: add_penalty(x, blocked_as(x).astype(int)), (3, 5)),
    "replace_by_penalty": case(lambda x: replace_by_penalty(x, blocked_as(x)), (3, 5)),
    "dot_product": case(dot_product, (7,), (7,)),
    "cosine_similarity": case(cosine_similarity, (7,), (7,)),
    "similarity_scores": case(similarity_scores, Q, K),
    **{
        f"{name}{part}": case(function, Q)
        for name, pair in ACTIVATIONS.items()
        for part, function in zip(("", "_derivative"), pair, strict=True)
    },
    "linear": case(linear, (7,), shared=((7, 5), (5,))),
    "feed_forward": case(feed_forward, (7,), shared=((7, 5), (5,), (5, 7), (7,))),
    "feed_forward_gelu": case(
        lambda x, *layers: feed_forward(x, *layers, activation="gelu"),
        (7,),
        shared=((7, 5), (5,), (5, 7), (7,)),
    ),
    "gated_feed_forward": case(gated_feed_forward, (7,), shared=((7, 5), (7, 5), (5, 7))),
    "layer_norm": case(layer_norm, (7,), shared=((7,), (7,))),
    "rms_norm": case(rms_norm, (7,), shared=((7,),)),
    "language_model_logits": case(language_model_logits, (7,), shared=((7, 5), (5,))),
    "scale_scores": case(lambda x: scale_scores(x, 7), Q),
    "attention_weights": case(attention_weights, Q, K),
    "attention_masked": case(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, BLOCKED), Q, K, V
    ),
    "attention_biased": case(lambda q, k, v: scaled_dot_product_attention(q, k, v, BIAS), Q, K, V),
    "causal_attention": case(causal_attention, K, K, V),
    "attention_steps": case(attention_steps, Q, K, V),
    "attention_backward": case(attention_backward, OUT, Q, K, V),
    "flash_attention": case(lambda q, k, v: flash_attention(q, k, v, block=2), Q, K, V),
    "flash_forward": case(
        lambda q, k, v: flash_attention_forward(q, k, v, BLOCKED, block=2), Q, K, V
    ),
    "flash_backward": case(
        lambda d, q, k, v: flash_attention_backward(d, q, k, v, BLOCKED, block=2), OUT, Q, K, V
    ),
    "project_qkv": case(project_qkv, Q, shared=QKV_WEIGHTS),
    "self_attention": case(self_attention, Q, shared=QKV_WEIGHTS),
    "cross_attention": case(cross_attention, Q, (5, 11), shared=((7, 2), (11, 2), (11, 3))),
    "split_heads": case(lambda x: split_heads(x, 2), (3, 10)),
    "merge_heads": case(merge_heads, (2, 3, 5)),
    "multi_head_attention": case(
        lambda x, q, k, v, o: multi_head_attention(x, q, k, v, o, 2), Q, shared=HEAD_WEIGHTS
    ),
    "multi_head_attention_cross": case(
        lambda x, m, q, k, v, o: multi_head_attention(x, q, k, v, o, 2, memory=m),
        Q,
        (5, 7),
        shared=HEAD_WEIGHTS,
    ),
    "multi_head_attention_per_head": case(
        multi_head_attention_per_head, Q, shared=((2, 7, 3), (2, 7, 3), (2, 7, 5), (10, 7))
    ),
    "MultiHeadAttention": case(
        lambda x, q, k, v, o: MultiHeadAttention(q, k, v, o, 2)(x), Q, shared=HEAD_WEIGHTS
    ),
    "repeat_heads": case(lambda x: repeat_heads(x, 3), (2, 5, 7)),
    "grouped_query_attention": case(grouped_query_attention, (6, 3, 7), (2, 5, 7), (2, 5, 11)),
    "multi_query_attention": case(multi_query_attention, (6, 3, 7), K, V),
    "append_to_cache": case(
        lambda k, v, past_k, past_v: append_to_cache((past_k, past_v), k, v), (3, 7), (3, 11), K, V
    ),
    "append_to_nothing": case(lambda k, v: append_to_cache(None, k, v), K, V),
    "attention_with_cache": case(
        lambda q, k, v, past_k, past_v: attention_with_cache(q, k, v, (past_k, past_v)),
        Q,
        Q,
        OUT,
        K,
        V,
    ),
    "add_positions": case(add_positions, Q, shared=((5, 7),)),
    "rotary_angles": case(lambda x: rotary_angles(x, 4), (3,)),
    "rotate_interleaved": case(rotate_interleaved, (3, 10)),
    "rotate_half_split": case(rotate_half_split, (3, 10)),
    "half_split_from_interleaved": case(half_split_from_interleaved, (3, 10)),
    "interleaved_from_half_split": case(interleaved_from_half_split, (3, 10)),
    "apply_temperature": case(lambda x: apply_temperature(x, 1.0), Q),
    "top_k_filter": case(lambda x: top_k_filter(x, 7), Q),
    "top_p_filter": case(lambda x: top_p_filter(x, 1.0), Q),
    "min_p_filter": case(lambda x: min_p_filter(x, 0.3), Q),
    "next_token_probabilities": case(lambda x: next_token_probabilities(x, top_k=3, top_p=0.5), Q),
}

# Some of their results are sums over the batch, as gradients of weights are.
SUMS = {
    "multi_head_attention_backward": case(
        lambda d, x, q, k, v, o: multi_head_attention_backward(d, x, q, k, v, o, 2),
        Q,
        Q,
        shared=HEAD_WEIGHTS,
    ),
    "add_positions_backward": case(lambda d: add_positions_backward(d, 5), Q),
    "embed_backward": case(lambda d: embed_backward(d, np.zeros(d.shape[:-1], dtype=int), 2), Q),
}


def draw(batched: tuple[Shape, ...], shared: tuple[Shape, ...], batch: Shape) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape) for shape in (*((*batch, *s) for s in batched), *shared)]


# Functions, and the floating-point arguments that suit them, in tuples of any depth.
EVERY: dict[str, tuple[Function, tuple[Any, ...]]] = {
    **{
        f"{name}{len(batch) or ''}": (function, tuple(draw(batched, shared, batch)))
        for name, (function, batched, shared) in {**BATCHED, **SUMS}.items()
        for batch in ((), (2,))
    },
    "linear_backward": (linear_backward, (X @ W, X, W)),
    "layer_norm_plain": (layer_norm, (X,)),
    "layer_norm_backward": (layer_norm_backward, (X, X, GAIN)),
    "init_layer_norm": (lambda p: layer_norm(p[0], *p), (init_layer_norm(6),)),
    "rms_norm_backward": (rms_norm_backward, (X, X, GAIN)),
    "feed_forward_backward": (feed_forward_backward, (X, X, W, B, W_BACK)),
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

each_function = pytest.mark.parametrize(("function", "arguments"), EVERY.values(), ids=EVERY.keys())


def results_of(function: Function, arguments: Any) -> list[Array]:
    """Call the function; return the arrays of its result from left to right."""
    result = function(*arguments)
    if not isinstance(result, tuple):
        return [result]
    return list(arrays_in(tuple(part for part in result if part is not None)))


@each_function
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_of_the_inputs_is_that_of_the_results(
    function: Function, arguments: tuple[Any, ...], dtype: type[np.floating[Any]]
) -> None:
    """Float32 stays float32 and float64 stays float64, with NumPy's arrays throughout."""
    narrow = map_arrays(lambda array: array.astype(dtype), arguments)

    results = results_of(function, narrow)

    assert [type(result) for result in results] == [np.ndarray] * len(results)
    assert [result.dtype for result in results] == [dtype] * len(results)


@each_function
def test_float32_is_as_good_as_it_can_be(function: Function, arguments: tuple[Any, ...]) -> None:
    """Its results are those of float64, but for rounding."""
    narrow = map_arrays(lambda array: array.astype(np.float32), arguments)
    wide = map_arrays(lambda array: array.astype(np.float64), narrow)

    for one, other in zip(results_of(function, narrow), results_of(function, wide), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=2e-5)


@each_function
def test_inputs_are_only_read(function: Function, arguments: tuple[Any, ...]) -> None:
    """Arrays that cannot be written to are enough, and no result shares their memory."""
    copies = map_arrays(np.copy, arguments)
    for array in arrays_in(copies):
        array.flags.writeable = False

    results = results_of(function, copies)

    for array in arrays_in(copies):
        assert not any(np.shares_memory(result, array) for result in results)


@each_function
def test_integers_count_as_float64(function: Function, arguments: tuple[Any, ...]) -> None:
    """Whole numbers give what the same numbers give as float64."""
    whole: Any = map_arrays(lambda array: np.rint(2 * array).astype(np.int64), arguments)
    floats: Any = map_arrays(lambda array: array.astype(np.float64), whole)

    for one, other in zip(results_of(function, whole), results_of(function, floats), strict=True):
        assert one.dtype == np.float64
        np.testing.assert_array_equal(one, other)


def refusal(function: Function, arguments: Any) -> str:
    """Return the message of the ValueError of a call, or nothing."""
    try:
        function(*arguments)
    except ValueError as error:
        return str(error)
    return ""


# The last matrix of a block that is too wide is an error of NumPy there.
@pytest.mark.parametrize("name", [name for name in EVERY if name != "gpt_with_cache"])
def test_a_longer_axis_is_allowed_or_named(name: str) -> None:
    """An error names the shapes that do not go together, and does not come from inside NumPy."""
    function, arguments = EVERY[name]
    arrays = list(arrays_in(arguments))
    for place, array in enumerate(arrays if len(arrays) > 1 else []):
        for axis in range(array.ndim):
            longer = np.concatenate([array, array.take([0], axis)], axis)
            changed = iter([*arrays[:place], longer, *arrays[place + 1 :]])
            message = refusal(function, map_arrays(lambda _, it=changed: next(it), arguments))
            assert not re.match("operands|matmul", message)
            assert not message or re.search(r"\(\d+,", message)


@pytest.mark.parametrize(
    "name",
    [
        *("softmax_backward", "attention_backward", "flash_backward", "linear_backward"),
        *("layer_norm_backward", "rms_norm_backward", "feed_forward_backward"),
        *("gated_feed_forward_backward", "multi_head_attention_backward"),
    ],
)
def test_a_gradient_does_not_broadcast_to_the_output(name: str) -> None:
    """Without its first axis it is refused: broadcasting would give wrong sums."""
    function, (d_output, *rest) = EVERY[name]
    assert str(d_output.shape[1:]) in refusal(function, (d_output[0], *rest))


@pytest.mark.parametrize("name", BATCHED)
def test_every_batch_gets_what_it_would_get_alone(name: str) -> None:
    """Two leading axes more give, for each batch, the results without them."""
    function, batched, shared = BATCHED[name]
    arrays = draw(batched, shared, (2, 13))
    inputs = len(batched)

    together = results_of(function, arrays)

    for index in np.ndindex(2, 13):
        alone = [*(array[index] for array in arrays[:inputs]), *arrays[inputs:]]
        for one, other in zip(together, results_of(function, alone), strict=True):
            np.testing.assert_allclose(one[index], other, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", [*BATCHED, *SUMS])
def test_text_is_refused(name: str) -> None:
    """The TypeError names the type of an operand without numbers."""
    function, arguments = EVERY[name]
    for place, array in enumerate(arguments):
        texts = [*arguments]
        texts[place] = np.full(array.shape, "1")
        with pytest.raises(TypeError, match=r"expected real numbers, got .* dtype <U1"):
            function(*texts)
