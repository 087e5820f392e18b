"""Comparisons with the results of PyTorch and ONNX that `record_cases.py` recorded."""

import json
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias, get_type_hints

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.activations import activation_named
from reference.attention import scaled_dot_product_attention
from reference.attention_backward import attention_backward
from reference.decoder import DecoderBlockParameters, decoder
from reference.embeddings import embed, embed_backward
from reference.encoder import EncoderBlockParameters, encoder, encoder_block
from reference.encoder_backward import encoder_block_backward
from reference.feed_forward import (
    feed_forward,
    feed_forward_backward,
    gated_feed_forward,
    gated_feed_forward_backward,
)
from reference.flash import flash_attention, flash_attention_backward
from reference.fused_swiglu import fused_rms_swiglu
from reference.gpt import GPTParameters, gpt, gpt_gradients
from reference.gradient_clipping import accumulate_gradients
from reference.grouped_query import grouped_query_attention
from reference.kv_cache import attention_with_cache
from reference.losses import IGNORE_INDEX, cross_entropy, cross_entropy_gradient, token_losses
from reference.masks import additive_from_boolean, causal_mask
from reference.multi_head import merge_heads, multi_head_attention, split_heads
from reference.multi_head_backward import multi_head_attention_backward
from reference.normalization import (
    LayerNormParameters,
    layer_norm,
    layer_norm_backward,
    rms_norm,
    rms_norm_backward,
)
from reference.rotary import rotate_half_split, rotate_interleaved
from reference.schedules import warm_up_cosine
from reference.softmax import log_softmax, logsumexp, softmax, softmax_backward
from tests.reference.conftest import Recorded

Array: TypeAlias = NDArray[Any]
Inputs: TypeAlias = Any  # a recorded case's arrays as attributes
Results: TypeAlias = dict[str, Any]

HERE = Path(__file__).parent
GROUPS = sorted(path.stem.removeprefix("cases_") for path in HERE.glob("cases_*.py"))
NAMES = {
    group: json.loads((HERE / "cases" / f"{group}.json").read_text())["cases"] for group in GROUPS
}
HEADS = 2  # of the recorded blocks
TOLERANCES = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-10}


def flatten(tree: Any, prefix: str) -> Results:
    """Name each array of a tree of named tuples by the fields that lead to it."""
    if not hasattr(tree, "_fields"):
        return {prefix: tree} if isinstance(tree, np.ndarray) else {}
    parts = [flatten(part, f"{prefix}_{field}") for field, part in tree._asdict().items()]
    return {name: array for part in parts for name, array in part.items()}


def collect(kind: Any, inputs: Inputs, prefix: str = "") -> Any:
    """Collect the parameters that PyTorch computed with, as a tree of named tuples."""
    if not hasattr(kind, "_fields"):
        return getattr(inputs, prefix)
    parts = get_type_hints(kind).items()
    start = f"{prefix}_" if prefix else ""
    return kind(*(collect(part, inputs, f"{start}{field}") for field, part in parts))


def attention(inputs: Inputs, mask: Array | None = None) -> Results:
    output, _ = scaled_dot_product_attention(inputs.Q, inputs.K, inputs.V, mask)
    gradients = attention_backward(inputs.d_output, inputs.Q, inputs.K, inputs.V, mask)
    return {"output": output, **flatten(gradients, "d")}


def tiles(inputs: Inputs, mask: Array | None = None, *, causal: bool = False) -> Results:
    Q, K, V = inputs.Q, inputs.K, inputs.V
    options: Any = {"causal": causal, "block": 2}
    return {
        "output": flash_attention(Q, K, V, mask, **options),
        **flatten(flash_attention_backward(inputs.d_output, Q, K, V, mask, **options), "d"),
    }


def multi_head(inputs: Inputs) -> Results:
    arrays = (inputs.x, inputs.W_Q, inputs.W_K, inputs.W_V, inputs.W_O, int(inputs.heads))
    memory = getattr(inputs, "memory", None)
    output, weights = multi_head_attention(*arrays, memory=memory)
    gradients = multi_head_attention_backward(inputs.d_output, *arrays, memory=memory)
    return {"output": output, "weights": weights, **flatten(gradients, "d")}


def onnx_mask(inputs: Inputs) -> Array | None:
    """Turn ONNX's mask and its causal attribute into one additive mask of ours."""
    mask = getattr(inputs, "attn_mask", None)
    if mask is not None and mask.dtype == np.bool_:
        mask = additive_from_boolean(~mask)  # ONNX's booleans say what takes part
    if not hasattr(inputs, "is_causal"):
        return mask
    causal = additive_from_boolean(causal_mask(inputs.Q.shape[-2], inputs.K.shape[-2]))
    return causal if mask is None else causal + mask


