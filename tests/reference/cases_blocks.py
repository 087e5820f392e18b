"""Cases of normalisation, networks, losses and transformer blocks, computed by PyTorch and ONNX.

Everything is float64 except ONNX's cases, which are float32. Axes of a case have different sizes,
except d_model, a multiple of the number of heads. Gradients are those of sum(output * d_output).
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import onnx  # needed only for recording
import torch  # needed only for recording
from numpy.typing import NDArray
from torch.nn import functional

Arrays: TypeAlias = dict[str, NDArray[Any]]
Cases: TypeAlias = Iterator[tuple[str, Arrays, Arrays]]

HEADS, D_MODEL, D_FF = 2, 6, 11
ACTIVATIONS: Mapping[str, Callable[[Any], Any]] = {
    "relu": torch.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
}


def draw(seed: int, **shapes: tuple[int, ...]) -> Arrays:
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


def with_gradients(compute: Callable[..., Any], inputs: Arrays, **fixed: Any) -> Arrays:
    """Compute the output, and the gradients of sum(output * d_output) under the names d_<input>."""
    tensors = {
        name: torch.from_numpy(value).requires_grad_()
        for name, value in inputs.items()
        if name != "d_output"
    }
    output = compute(**tensors, **fixed)
    upstream = inputs.get("d_output")
    output.backward(None if upstream is None else torch.from_numpy(upstream))
    gradients = {f"d_{name}": tensor.grad.numpy() for name, tensor in tensors.items()}
    return {"output": output.detach().numpy(), **gradients}


def record_normalization() -> Cases:
    shape = (2, 3, 5, 7)
    inputs = draw(1, x=shape, gain=(7,), bias=(7,), d_output=shape)
    inputs["x"] = 3 * inputs["x"] + 2
    yield (
        "layer_norm",
        inputs,
        with_gradients(
            lambda x, gain, bias: functional.layer_norm(x, (7,), gain, bias, eps=1e-5), inputs
        ),
    )
    inputs = {name: value for name, value in inputs.items() if name != "bias"}
    yield (
        "rms_norm",
        inputs,
        with_gradients(lambda x, gain: functional.rms_norm(x, (7,), gain, eps=1e-5), inputs),
    )


def record_activations() -> Cases:
    x = np.concatenate([np.linspace(-12, 12, 97), [-40.0, -1e-9, 1e-9, 40.0]])
    for name, function in ACTIVATIONS.items():
        inputs = {"x": x, "d_output": np.ones_like(x)}
        found = with_gradients(lambda x, function=function: function(x), inputs)
        yield name, {"x": x}, {"output": found["output"], "derivative": found["d_x"]}
    yield "erf", {"x": x}, {"output": torch.erf(torch.from_numpy(x)).numpy()}


def record_feed_forward() -> Cases:
    for name in ("relu", "gelu_tanh"):
        inputs = draw(
            10, x=(2, 3, 5), W1=(5, 11), b1=(11,), W2=(11, 5), b2=(5,), d_output=(2, 3, 5)
        )
        compute = two_layers(ACTIVATIONS[name])
        yield f"feed_forward_{name}", inputs, with_gradients(compute, inputs)
    inputs = draw(20, x=(2, 3, 5), W_gate=(5, 11), W_up=(5, 11), W_down=(11, 5), d_output=(2, 3, 5))
    yield (
        "gated_feed_forward",
        inputs,
        with_gradients(
            lambda x, W_gate, W_up, W_down: (functional.silu(x @ W_gate) * (x @ W_up)) @ W_down,
            inputs,
        ),
    )


def two_layers(activation: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda x, W1, b1, W2, b2: activation(x @ W1 + b1) @ W2 + b2


def record_cross_entropy() -> Cases:
    rng = np.random.default_rng(30)
    logits = 3 * rng.standard_normal((2, 3, 7))
    targets = rng.integers(0, 7, (2, 3))
    ignored = targets.copy()
    ignored[0, 1] = ignored[1, 2] = -100
    for name, classes, smoothing in [
        ("plain", targets, 0.0),
        ("ignored", ignored, 0.0),
        ("smoothed", targets, 0.1),
        ("both", ignored, 0.3),
    ]:
        tensor = torch.from_numpy(logits).requires_grad_()
        arguments = {
            "input": tensor.reshape(-1, 7),
            "target": torch.from_numpy(classes).reshape(-1),
            "label_smoothing": smoothing,
        }
        loss = functional.cross_entropy(**arguments)
        (gradient,) = torch.autograd.grad(loss, tensor, retain_graph=True)
        each = functional.cross_entropy(**arguments, reduction="none").reshape(2, 3)
        yield (
            f"cross_entropy_{name}",
            {"logits": logits, "targets": classes, "label_smoothing": np.asarray(smoothing)},
            {
                "loss": loss.detach().numpy(),
                "each": each.detach().numpy(),
                "gradient": gradient.numpy(),
            },
        )


def record_encoder() -> Cases:
    for norm_first, activation in ((False, "relu"), (True, "gelu")):
        torch.manual_seed(40)
        layer = torch.nn.TransformerEncoderLayer(
            D_MODEL,
            HEADS,
            D_FF,
            dropout=0.0,
            activation=activation,
            batch_first=True,
            norm_first=norm_first,
            dtype=torch.float64,
        )
        randomise(layer)
        inputs = draw(41, x=(3, 5, D_MODEL), d_output=(3, 5, D_MODEL))
        x = torch.from_numpy(inputs["x"]).requires_grad_()
        causal = torch.triu(torch.ones(5, 5, dtype=torch.bool), diagonal=1)
        output = layer(x, src_mask=causal)
        output.backward(torch.from_numpy(inputs["d_output"]))
        order = "pre" if norm_first else "post"
        yield (
            f"encoder_{order}_{activation}",
            inputs | encoder_arrays(layer, values),
            {
                "output": output.detach().numpy(),
                "d_x": x.grad.numpy(),
                **{f"d_{key}": value for key, value in encoder_arrays(layer, gradients).items()},
            },
        )


def record_stacks() -> Cases:
    for norm_first, layers in ((False, 2), (True, 1)):
        torch.manual_seed(50)
        settings = {"dropout": 0.0, "batch_first": True, "norm_first": norm_first}
        sizes = (D_MODEL, HEADS, D_FF)
        encoder = torch.nn.TransformerEncoder(
            torch.nn.TransformerEncoderLayer(*sizes, **settings, dtype=torch.float64),
            num_layers=layers,
            norm=torch.nn.LayerNorm(D_MODEL, dtype=torch.float64),
            enable_nested_tensor=False,
        )
        decoder = torch.nn.TransformerDecoder(
            torch.nn.TransformerDecoderLayer(*sizes, **settings, dtype=torch.float64),
            num_layers=layers,
            norm=torch.nn.LayerNorm(D_MODEL, dtype=torch.float64),
        )
        randomise(encoder)
        randomise(decoder)
        inputs = draw(51, x=(3, 5, D_MODEL), source=(3, 7, D_MODEL))
        padding = np.zeros((3, 7), dtype=np.bool_)
        padding[1, 4:] = padding[2, 6:] = True
        blocked = torch.from_numpy(padding)
        causal = torch.triu(torch.ones(5, 5, dtype=torch.bool), diagonal=1)
        source = torch.from_numpy(inputs["source"])
        memory = encoder(source, src_key_padding_mask=blocked)
        output = decoder(
            torch.from_numpy(inputs["x"]), memory, tgt_mask=causal, memory_key_padding_mask=blocked
        )
        arrays = inputs | {"padding": padding}
        for number in range(layers):
            encoder_block = encoder_arrays(encoder.layers[number], values)
            decoder_block = decoder_arrays(decoder.layers[number], values)
            arrays |= {f"encoder_{number}_{key}": value for key, value in encoder_block.items()}
            arrays |= {f"decoder_{number}_{key}": value for key, value in decoder_block.items()}
        arrays |= prefixed("encoder_norm", norm_arrays(encoder.norm, values))
        arrays |= prefixed("decoder_norm", norm_arrays(decoder.norm, values))
        yield (
            f"transformer_{'pre' if norm_first else 'post'}",
            arrays,
            {"memory": memory.detach().numpy(), "output": output.detach().numpy()},
        )


def record_gpt() -> Cases:
    """Record a pre-norm GPT with learned positions and a tied head, built from PyTorch's layers."""
    torch.manual_seed(60)
    vocabulary, context, length = 13, 7, 5
    stack = torch.nn.TransformerEncoder(
        torch.nn.TransformerEncoderLayer(
            D_MODEL,
            HEADS,
            D_FF,
            dropout=0.0,
            activation=ACTIVATIONS["gelu_tanh"],
            batch_first=True,
            norm_first=True,
            dtype=torch.float64,
        ),
        num_layers=2,
        norm=torch.nn.LayerNorm(D_MODEL, dtype=torch.float64),
        enable_nested_tensor=False,
    )
    randomise(stack)
    drawn = draw(61, token_embedding=(vocabulary, D_MODEL), position_embedding=(context, D_MODEL))
    E, P = (torch.from_numpy(value).requires_grad_() for value in drawn.values())
    tokens = np.random.default_rng(62).integers(0, vocabulary, (3, length + 1))
    causal = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)
    hidden = stack(E[torch.from_numpy(tokens[:, :-1])] + P[:length], mask=causal)
    logits = hidden @ E.T
    loss = functional.cross_entropy(
        logits.reshape(-1, vocabulary), torch.from_numpy(tokens[:, 1:]).reshape(-1)
    )
    loss.backward()

    def arrays(of: Callable[[Any], NDArray[Any]]) -> Arrays:
        found = {"token_embedding": of(E), "position_embedding": of(P)}
        for number, layer in enumerate(stack.layers):
            block = encoder_arrays(layer, of)
            found |= {f"block_{number}_{key}": value for key, value in block.items()}
        return found | prefixed("final_norm", norm_arrays(stack.norm, of))

    outputs = {"logits": logits.detach().numpy(), "loss": loss.detach().numpy()}
    yield (
        "gpt",
        {"tokens": tokens, **arrays(values)},
        outputs | {f"d_{name}": gradient for name, gradient in arrays(gradients).items()},
    )


