import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference.arrays import BoolArray, FloatArray
from reference.attention import attention_weights, causal_attention, scaled_dot_product_attention
from reference.masks import additive_from_boolean, causal_mask

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
