import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.attention import scaled_dot_product_attention
from reference.grouped_query import grouped_query_attention, multi_query_attention, repeat_heads
from reference.masks import causal_mask
from reference.multi_head import merge_heads, split_heads
from tests.reference.conftest import Recorded


def test_neighbours_share_a_head() -> None:
    """Each head is repeated in place, not the whole row of heads."""
    assert repeat_heads([[[7.0]], [[8.0]]], 3).ravel().tolist() == [7, 7, 7, 8, 8, 8]


@given(st.permutations([2, 3, 5, 7]), st.integers(1, 3), st.integers(1, 3), st.booleans())
def test_each_query_head_finds_its_own_group(
    sizes: list[int], groups: int, times: int, with_mask: bool
) -> None:
    """Query head i attends to head i // times, as if alone."""
    n, m, d_k, d_v = sizes
    rng = np.random.default_rng(0)
    Q = rng.standard_normal((groups * times, n, d_k))
    K, V = rng.standard_normal((groups, m, d_k)), rng.standard_normal((groups, m, d_v))
    mask = causal_mask(n, m) if with_mask else None

    output, weights = grouped_query_attention(Q, K, V, mask)

    for head in range(groups * times):
        alone = scaled_dot_product_attention(Q[head], K[head // times], V[head // times], mask)
        np.testing.assert_allclose(output[head], alone[0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(weights[head], alone[1], rtol=1e-10, atol=1e-12)


def test_multi_query_attention_has_one_group() -> None:
    """Keys and values without an axis of heads serve all heads."""
    rng = np.random.default_rng(0)
    Q = rng.standard_normal((2, 5, 3, 7))
    K, V = rng.standard_normal((2, 11, 7)), rng.standard_normal((2, 11, 13))

    output, weights = multi_query_attention(Q, K, V)

    expected = grouped_query_attention(Q, K[:, None], V[:, None])
    assert output.shape == (2, 5, 3, 13)
    np.testing.assert_allclose(output, expected[0], rtol=1e-12)
    np.testing.assert_allclose(weights, expected[1], rtol=1e-12)


@pytest.mark.parametrize("name", ["attention_grouped", "attention_multi_query"])
def test_outputs_are_those_of_pytorch(recorded: Recorded, name: str) -> None:
    """Six query heads to two heads of keys, and to one, as PyTorch computes it in float64."""
    case = recorded("attention", name)

    output, _ = grouped_query_attention(*(case.inputs[key] for key in "QKV"))

    np.testing.assert_allclose(output, case.outputs["output"], rtol=1e-10, atol=1e-10)


def test_groups_of_onnx(recorded: Recorded) -> None:
    """ONNX's cases with nine query heads and three of keys give its results, in float32."""
    case = recorded("attention", "onnx_attention_4d_gqa_causal")
    Q, K, V = (case.inputs[key] for key in "QKV")
    output, _ = grouped_query_attention(Q, K, V, causal_mask(Q.shape[-2], K.shape[-2]))
    np.testing.assert_allclose(output, case.outputs["Y"], rtol=1e-5, atol=1e-6)

    case = recorded("attention", "onnx_attention_3d_gqa")
    Q = split_heads(case.inputs["Q"], int(case.inputs["q_num_heads"]))
    K, V = (split_heads(case.inputs[key], int(case.inputs["kv_num_heads"])) for key in "KV")
    output, _ = grouped_query_attention(Q, K, V)
    np.testing.assert_allclose(merge_heads(output), case.outputs["Y"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "shapes",
    [
        ((6, 3, 7), (4, 5, 7), (4, 5, 2)),
        ((6, 3, 7), (2, 5, 7), (3, 5, 2)),
        ((3, 7), (2, 5, 7), (2, 5, 2)),
        ((6, 3, 7), (0, 5, 7), (0, 5, 2)),
    ],
)
def test_heads_that_do_not_divide_are_refused(shapes: tuple[tuple[int, ...], ...]) -> None:
    """The error names all three shapes."""
    message = f"Q of shape {shapes[0]}, K of shape {shapes[1]} and V of shape {shapes[2]}"
    with pytest.raises(ValueError, match=re.escape(message)):
        grouped_query_attention(*(np.ones(shape) for shape in shapes))


def test_missing_axes_are_refused() -> None:
    """Repeating needs an axis of heads, and multi-query attention one for the queries."""
    with pytest.raises(ValueError, match=r"got shape \(5, 7\) and 2 times"):
        repeat_heads(np.ones((5, 7)), 2)
    with pytest.raises(ValueError, match=r"Q of shape \(3, 7\), K of shape \(5, 7\)"):
        multi_query_attention(np.ones((3, 7)), np.ones((5, 7)), np.ones((5, 2)))