def record_training() -> Cases:
    """Record stochastic gradient descent and AdamW on a bigram model."""
    rng = np.random.default_rng(70)
    W, tokens = rng.standard_normal((5, 5)), rng.integers(0, 5, 23)
    plain = {"lr": 0.7}
    settings = {"lr": 0.05, "betas": (0.8, 0.95), "eps": 1e-6, "weight_decay": 0.1}
    kinds: list[tuple[str, Any, dict[str, Any]]] = [
        ("sgd", torch.optim.SGD, plain),
        ("adamw", torch.optim.AdamW, settings),
    ]
    for name, kind, options in kinds:
        weights = torch.from_numpy(W.copy()).requires_grad_()
        optimizer = kind([weights], **options)
        losses = []
        for _ in range(11):
            optimizer.zero_grad()
            loss = functional.cross_entropy(
                weights[torch.from_numpy(tokens[:-1])], torch.from_numpy(tokens[1:])
            )
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        yield (
            f"bigram_{name}",
            {"W": W, "tokens": tokens},
            {"W": weights.detach().numpy(), "losses": np.array(losses)},
        )


def record_onnx() -> Cases:
    """Record ONNX's published backend tests for the operators that this package has."""
    from onnx.backend.test.case import node  # slow to import

    wanted = {
        "test_gelu_default_1": ("x",),
        "test_gelu_default_2": ("x",),
        "test_gelu_tanh_1": ("x",),
        "test_gelu_tanh_2": ("x",),
        "test_swish": ("x",),
        "test_relu": ("x",),
        "test_layer_normalization_2d_axis1": ("x", "gain", "bias"),
        "test_layer_normalization_4d_axis_negative_1": ("x", "gain", "bias"),
        "test_layer_normalization_3d_axis2_epsilon": ("x", "gain", "bias"),
        "test_rms_normalization_2d_axis1": ("x", "gain"),
        "test_rms_normalization_4d_axis_negative_1": ("x", "gain"),
        "test_rms_normalization_3d_axis2_epsilon": ("x", "gain"),
        "test_sce_none": ("scores", "labels"),
        "test_sce_mean": ("scores", "labels"),
        "test_sce_mean_3d": ("scores", "labels"),
        "test_sce_mean_no_weight_ii": ("scores", "labels"),
        "test_sce_mean_no_weight_ii_3d": ("scores", "labels"),
    }
    with warnings.catch_warnings():  # other operators' cases overflow on purpose
        warnings.simplefilter("ignore", RuntimeWarning)
        cases = {case.name: case for case in node.collect_testcases(None)}
    for name, members in wanted.items():
        case = cases[name]
        given, (output, *_) = case.data_sets[0]
        settings = {
            attribute.name: np.asarray(onnx.helper.get_attribute_value(attribute))
            for attribute in case.model.graph.node[0].attribute
            if attribute.name in ("epsilon", "ignore_index")
        }
        yield (
            name.replace("test_", "onnx_"),
            dict(zip(members, given, strict=True)) | settings,
            {"output": output},
        )