def onnx_attention(inputs: Inputs) -> Results:
    """Attend as ONNX's operator, which splits and merges the heads of inputs with three axes."""
    Q, K, V = inputs.Q, inputs.K, inputs.V
    if Q.ndim == 3:
        Q = split_heads(Q, int(inputs.q_num_heads))
        K, V = (split_heads(array, int(inputs.kv_num_heads)) for array in (K, V))
    grouped = Q.shape[-3] != K.shape[-3]
    attend = grouped_query_attention if grouped else scaled_dot_product_attention
    output, weights = attend(Q, K, V, onnx_mask(inputs))
    results = {"Y": merge_heads(output) if inputs.Q.ndim == 3 else output}
    if hasattr(inputs, "qk_matmul_output_mode"):  # these cases ask for them after the softmax
        results["qk_matmul_output"] = weights
    return results


def onnx_cache(inputs: Inputs) -> Results:
    past = (inputs.past_key, inputs.past_value)
    output, _, cache = attention_with_cache(inputs.Q, inputs.K, inputs.V, past)
    return {"Y": output, "present_key": cache.keys, "present_value": cache.values}


def onnx_cross_entropy(inputs: Inputs, function: Callable[..., Array] = cross_entropy) -> Results:
    """ONNX keeps the classes in axis 1."""
    ignored = int(getattr(inputs, "ignore_index", IGNORE_INDEX))
    return {"output": function(np.moveaxis(inputs.scores, 1, -1), inputs.labels, ignored)}


def activation(name: str) -> Callable[[Inputs], Results]:
    function, derivative = activation_named(name)
    return lambda c: {"output": function(c.x), "derivative": derivative(c.x)}


def onnx_activation(name: str) -> Callable[[Inputs], Results]:
    return lambda c: {"output": activation_named(name).function(c.x)}


def feed_forward_with(activation: str) -> Callable[[Inputs], Results]:
    def compute(inputs: Inputs) -> Results:
        x, W1, b1, W2 = inputs.x, inputs.W1, inputs.b1, inputs.W2
        gradients = feed_forward_backward(inputs.d_output, x, W1, b1, W2, activation=activation)
        output = feed_forward(x, W1, b1, W2, inputs.b2, activation=activation)
        return {"output": output, **flatten(gradients, "d")}

    return compute


def swiglu(inputs: Inputs) -> Results:
    arrays = (inputs.x, inputs.W_gate, inputs.W_up, inputs.W_down)
    gradients = gated_feed_forward_backward(inputs.d_output, *arrays)
    return {"output": gated_feed_forward(*arrays), **flatten(gradients, "d")}


def losses(inputs: Inputs) -> Results:
    arguments = (inputs.logits, inputs.targets)
    share = float(inputs.label_smoothing)
    return {
        "each": token_losses(*arguments, label_smoothing=share),
        "loss": cross_entropy(*arguments, label_smoothing=share),
        "gradient": cross_entropy_gradient(*arguments, label_smoothing=share),
    }


def encoder_with(activation: str, *, norm_first: bool) -> Callable[[Inputs], Results]:
    def compute(inputs: Inputs) -> Results:
        parameters = collect(EncoderBlockParameters, inputs)
        arguments = (inputs.x, parameters, HEADS, causal_mask(5))
        options: Any = {"norm_first": norm_first, "activation": activation}
        d_x, gradients = encoder_block_backward(inputs.d_output, *arguments, **options)
        output = encoder_block(*arguments, **options)
        return {"output": output, "d_x": d_x, **flatten(gradients, "d")}

    return compute


def stacks(layers: int, *, norm_first: bool) -> Callable[[Inputs], Results]:
    def compute(inputs: Inputs) -> Results:
        padding = inputs.padding[:, np.newaxis, np.newaxis, :]  # (batch, 1, 1, m)
        memory = encoder(
            inputs.source,
            [collect(EncoderBlockParameters, inputs, f"encoder_{n}") for n in range(layers)],
            HEADS,
            padding,
            norm_first=norm_first,
            final_norm=collect(LayerNormParameters, inputs, "encoder_norm"),
        )
        output = decoder(
            inputs.x,
            memory,
            [collect(DecoderBlockParameters, inputs, f"decoder_{n}") for n in range(layers)],
            HEADS,
            memory_mask=padding,
            norm_first=norm_first,
            final_norm=collect(LayerNormParameters, inputs, "decoder_norm"),
        )
        return {"memory": memory, "output": output}

    return compute


