from typing import Any

import numpy as np

from reference.encoder import EncoderBlockParameters, encoder, encoder_block, init_encoder_block
from reference.encoder_backward import encoder_block_backward
from reference.masks import causal_mask
from reference.normalization import LayerNormParameters, init_layer_norm, layer_norm
from reference.parameters import count_parameters, map_arrays

HEADS, D_MODEL, D_FF = 2, 6, 11


def drawn_block(seed: int, dtype: type[np.floating[Any]] = np.float64) -> EncoderBlockParameters:
    """Draw a block in which no bias is zero and no gain one."""
    rng = np.random.default_rng(seed)
    block = init_encoder_block(rng, D_MODEL, HEADS, D_FF)
    return map_arrays(lambda array: (array + rng.normal(0, 0.5, array.shape)).astype(dtype), block)


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
