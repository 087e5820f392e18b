import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from reference.arrays import BoolArray, FloatArray
from reference.attention import attention_weights, causal_attention, scaled_dot_product_attention
from reference.masks import additive_from_boolean, causal_mask
from tests.reference.conftest import Recorded

Matrix: TypeAlias = list[list[float]]
FloatDType: TypeAlias = np.dtype[np.floating[Any]]

FLOATS: list[FloatDType] = [np.dtype(np.float32), np.dtype(np.float64)]
TOLERANCE: dict[FloatDType, float] = {np.dtype(np.float32): 2e-5, np.dtype(np.float64): 1e-12}


@dataclass(frozen=True)
class Inputs:
    Q: FloatArray
    K: FloatArray
    V: FloatArray
    blocked: BoolArray  # as the weights

    @property
    def tolerance(self) -> float:
        return TOLERANCE[self.Q.dtype]


@st.composite
def inputs(draw: st.DrawFn, *, square: bool = False) -> Inputs:
    """Draw a batch of inputs in which no two axes share a size, but for n and m if square."""
    batch, n, m, d_k, d_v = draw(st.permutations([2, 3, 5, 7, 11]))
    m = n if square else m
    dtype = draw(st.sampled_from(FLOATS))
    elements = st.floats(-2, 2, width=32)
    return Inputs(
        Q=draw(arrays(dtype, (batch, n, d_k), elements=elements)),
        K=draw(arrays(dtype, (batch, m, d_k), elements=elements)),
        V=draw(arrays(dtype, (batch, m, d_v), elements=elements)),
        blocked=draw(arrays(np.bool_, (batch, n, m))),
    )


def weights_by_loops(queries: Matrix, keys: Matrix, blocked: list[list[bool]]) -> Matrix:
    """Compute attention weights number by number, with nothing from NumPy."""
    weights = []
    for query, blocked_row in zip(queries, blocked, strict=True):
        exponentials = []
        for key, is_blocked in zip(keys, blocked_row, strict=True):
            product = math.fsum(q * k for q, k in zip(query, key, strict=True))
            score = product / math.sqrt(len(query))
            exponentials.append(0.0 if is_blocked else math.exp(score))
        total = math.fsum(exponentials)
        weights.append([e / total if total else 0.0 for e in exponentials])
    return weights


def averages_by_loops(weights: Matrix, values: Matrix) -> Matrix:
    """Average the values under the weights number by number, with nothing from NumPy."""
    return [
        [
            math.fsum(w * v for w, v in zip(row, column, strict=True))
            for column in zip(*values, strict=True)
        ]
        for row in weights
    ]


@given(inputs())
def test_masked_attention_equals_plain_loops(drawn: Inputs) -> None:
    """Output and weights agree, batch by batch, with loops over plain numbers."""
    output, weights = scaled_dot_product_attention(drawn.Q, drawn.K, drawn.V, mask=drawn.blocked)

    for b in range(len(drawn.Q)):
        expected = weights_by_loops(
            drawn.Q[b].tolist(), drawn.K[b].tolist(), drawn.blocked[b].tolist()
        )
        averages = averages_by_loops(expected, drawn.V[b].tolist())
        np.testing.assert_allclose(weights[b], expected, atol=drawn.tolerance)
        np.testing.assert_allclose(output[b], averages, atol=drawn.tolerance)


@given(inputs(square=True))
def test_causal_attention_is_attention_under_the_causal_mask(drawn: Inputs) -> None:
    """The boolean and the additive causal mask both give what causal attention gives."""
    blocked = causal_mask(drawn.Q.shape[1])

    expected = causal_attention(drawn.Q, drawn.K, drawn.V)

    for mask in (blocked, additive_from_boolean(blocked)):
        masked = scaled_dot_product_attention(drawn.Q, drawn.K, drawn.V, mask=mask)
        np.testing.assert_array_equal(masked[0], expected[0])
        np.testing.assert_array_equal(masked[1], expected[1])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("form", [np.asarray, additive_from_boolean])
def test_a_fully_masked_query_gives_zeros(
    dtype: FloatDType, form: Callable[[BoolArray], FloatArray | BoolArray]
) -> None:
    """A query that may look at nothing has zero weights and a zero output, without a warning."""
    rng = np.random.default_rng(0)
    Q, K, V = (rng.standard_normal(shape).astype(dtype) for shape in [(2, 7), (3, 7), (3, 5)])
    blocked = np.array([[True, True, True], [False, False, True]])

    output, weights = scaled_dot_product_attention(Q, K, V, mask=form(blocked))

    np.testing.assert_array_equal(weights[0], np.zeros(3))
    np.testing.assert_array_equal(output[0], np.zeros(5))
    assert weights[1].sum() == pytest.approx(1)


def test_large_scores_stay_finite() -> None:
    """Scores in the thousands give the weights that their differences ask for."""
    weights = attention_weights([[1000.0]], [[3.0], [3.0 + math.log(4) / 1000]])

    np.testing.assert_allclose(weights, [[0.2, 0.8]], rtol=1e-10)


def test_no_keys_give_a_zero_output() -> None:
    """With nothing to look at, the weights are empty and the output is zero."""
    output, weights = scaled_dot_product_attention(
        np.ones((2, 3)), np.ones((0, 3)), np.ones((0, 5))
    )

    assert weights.shape == (2, 0)
    np.testing.assert_array_equal(output, np.zeros((2, 5)))