def tied_gpt(inputs: Inputs) -> Results:
    """Compute logits, loss and the gradient of every parameter."""
    parameters = GPTParameters(
        inputs.token_embedding,
        inputs.position_embedding,
        tuple(collect(EncoderBlockParameters, inputs, f"block_{number}") for number in range(2)),
        collect(LayerNormParameters, inputs, "final_norm"),
    )
    loss, gradients = gpt_gradients(inputs.tokens, parameters, HEADS)
    results = {"logits": gpt(inputs.tokens[:, :-1], parameters, HEADS), "loss": loss}
    for number, block in enumerate(gradients.blocks):
        results |= flatten(block, f"d_block_{number}")
    return results | flatten(gradients._replace(blocks=()), "d")


def layer_norms(inputs: Inputs) -> Results:
    arrays, eps = (inputs.x, inputs.gain), float(getattr(inputs, "epsilon", 1e-5))
    results = {"output": layer_norm(*arrays, inputs.bias, eps)}
    if hasattr(inputs, "d_output"):
        results |= flatten(layer_norm_backward(inputs.d_output, *arrays, eps), "d")
    return results


def rms_norms(inputs: Inputs) -> Results:
    arrays, eps = (inputs.x, inputs.gain), float(getattr(inputs, "epsilon", 1e-5))
    results = {"output": rms_norm(*arrays, eps)}
    if hasattr(inputs, "d_output"):
        results |= flatten(rms_norm_backward(inputs.d_output, *arrays, eps), "d")
    return results


def softmax_with_gradient(inputs: Inputs) -> Results:
    weights = softmax(inputs.x, 1)
    return {"output": weights, "d_x": softmax_backward(inputs.d_output, weights, 1)}


def embedding(inputs: Inputs) -> Results:
    d_E = embed_backward(inputs.d_output, inputs.tokens, len(inputs.E))
    return {"output": embed(inputs.tokens, inputs.E), "d_E": d_E}


def grouped_attention(inputs: Inputs) -> Results:
    return {"output": grouped_query_attention(inputs.Q, inputs.K, inputs.V)[0]}


ONNX_ATTENTION = (
    *("3d_diff_heads_sizes_causal", "3d_gqa", "4d_attn_mask_3d_causal", "4d_attn_mask_4d"),
    *("4d_attn_mask_bool_4d", "4d_causal", "4d_diff_heads_sizes", "4d_fp16", "4d_gqa_causal"),
    *("4d_with_qk_matmul_softmax", "23_boolmask_fullymasked_row_nan_robustness"),
    "24_fullymasked_qk_matmul_output_mode3_zero",
)
ONNX_NORMALIZATION = ("2d_axis1", "4d_axis_negative_1", "3d_axis2_epsilon")
ONNX_ACTIVATIONS = {
    "gelu_default_1": "gelu",
    "gelu_default_2": "gelu",
    "gelu_tanh_1": "gelu_tanh",
    "gelu_tanh_2": "gelu_tanh",
    "swish": "silu",
    "relu": "relu",
}
ONNX_CROSS_ENTROPIES = ("mean", "mean_3d", "mean_no_weight_ii", "mean_no_weight_ii_3d")

