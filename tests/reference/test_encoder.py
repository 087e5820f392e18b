import re
from typing import Any

import numpy as np
import pytest

from reference.arrays import FloatArray
from reference.encoder import (
    EncoderBlockParameters,
    encoder,
    encoder_block,
    init_encoder_block,
)
from reference.encoder_backward import encoder_block_backward
from reference.feed_forward import FeedForwardParameters
from reference.masks import causal_mask
from reference.multi_head import MultiHeadParameters
from reference.normalization import LayerNormParameters, init_layer_norm, layer_norm
from reference.parameters import arrays_in, count_parameters, map_arrays
from tests.reference.conftest import Recorded

HEADS, D_MODEL, D_FF = 2, 6, 11


def drawn_block(seed: int, dtype: type[np.floating[Any]] = np.float64) -> EncoderBlockParameters:
    """Draw a block in which no bias is zero and no gain one."""
    rng = np.random.default_rng(seed)
    block = init_encoder_block(rng, D_MODEL, HEADS, D_FF)
    return map_arrays(lambda array: (array + rng.normal(0, 0.5, array.shape)).astype(dtype), block)


def block_of(arrays: dict[str, FloatArray], prefix: str = "") -> EncoderBlockParameters:
    """Collect the parameters of a block that PyTorch computed with."""

    def part(name: str, fields: tuple[str, ...]) -> list[FloatArray]:
        return [arrays[f"{prefix}{name}_{field}"] for field in fields]

    return EncoderBlockParameters(
        MultiHeadParameters(*part("attention", MultiHeadParameters._fields)),
        LayerNormParameters(*part("norm_1", LayerNormParameters._fields)),
        FeedForwardParameters(*part("feed_forward", FeedForwardParameters._fields)),
        LayerNormParameters(*part("norm_2", LayerNormParameters._fields)),
    )


@pytest.mark.parametrize(
    ("name", "norm_first", "activation"),
    [("encoder_post_relu", False, "relu"), ("encoder_pre_gelu", True, "gelu")],
)
def test_blocks_agree_with_pytorch(
    recorded: Recorded, name: str, norm_first: bool, activation: str
) -> None:
    """Output, gradient of the input and of every parameter are PyTorch's to 1e-10."""
    case = recorded("blocks", name)
    x, d_output, p = case.inputs["x"], case.inputs["d_output"], block_of(case.inputs)
    mask = causal_mask(5)

    y = encoder_block(x, p, HEADS, mask, norm_first=norm_first, activation=activation)
    d_x, d_parameters = encoder_block_backward(
        d_output, x, p, HEADS, mask, norm_first=norm_first, activation=activation
    )

    np.testing.assert_allclose(y, case.outputs["output"], atol=1e-10)
    np.testing.assert_allclose(d_x, case.outputs["d_x"], atol=1e-10)
    expected = block_of(case.outputs, "d_")
    for one, other in zip(arrays_in(d_parameters), arrays_in(expected), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-10)


def test_a_stack_applies_its_blocks_in_order() -> None:
    """Each block gets what the one before gives; a final norm comes last; no blocks, no change."""
    x = np.random.default_rng(11).standard_normal((5, D_MODEL))
    first, second = drawn_block(12), drawn_block(13)
    final = LayerNormParameters(np.full(D_MODEL, 2.0), np.full(D_MODEL, 0.5))

    stacked = encoder(x, [first, second], HEADS, causal_mask(5), norm_first=True)
    normed = encoder(x, [first, second], HEADS, causal_mask(5), norm_first=True, final_norm=final)

    between = encoder_block(x, first, HEADS, causal_mask(5), norm_first=True)
    expected = encoder_block(between, second, HEADS, causal_mask(5), norm_first=True)
    np.testing.assert_array_equal(stacked, expected)
    np.testing.assert_array_equal(normed, layer_norm(expected, *final))
    np.testing.assert_array_equal(encoder(x, [], HEADS), x)
    assert not np.shares_memory(encoder(x, [], HEADS), x)


def test_plain_tuples_are_parameters_too() -> None:
    """What lost its names on the way still works, in the same order."""
    p = drawn_block(17)
    plain = tuple(tuple(part) for part in p)
    x = np.random.default_rng(18).standard_normal((3, D_MODEL))

    found = encoder_block(x, plain, HEADS)  # type: ignore[arg-type]  # the point of the test
    back = encoder_block_backward(x, x, plain, HEADS)  # type: ignore[arg-type]  # as above

    np.testing.assert_array_equal(found, encoder_block(x, p, HEADS))
    np.testing.assert_array_equal(back.x, encoder_block_backward(x, x, p, HEADS).x)


def test_drawn_parameters_have_their_sizes() -> None:
    """Four d^2 for attention, 2 d d_ff + d_ff + d for the network, 4 d for the norms."""
    block = init_encoder_block(np.random.default_rng(0), D_MODEL, HEADS, D_FF)

    d = D_MODEL
    assert count_parameters(block) == 4 * d * d + 2 * d * D_FF + D_FF + d + 4 * d
    np.testing.assert_array_equal(block.norm_2.gain, init_layer_norm(d).gain)


def test_what_does_not_fit_is_refused() -> None:
    """Errors name both shapes, or what there is to choose from."""
    p = drawn_block(21)

    with pytest.raises(ValueError, match=re.escape("x of shape (3, 5) and W of shape (6, 6)")):
        encoder_block(np.ones((3, 5)), p, HEADS)
    with pytest.raises(ValueError, match=re.escape("mask of shape (2, 2) does not broadcast")):
        encoder_block(np.ones((3, D_MODEL)), p, HEADS, causal_mask(2))
    with pytest.raises(ValueError, match="an activation is one of"):
        encoder_block(np.ones((3, D_MODEL)), p, HEADS, activation="")
    with pytest.raises(ValueError, match=re.escape("d_output of shape (3,)")):
        encoder_block_backward(np.ones(3), np.ones((3, D_MODEL)), p, HEADS)
