"""Cases of softmax, masks, attention, heads and positions, computed by PyTorch and ONNX.

PyTorch's are float64. Axes of a case have different sizes wherever possible. A gradient is that of
sum(output * d_output). ONNX's cases are those published for its operators, in float32 and float16,
and some computed by its reference evaluator, in float64.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import onnx  # needed only for recording
import torch  # needed only for recording
from numpy.typing import NDArray
from onnx.backend.test.case.node import collect_testcases  # needed only for recording
from onnx.reference import ReferenceEvaluator  # needed only for recording
from torch.nn import functional  # needed only for recording

Arrays: TypeAlias = dict[str, NDArray[Any]]
Cases: TypeAlias = Iterator[tuple[str, Arrays, Arrays]]

HEADS, N, M, D_K, D_V = 2, 3, 5, 7, 11
OPSET = 24

ONNX_ATTENTION = [
    "4d_fp16",
    "4d_diff_heads_sizes",
    "4d_causal",
    "4d_gqa_causal",
    "4d_attn_mask_3d_causal",
    "4d_attn_mask_4d",
    "4d_attn_mask_bool_4d",
    "4d_with_qk_matmul_softmax",
    "4d_causal_with_past_and_present",
    "3d_gqa",
    "3d_diff_heads_sizes_causal",
    "23_boolmask_fullymasked_row_nan_robustness",
    "24_fullymasked_qk_matmul_output_mode3_zero",
]
ONNX_SOFTMAX = [
    f"{operator}_{which}"
    for operator in ("softmax", "logsoftmax")
    for which in ("axis_1", "large_number")
]


def draw(seed: int, **shapes: tuple[int, ...]) -> Arrays:
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


def differentiate(compute: Callable[..., Any], inputs: Arrays) -> Arrays:
    """Compute the output, and the gradient of sum(output * d_output) for each input as d_<input>."""
    tensors = {
        name: torch.from_numpy(array.copy()).requires_grad_()
        for name, array in inputs.items()
        if name != "d_output"
    }
    output = compute(**tensors)
    output.backward(torch.from_numpy(inputs["d_output"].copy()))
    gradients = {f"d_{name}": tensor.grad.numpy() for name, tensor in tensors.items()}
    return {"output": output.detach().numpy(), **gradients}


def record_softmax() -> Cases:
    inputs = draw(1, x=(2, 3, 5), d_output=(2, 3, 5))
    inputs["x"] *= 30
    yield "softmax", inputs, differentiate(lambda x: x.softmax(1), inputs)
    yield "log_softmax", inputs, differentiate(lambda x: x.log_softmax(1), inputs)
    inputs = {**draw(2, x=(2, 3, 5), d_output=(2, 5))}
    yield "logsumexp", inputs, differentiate(lambda x: x.logsumexp(1), inputs)


def record_attention() -> Cases:
    shapes = {"Q": (HEADS, N, D_K), "K": (HEADS, M, D_K), "V": (HEADS, M, D_V)}
    inputs = draw(3, **shapes, d_output=(HEADS, N, D_V))
    blocked = np.random.default_rng(4).random((HEADS, N, M)) < 0.4
    blocked[1, 2] = True  # a query that attends to nothing
    bias = np.random.default_rng(5).standard_normal((HEADS, N, M))
    attend = functional.scaled_dot_product_attention
    # In PyTorch's boolean mask, True means that a position takes part.
    allowed, added = torch.from_numpy(~blocked), torch.from_numpy(bias)

    def masked(Q: Any, K: Any, V: Any) -> Any:
        return attend(Q, K, V, attn_mask=allowed)

    def biased(Q: Any, K: Any, V: Any) -> Any:
        return attend(Q, K, V, attn_mask=added)

    yield "attention", inputs, differentiate(attend_plainly, inputs)
    yield "attention_masked", {**inputs, "blocked": blocked}, differentiate(masked, inputs)
    yield "attention_biased", {**inputs, "bias": bias}, differentiate(biased, inputs)


def attend_plainly(Q: Any, K: Any, V: Any) -> Any:
    return functional.scaled_dot_product_attention(Q, K, V)


def attend_causally(Q: Any, K: Any, V: Any) -> Any:
    return functional.scaled_dot_product_attention(Q, K, V, is_causal=True)


def attend_in_groups(Q: Any, K: Any, V: Any) -> Any:
    return functional.scaled_dot_product_attention(Q, K, V, enable_gqa=True)


def record_causal_attention() -> Cases:
    inputs = draw(6, Q=(2, 7, 3), K=(2, 7, 3), V=(2, 7, 5), d_output=(2, 7, 5))
    yield "attention_causal", inputs, differentiate(attend_causally, inputs)


def record_grouped_attention() -> Cases:
    for name, key_heads in (("attention_grouped", 2), ("attention_multi_query", 1)):
        shapes = {"Q": (1, 6, N, D_K), "K": (1, key_heads, M, D_K), "V": (1, key_heads, M, D_V)}
        inputs = draw(7, **shapes, d_output=(1, 6, N, D_V))
        yield name, inputs, differentiate(attend_in_groups, inputs)


def record_multi_head_attention() -> Cases:
    """Record `MultiheadAttention`, with matrices for x W in place of PyTorch's x W^T."""
    d_model, d_memory, heads = 6, 7, 3
    for name, d_other in (("multi_head", None), ("multi_head_cross", d_memory)):
        d_source = d_model if d_other is None else d_other
        inputs = draw(
            9,
            x=(2, 5, d_model),
            W_Q=(d_model, d_model),
            W_K=(d_source, d_model),
            W_V=(d_source, d_model),
            W_O=(d_model, d_model),
            d_output=(2, 5, d_model),
        )
        if d_other is not None:
            inputs |= draw(10, memory=(2, 11, d_other))
        weights: list[NDArray[Any]] = []

        def compute(weights: list[NDArray[Any]] = weights, **given: Any) -> Any:
            source = given.get("memory", given["x"])
            output, per_head = functional.multi_head_attention_forward(
                *(part.transpose(0, 1) for part in (given["x"], source, source)),
                embed_dim_to_check=d_model,
                num_heads=heads,
                in_proj_weight=None,
                in_proj_bias=None,
                bias_k=None,
                bias_v=None,
                add_zero_attn=False,
                dropout_p=0.0,
                out_proj_weight=given["W_O"].T,
                out_proj_bias=None,
                use_separate_proj_weight=True,
                q_proj_weight=given["W_Q"].T,
                k_proj_weight=given["W_K"].T,
                v_proj_weight=given["W_V"].T,
                average_attn_weights=False,
            )
            weights.append(per_head.detach().numpy())
            return output.transpose(0, 1)

        outputs = differentiate(compute, inputs)
        yield name, {**inputs, "heads": np.array(heads)}, {**outputs, "weights": weights[0]}