# A case, and a function that computes some or all of its outputs. Some cases serve two functions.
COMPARISONS: list[tuple[str, Callable[[Inputs], Results]]] = [
    ("softmax", softmax_with_gradient),
    ("log_softmax", lambda c: {"output": log_softmax(c.x, 1)}),
    ("logsumexp", lambda c: {"output": logsumexp(c.x, 1)}),
    ("onnx_softmax_axis_1", lambda c: {"y": softmax(c.x, int(c.axis))}),
    ("onnx_softmax_large_number", lambda c: {"y": softmax(c.x)}),
    ("onnx_logsoftmax_axis_1", lambda c: {"y": log_softmax(c.x, int(c.axis))}),
    ("onnx_logsoftmax_large_number", lambda c: {"y": log_softmax(c.x)}),
    ("attention", attention),
    ("attention", tiles),
    ("attention_masked", lambda c: attention(c, c.blocked)),
    ("attention_masked", lambda c: tiles(c, c.blocked)),
    ("attention_biased", lambda c: attention(c, c.bias)),
    ("attention_biased", lambda c: tiles(c, c.bias)),
    ("attention_causal", lambda c: attention(c, causal_mask(7))),
    ("attention_causal", lambda c: tiles(c, causal=True)),
    *((f"onnx_attention_{name}", onnx_attention) for name in ONNX_ATTENTION),
    ("onnx_attention_4d_causal_with_past_and_present", onnx_cache),
    ("attention_grouped", grouped_attention),
    ("attention_multi_query", grouped_attention),
    ("multi_head", multi_head),
    ("multi_head_cross", multi_head),
    ("embedding", embedding),
    ("rotary_interleaved", lambda c: {"output": rotate_interleaved(c.x, c.positions[:, None])}),
    ("rotary_half_split", lambda c: {"output": rotate_half_split(c.x, c.positions[:, None])}),
    ("layer_norm", layer_norms),
    ("rms_norm", rms_norms),
    *((f"onnx_layer_normalization_{name}", layer_norms) for name in ONNX_NORMALIZATION),
    *((f"onnx_rms_normalization_{name}", rms_norms) for name in ONNX_NORMALIZATION),
    *((name, activation(name)) for name in ("relu", "gelu", "gelu_tanh", "silu")),
    *((f"onnx_{case}", onnx_activation(name)) for case, name in ONNX_ACTIVATIONS.items()),
    *((f"feed_forward_{name}", feed_forward_with(name)) for name in ("relu", "gelu_tanh")),
    ("gated_feed_forward", swiglu),
    *((f"cross_entropy_{name}", losses) for name in ("plain", "ignored", "smoothed", "both")),
    ("onnx_sce_none", lambda c: onnx_cross_entropy(c, token_losses)),
    *((f"onnx_sce_{name}", onnx_cross_entropy) for name in ONNX_CROSS_ENTROPIES),
    ("encoder_post_relu", encoder_with("relu", norm_first=False)),
    ("encoder_pre_gelu", encoder_with("gelu", norm_first=True)),
    ("transformer_post", stacks(2, norm_first=False)),
    ("transformer_pre", stacks(1, norm_first=True)),
    ("gpt", tied_gpt),
    ("fused_swiglu", lambda c: {"output": fused_rms_swiglu(c.x, c.gain, c.W_in, c.W_down)}),
    ("accumulated", lambda c: {"gradient": accumulate_gradients([*c.gradients], [*c.counts])}),
    ("warm_up_cosine", lambda c: {"rates": warm_up_cosine(c.steps, 0.4, 5, 17, floor=0.1)}),
]


@pytest.mark.parametrize(("name", "compute"), COMPARISONS)
def test_results_are_the_recorded_ones(
    recorded: Recorded, name: str, compute: Callable[[Inputs], Results]
) -> None:
    """Outputs, weights and gradients are those of PyTorch (float64) and ONNX, in the same dtype."""
    (group,) = (group for group in GROUPS if name in NAMES[group])
    case = recorded(group, name)

    results = compute(SimpleNamespace(**case.inputs))

    for key, result in results.items():
        expected = case.outputs[key]
        assert (result.shape, result.dtype) == (expected.shape, expected.dtype), key
        tolerance = TOLERANCES[expected.dtype.name]
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance, err_msg=key)


@pytest.mark.parametrize("group", GROUPS)
def test_what_is_recorded_is_what_the_installed_libraries_compute(group: str) -> None:
    """With PyTorch and ONNX installed, computing every case again gives the recorded numbers."""
    for library in ("torch", "onnx"):
        if find_spec(library) is None:  # importing it here would take seconds
            pytest.skip(f"{library} is not installed; the cases recorded with it stand in")

    finished = subprocess.run(
        [sys.executable, "-W", "ignore", HERE / "record_cases.py", group, "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.parametrize("group", GROUPS)
def test_every_recorded_case_is_compared(group: str) -> None:
    """In the table above, or in a test in which its name stands."""
    tests = "\n".join(path.read_text() for path in HERE.glob("test_*.py"))
    compared = {name for name, _ in COMPARISONS}

    assert NAMES[group]
    assert [
        name for name in NAMES[group] if name not in compared and f'"{name}"' not in tests
    ] == []


@pytest.mark.parametrize("group", GROUPS)
def test_recorded_cases_name_the_versions_that_computed_them(group: str) -> None:
    """Each group says which NumPy, ONNX and PyTorch were used."""
    about = json.loads((HERE / "cases" / f"{group}.json").read_text())

    assert set(about["recorded_with"]) == {"numpy", "onnx", "torch"}


def test_the_recorded_cases_stay_small() -> None:
    """All of them together are less than 300 kB."""
    assert sum(path.stat().st_size for path in (HERE / "cases").iterdir()) < 300_000