def test_the_weights_do_not_follow_the_values() -> None:
    """Wider values widen the output alone."""
    Q = np.ones((3, 2), dtype=np.float32)

    output, weights = causal_attention(Q, Q, np.ones((3, 5)))

    assert output.dtype == np.float64
    assert weights.dtype == np.float32


# Arguments that do not go together, and the two shapes that the error must name.
MISMATCHES: list[tuple[Callable[..., object], list[tuple[int, ...]], tuple[str, str]]] = [
    (attention_weights, [(3, 2), (5, 7)], ("Q of shape (3, 2)", "K of shape (5, 7)")),
    (attention_weights, [(2,), (5, 2)], ("Q of shape (2,)", "K of shape (5, 2)")),
    (attention_weights, [(3, 2), (2,)], ("Q of shape (3, 2)", "K of shape (2,)")),
    (attention_weights, [(3, 0), (5, 0)], ("Q of shape (3, 0)", "K of shape (5, 0)")),
    (attention_weights, [(2, 3, 5), (7, 11, 5)], ("Q of shape (2, 3, 5)", "K of shape (7, 11, 5)")),
    (
        attention_weights,
        [(3, 2), (5, 2), (5, 3)],
        ("mask of shape (5, 3)", "scores of shape (3, 5)"),
    ),
    (
        scaled_dot_product_attention,
        [(3, 2), (5, 2), (7, 11)],
        ("K of shape (5, 2)", "V of shape (7, 11)"),
    ),
    (
        scaled_dot_product_attention,
        [(3, 2), (5, 2), (5,)],
        ("K of shape (5, 2)", "V of shape (5,)"),
    ),
    (
        scaled_dot_product_attention,
        [(2, 3, 5), (2, 7, 5), (11, 7, 13)],
        ("weights of shape (2, 3, 7)", "V of shape (11, 7, 13)"),
    ),
    (causal_attention, [(3, 2), (5, 2), (5, 7)], ("Q of shape (3, 2)", "K of shape (5, 2)")),
    (causal_attention, [(3, 2), (3, 5), (3, 7)], ("Q of shape (3, 2)", "K of shape (3, 5)")),
    (causal_attention, [(2,), (2,), (2, 3)], ("Q of shape (2,)", "K of shape (2,)")),
    (causal_attention, [(3, 2), (3, 2), (5, 7)], ("K of shape (3, 2)", "V of shape (5, 7)")),
]


@pytest.mark.parametrize(("function", "shapes", "named"), MISMATCHES)
def test_shapes_that_do_not_go_together_are_both_named(
    function: Callable[..., object], shapes: list[tuple[int, ...]], named: tuple[str, str]
) -> None:
    """The ValueError tells both shapes, so that one can see which to change."""
    with pytest.raises(ValueError, match=f"{re.escape(named[0])} .*{re.escape(named[1])}"):
        function(*(np.ones(shape) for shape in shapes))


@pytest.mark.parametrize(
    ("name", "mask"),
    [("attention", None), ("attention_masked", "blocked"), ("attention_biased", "bias")],
)
def test_outputs_are_those_of_pytorch(recorded: Recorded, name: str, mask: str | None) -> None:
    """Without a mask, with booleans (one row sees nothing) and with biases, in float64."""
    case = recorded("attention", name)
    Q, K, V = (case.inputs[key] for key in "QKV")

    output, _ = scaled_dot_product_attention(Q, K, V, case.inputs[mask] if mask else None)

    np.testing.assert_allclose(output, case.outputs["output"], rtol=1e-10, atol=1e-10)


def onnx_mask(inputs: dict[str, NDArray[Any]]) -> FloatArray | None:
    """Turn ONNX's mask and its causal attribute into one additive mask of ours."""
    n, m = inputs["Q"].shape[-2], inputs["K"].shape[-2]
    mask = inputs.get("attn_mask")
    if mask is not None and mask.dtype == np.bool_:
        mask = additive_from_boolean(~mask)  # ONNX's booleans say what takes part
    if "is_causal" not in inputs:
        return mask
    causal = additive_from_boolean(causal_mask(n, m))
    return causal if mask is None else causal + mask


@pytest.mark.parametrize(
    "name",
    [
        "onnx_attention_23_boolmask_fullymasked_row_nan_robustness",
        "onnx_attention_24_fullymasked_qk_matmul_output_mode3_zero",
        "onnx_attention_4d_attn_mask_3d_causal",
        "onnx_attention_4d_attn_mask_4d",
        "onnx_attention_4d_attn_mask_bool_4d",
        "onnx_attention_4d_causal",
        "onnx_attention_4d_diff_heads_sizes",
        "onnx_attention_4d_fp16",
        "onnx_attention_4d_with_qk_matmul_softmax",
    ],
)
def test_outputs_and_weights_are_those_of_onnx(recorded: Recorded, name: str) -> None:
    """ONNX's published cases give its published results; fully masked rows are zeros in both."""
    case = recorded("attention", name)
    Q, K, V = (case.inputs[key] for key in "QKV")

    output, weights = scaled_dot_product_attention(Q, K, V, onnx_mask(case.inputs))

    assert output.dtype == Q.dtype
    tolerance = 2e-3 if Q.dtype == np.float16 else 1e-6
    np.testing.assert_allclose(output, case.outputs["Y"], rtol=tolerance, atol=tolerance)
    if "qk_matmul_output" in case.outputs:  # which these cases ask for after the softmax
        np.testing.assert_allclose(weights, case.outputs["qk_matmul_output"], atol=tolerance)