def record_embedding() -> Cases:
    tokens = np.array([[4, 0, 4], [6, 1, 4]])
    inputs = draw(11, E=(7, 5), d_output=(2, 3, 5))
    outputs = differentiate(lambda E: functional.embedding(torch.from_numpy(tokens), E), inputs)
    yield "embedding", {**inputs, "tokens": tokens}, outputs


def record_rotary() -> Cases:
    """Record ONNX's RotaryEmbedding with the cosines and sines of the usual angles."""
    inputs = {
        **draw(12, x=(2, 3, 5, 8)),
        "positions": np.array([[0, 3, 1, 7, 10], [2, 2, 9, 0, 5]]),
    }
    angles = np.arange(11)[:, None] / 10000.0 ** (np.arange(0, 8, 2) / 8)  # (11, 4)
    for name, interleaved in (("rotary_interleaved", 1), ("rotary_half_split", 0)):
        node = onnx.helper.make_node(
            "RotaryEmbedding", ["x", "cos", "sin", "positions"], ["y"], interleaved=interleaved
        )
        feeds = {**inputs, "cos": np.cos(angles), "sin": np.sin(angles)}
        yield name, inputs, {"output": evaluate(node, feeds)}


def evaluate(node: Any, feeds: Arrays) -> NDArray[Any]:
    """Run one operator in ONNX's reference evaluator."""
    helper = onnx.helper
    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in feeds.items()
    ]
    result = helper.make_tensor_value_info("y", onnx.TensorProto.DOUBLE, None)
    graph = helper.make_graph([node], "one operator", infos, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    (output,) = ReferenceEvaluator(model).run(None, feeds)
    return np.asarray(output)


def record_onnx_cases() -> Cases:
    """Record ONNX's published cases, with attributes as further inputs."""
    published = {case.name: case for case in collect_testcases(None)}
    wanted = [f"attention_{name}" for name in ONNX_ATTENTION] + ONNX_SOFTMAX
    for name in wanted:
        case = published[f"test_{name}"]
        (node,) = case.model.graph.node
        arrays, results = case.data_sets[0]
        # Omitted operands have neither name nor array.
        inputs = dict(zip(filter(None, node.input), arrays, strict=True))
        for attribute in node.attribute:
            inputs[attribute.name] = np.array(onnx.helper.get_attribute_value(attribute))
        yield f"onnx_{name}", inputs, dict(zip(filter(None, node.output), results, strict=True))
