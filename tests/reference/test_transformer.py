import math

import numpy as np
import pytest

from reference.decoder import decoder
from reference.encoder import encoder
from reference.parameters import count_parameters, map_arrays
from reference.positions import sinusoidal_positions
from reference.transformer import (
    TransformerParameters,
    embed_with_positions,
    init_transformer,
    transformer,
    translate,
)

HEADS, D_MODEL, SOURCES, TARGETS = 2, 6, 13, 11


@pytest.fixture(scope="module")
def parameters() -> TransformerParameters:
    """A transformer of two layers, in which attention has preferences."""
    rng = np.random.default_rng(0)
    drawn = init_transformer(
        rng,
        source_vocabulary=SOURCES,
        target_vocabulary=TARGETS,
        d_model=D_MODEL,
        heads=HEADS,
        layers=2,
        d_ff=7,
    )
    return map_arrays(lambda array: array + rng.normal(0, 0.5, array.shape), drawn)


def test_embeddings_are_enlarged_before_positions_are_added() -> None:
    """With d_model = 4 twice the embedding plus the position goes in."""
    E = np.arange(12.0).reshape(3, 4)

    x = embed_with_positions([2, 0], E)

    np.testing.assert_allclose(x, 2 * E[[2, 0]] + sinusoidal_positions(2, 4), rtol=1e-15)


def test_the_whole_is_its_parts(parameters: TransformerParameters) -> None:
    """Embed, encode, decode, and score every token of the target's vocabulary."""
    source, target = [[3, 1, 12, 0, 5]], [[0, 10, 4]]
    p = parameters

    memory = encoder(embed_with_positions(source, p.source_embedding), p.encoder_blocks, HEADS)
    x = embed_with_positions(target, p.target_embedding)
    expected = decoder(x, memory, p.decoder_blocks, HEADS) @ p.W_out + p.b_out

    logits = transformer(source, target, p, HEADS)
    assert logits.shape == (1, 3, TARGETS)
    np.testing.assert_allclose(logits, expected, rtol=1e-12)


def test_padding_changes_nothing(parameters: TransformerParameters) -> None:
    """A source padded and masked gives what it gives unpadded."""
    alone = transformer([3, 1, 12], [0, 10], parameters, HEADS)
    mask = np.array([False, False, False, True, True])

    padded = transformer([3, 1, 12, 0, 0], [0, 10], parameters, HEADS, mask)

    np.testing.assert_allclose(padded, alone, rtol=1e-12)


def test_translation_says_what_is_most_probable_each_time(
    parameters: TransformerParameters,
) -> None:
    """Every token said is the argmax of the scores given those before, for each text of a batch."""
    source = np.array([[3, 1, 12], [5, 5, 0]])

    said = translate(source, parameters, HEADS, start=0, count=5)

    assert said.shape == (2, 5)
    target = np.hstack([[[0], [0]], said])
    logits = transformer(source, target[:, :-1], parameters, HEADS)
    np.testing.assert_array_equal(said, logits.argmax(axis=-1))
    np.testing.assert_array_equal(said[1], translate(source[1], parameters, HEADS, 0, 5))
    assert translate(source, parameters, HEADS, 0, 0).shape == (2, 0)


def test_drawn_embeddings_match_the_positions() -> None:
    """Enlarged they have variance one; d_ff is four times d_model unless given."""
    drawn = init_transformer(
        np.random.default_rng(1),
        source_vocabulary=500,
        target_vocabulary=300,
        d_model=16,
        heads=4,
        layers=3,
    )

    assert math.sqrt(16) * drawn.source_embedding.std() == pytest.approx(1, rel=0.05)
    assert len(drawn.encoder_blocks) == len(drawn.decoder_blocks) == 3
    assert drawn.encoder_blocks[0].feed_forward.W1.shape == (16, 64)
    assert count_parameters(drawn.W_out) == 16 * 300
