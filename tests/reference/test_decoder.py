import re
from typing import Any

import numpy as np
import pytest

from reference.arrays import FloatArray
from reference.decoder import DecoderBlockParameters, decoder, decoder_block, init_decoder_block
from reference.encoder import EncoderBlockParameters, encoder
from reference.feed_forward import FeedForwardParameters
from reference.multi_head import MultiHeadParameters
from reference.normalization import LayerNormParameters
from reference.parameters import count_parameters, map_arrays
from tests.reference.conftest import Recorded

HEADS, D_MODEL, D_FF = 2, 6, 11


def drawn_block(seed: int, dtype: type[np.floating[Any]] = np.float64) -> DecoderBlockParameters:
    """Draw a block in which no bias is zero and no gain one."""
    rng = np.random.default_rng(seed)
    block = init_decoder_block(rng, D_MODEL, HEADS, D_FF)
    return map_arrays(lambda array: (array + rng.normal(0, 0.5, array.shape)).astype(dtype), block)


def part(arrays: dict[str, FloatArray], name: str, kind: Any) -> Any:
    return kind(*(arrays[f"{name}_{field}"] for field in kind._fields))


def decoder_block_of(arrays: dict[str, FloatArray], prefix: str) -> DecoderBlockParameters:
    """Collect the parameters of a block that PyTorch computed with."""
    return DecoderBlockParameters(
        part(arrays, f"{prefix}self_attention", MultiHeadParameters),
        part(arrays, f"{prefix}norm_1", LayerNormParameters),
        part(arrays, f"{prefix}cross_attention", MultiHeadParameters),
        part(arrays, f"{prefix}norm_2", LayerNormParameters),
        part(arrays, f"{prefix}feed_forward", FeedForwardParameters),
        part(arrays, f"{prefix}norm_3", LayerNormParameters),
    )


def encoder_block_of(arrays: dict[str, FloatArray], prefix: str) -> EncoderBlockParameters:
    """Collect the parameters of a block that PyTorch computed with."""
    return EncoderBlockParameters(
        part(arrays, f"{prefix}attention", MultiHeadParameters),
        part(arrays, f"{prefix}norm_1", LayerNormParameters),
        part(arrays, f"{prefix}feed_forward", FeedForwardParameters),
        part(arrays, f"{prefix}norm_2", LayerNormParameters),
    )


@pytest.mark.parametrize(
    ("name", "norm_first", "layers"), [("transformer_post", False, 2), ("transformer_pre", True, 1)]
)
def test_stacks_agree_with_pytorch(
    recorded: Recorded, name: str, norm_first: bool, layers: int
) -> None:
    """Encoder and decoder of a transformer with padded sources are PyTorch's to 1e-10."""
    case = recorded("blocks", name)
    arrays = case.inputs
    padding = arrays["padding"][:, np.newaxis, np.newaxis, :]  # (batch, 1, 1, m)

    memory = encoder(
        arrays["source"],
        [encoder_block_of(arrays, f"encoder_{number}_") for number in range(layers)],
        HEADS,
        padding,
        norm_first=norm_first,
        final_norm=part(arrays, "encoder_norm", LayerNormParameters),
    )
    output = decoder(
        arrays["x"],
        memory,
        [decoder_block_of(arrays, f"decoder_{number}_") for number in range(layers)],
        HEADS,
        memory_mask=padding,
        norm_first=norm_first,
        final_norm=part(arrays, "decoder_norm", LayerNormParameters),
    )

    allowed = ~arrays["padding"]  # PyTorch may leave anything in padded positions
    np.testing.assert_allclose(memory[allowed], case.outputs["memory"][allowed], atol=1e-10)
    np.testing.assert_allclose(output, case.outputs["output"], atol=1e-10)


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
    """Whatever stands in a blocked position of the memory, the output stays."""
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


def test_what_does_not_fit_is_refused() -> None:
    """Errors name both shapes."""
    p = drawn_block(7)

    with pytest.raises(ValueError, match=re.escape("got x of shape (6,)")):
        decoder_block(np.ones(D_MODEL), np.ones((3, D_MODEL)), p, HEADS)
    with pytest.raises(ValueError, match=re.escape("x of shape (3, 5) and W of shape (6, 6)")):
        decoder_block(np.ones((2, D_MODEL)), np.ones((3, 5)), p, HEADS)
