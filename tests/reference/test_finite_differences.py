"""Gradients that the package derives, against the slopes that finite differences measure."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.attention import scaled_dot_product_attention
from reference.attention_backward import attention_backward
from reference.bigram import bigram_gradient, bigram_loss
from reference.gradients import numerical_gradient
from reference.linear import linear, linear_backward
from reference.masks import causal_mask
from reference.multi_head import multi_head_attention
from reference.multi_head_backward import multi_head_attention_backward
from reference.positions import add_positions, add_positions_backward
from reference.projections import project_qkv, project_qkv_backward
from reference.rotary import rotate_half_split, rotate_interleaved
from reference.softmax import softmax, softmax_backward

Array: TypeAlias = NDArray[Any]
# The output for some inputs; their gradients for that of the output; and the shapes of the inputs.
Case: TypeAlias = tuple[Callable[..., Any], Callable[..., Sequence[Any]], tuple[Any, ...]]

BIAS = np.random.default_rng(1).standard_normal((3, 5))
BLOCKED = np.array([[False, True, False, False, True]] * 2 + [[True] * 5])  # the last sees nothing
MASKS = {"unmasked": None, "causal": causal_mask(3, 5), "blocked": BLOCKED, "biased": BIAS}
SHARED = {  # what is shared by a batch collects its gradients
    "batches": ((2, 3, 7), (2, 5, 7), (2, 5, 11)),
    "shared keys and values": ((2, 3, 7), (5, 7), (5, 11)),
    "shared queries and keys": ((3, 7), (5, 7), (2, 5, 11)),
    "shared queries": ((3, 7), (2, 5, 7), (1, 5, 11)),
}


def attention(mask: Array | None, shapes: tuple[Any, ...]) -> Case:
    return (
        lambda Q, K, V: scaled_dot_product_attention(Q, K, V, mask)[0],
        lambda d, Q, K, V: attention_backward(d, Q, K, V, mask),
        shapes,
    )


def multi_head(mask: Array | None, d_memory: int = 7, *memory: tuple[int, ...]) -> Case:
    """Two heads, with d_k = 3 and d_v = 5; the memory comes last, if there is one."""

    def forward(x: Array, q: Array, k: Array, v: Array, o: Array, memory: Any = None) -> Array:
        return multi_head_attention(x, q, k, v, o, 2, mask, memory)[0]

    def backward(d: Array, *inputs: Array) -> Sequence[Any]:
        x, q, k, v, o = inputs[:5]
        gradients = multi_head_attention_backward(d, x, q, k, v, o, 2, mask, *inputs[5:])
        assert (gradients.memory is None) == (not memory)
        return [gradients._asdict()[name] for name in ("x", "W_Q", "W_K", "W_V", "W_O", "memory")]

    return forward, backward, ((2, 3, 7), (7, 6), (d_memory, 6), (d_memory, 10), (10, 11), *memory)


def softmax_along(axis: int) -> Case:
    return (
        lambda x: softmax(x, axis),
        lambda d, x: [softmax_backward(d, softmax(x, axis), axis)],
        ((2, 3, 5),),
    )


def positions_from(start: int) -> Case:
    """Rows that were used collect the batch, the others get zeros."""
    return (
        lambda P: add_positions(np.ones((2, 3, 5)), P, start),
        lambda d, P: [add_positions_backward(d, len(P), start)],
        ((7, 5),),
    )


def bigram(shape: tuple[int, ...]) -> Case:
    tokens = np.random.default_rng(9).integers(0, 5, shape)
    return (
        lambda W: bigram_loss(W, tokens),
        lambda d, W: [d * bigram_gradient(W, tokens)],
        ((5, 5),),
    )


def projections_backward(d: Any, *inputs: Any) -> Sequence[Any]:
    d_Q, d_K, d_V = np.split(d, [7, 14], axis=-1)
    return project_qkv_backward((d_Q, d_K, d_V), *inputs)


CASES: dict[str, Case] = {
    **{
        f"attention, {mask}, {kind}": attention(MASKS[mask], SHARED[kind])
        for mask in MASKS
        for kind in SHARED
    },
    "multi-head": multi_head(None),
    "multi-head, causal": multi_head(causal_mask(3)),
    "multi-head, memory": multi_head(None, 5, (2, 5, 5)),
    "multi-head, memory, causal": multi_head(causal_mask(3, 5), 5, (2, 5, 5)),
    "projections": (
        lambda *inputs: np.concatenate(project_qkv(*inputs), axis=-1),
        projections_backward,
        ((2, 3, 5), (5, 7), (5, 7), (5, 11)),
    ),
    **{
        f"linear, {batch}": (
            linear,
            lambda d, x, W, _: linear_backward(d, x, W),
            ((*batch, 5), (5, 7), (7,)),
        )
        for batch in ((), (3,), (2, 3))
    },
    **{f"softmax, axis {axis}": softmax_along(axis) for axis in (0, 1, -1)},
    **{f"positions from {start}": positions_from(start) for start in (0, 2)},
    **{f"bigram, {shape}": bigram(shape) for shape in ((7,), (2, 7), (2, 3, 5))},
    **{
        rotate.__name__: (rotate, lambda d, _, r=rotate: [r(d, -np.arange(5))], ((5, 14),))
        for rotate in (rotate_interleaved, rotate_half_split)
    },
}


@pytest.mark.parametrize(("forward", "backward", "shapes"), CASES.values(), ids=CASES.keys())
def test_gradients_are_the_slopes_of_the_output(
    forward: Callable[..., Any],
    backward: Callable[..., Sequence[Any]],
    shapes: tuple[tuple[int, ...], ...],
) -> None:
    """Of sum(output * d_output), for each entry of each input, in the input's shape."""
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(shape) for shape in shapes]
    d_output = rng.standard_normal(np.shape(forward(*inputs)))

    gradients = backward(d_output, *inputs)

    for place, array in enumerate(inputs):

        def loss(moved: Array, place: int = place) -> float:
            output = forward(*inputs[:place], moved, *inputs[place + 1 :])
            return float(np.sum(output * d_output))

        assert gradients[place].shape == array.shape
        numerical = numerical_gradient(loss, array)
        np.testing.assert_allclose(gradients[place], numerical, rtol=1e-6, atol=1e-7)
