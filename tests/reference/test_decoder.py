from typing import Any

import numpy as np
import pytest

from reference.decoder import DecoderBlockParameters, decoder_block, init_decoder_block
from reference.parameters import count_parameters, map_arrays

HEADS, D_MODEL, D_FF = 2, 6, 11


def drawn_block(seed: int, dtype: type[np.floating[Any]] = np.float64) -> DecoderBlockParameters:
    """Draw a block in which no bias is zero and no gain one."""
    rng = np.random.default_rng(seed)
    block = init_decoder_block(rng, D_MODEL, HEADS, D_FF)
    return map_arrays(lambda array: (array + rng.normal(0, 0.5, array.shape)).astype(dtype), block)


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_future_does_not_reach_the_past(norm_first: bool) -> None:
    """Self-attention is causal unless told otherwise."""
    rng = np.random.default_rng(2)
    x, memory = rng.standard_normal((5, D_MODEL)), rng.standard_normal((7, D_MODEL))
    changed = x.copy()
    changed[3:] += 1
    p = drawn_block(3)

    one, other = (decoder_block(z, memory, p, HEADS, norm_first=norm_first) for z in (x, changed))
    free = np.zeros((5, 5), dtype=np.bool_)
    seen = decoder_block(changed, memory, p, HEADS, free, norm_first=norm_first)

    np.testing.assert_array_equal(one[:3], other[:3])
    assert not np.allclose(one[:3], seen[:3])


def test_a_blocked_memory_position_is_not_read() -> None:
    """The output is independent of values at blocked positions of the memory."""
    rng = np.random.default_rng(4)
    x, memory = rng.standard_normal((2, 3, D_MODEL)), rng.standard_normal((2, 5, D_MODEL))
    changed = memory.copy()
    changed[:, 4] = 9
    p, blocked = drawn_block(5), np.arange(5) == 4

    one, other = (decoder_block(x, m, p, HEADS, memory_mask=blocked) for m in (memory, changed))

    np.testing.assert_array_equal(one, other)
    assert not np.allclose(one, decoder_block(x, changed, p, HEADS))


def test_drawn_parameters_have_their_sizes() -> None:
    """Two attentions, a network and three norms."""
    block = init_decoder_block(np.random.default_rng(0), D_MODEL, HEADS, D_FF)

    d = D_MODEL
    assert count_parameters(block) == 8 * d * d + 2 * d * D_FF + D_FF + d + 6 * d