def randomise(module: Any) -> None:
    """Redraw all parameters, so that no bias is zero and no gain one, except attention's.

    Attention has no biases in this package, as in the paper.
    """
    for name, parameter in module.named_parameters():
        scale = 0.0 if "attn" in name and "bias" in name else 0.5
        torch.nn.init.normal_(parameter, mean=1.0 if "norm" in name else 0.0, std=scale)


def values(parameter: Any) -> NDArray[Any]:
    array: NDArray[Any] = parameter.detach().numpy().copy()
    return array


def gradients(parameter: Any) -> NDArray[Any]:
    array: NDArray[Any] = parameter.grad.numpy().copy()
    return array


def prefixed(prefix: str, arrays: Arrays) -> Arrays:
    return {f"{prefix}_{name}": value for name, value in arrays.items()}


def attention_arrays(attention: Any, of: Callable[[Any], NDArray[Any]]) -> Arrays:
    """Name the matrices as in this package; PyTorch stores them transposed."""
    W_Q, W_K, W_V = np.split(of(attention.in_proj_weight), 3)
    W_O = of(attention.out_proj.weight)
    return {"W_Q": W_Q.T, "W_K": W_K.T, "W_V": W_V.T, "W_O": W_O.T}


def norm_arrays(norm: Any, of: Callable[[Any], NDArray[Any]]) -> Arrays:
    return {"gain": of(norm.weight), "bias": of(norm.bias)}


def network_arrays(layer: Any, of: Callable[[Any], NDArray[Any]]) -> Arrays:
    return {
        "W1": of(layer.linear1.weight).T,
        "b1": of(layer.linear1.bias),
        "W2": of(layer.linear2.weight).T,
        "b2": of(layer.linear2.bias),
    }


def encoder_arrays(layer: Any, of: Callable[[Any], NDArray[Any]]) -> Arrays:
    return (
        prefixed("attention", attention_arrays(layer.self_attn, of))
        | prefixed("norm_1", norm_arrays(layer.norm1, of))
        | prefixed("feed_forward", network_arrays(layer, of))
        | prefixed("norm_2", norm_arrays(layer.norm2, of))
    )


def decoder_arrays(layer: Any, of: Callable[[Any], NDArray[Any]]) -> Arrays:
    return (
        prefixed("self_attention", attention_arrays(layer.self_attn, of))
        | prefixed("norm_1", norm_arrays(layer.norm1, of))
        | prefixed("cross_attention", attention_arrays(layer.multihead_attn, of))
        | prefixed("norm_2", norm_arrays(layer.norm2, of))
        | prefixed("feed_forward", network_arrays(layer, of))
        | prefixed("norm_3", norm_arrays(layer.norm3, of))
    )
