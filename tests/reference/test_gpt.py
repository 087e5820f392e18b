import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.arrays import IntArray
from reference.gpt import (
    GPTParameters,
    generate,
    generate_with_cache,
    gpt,
    gpt_gradients,
    gpt_training_step,
    gpt_with_cache,
    init_gpt,
)
from reference.parameters import arrays_in, count_parameters, map_arrays

HEADS, VOCABULARY, CONTEXT = 2, 13, 7


def drawn_gpt(seed: int = 0, **sizes: int) -> GPTParameters:
    """Draw a GPT in which no bias is zero, no gain one, and no two tokens are alike."""
    rng = np.random.default_rng(seed)
    chosen = {"vocabulary": VOCABULARY, "context": CONTEXT, "d_model": 6, "layers": 2, "d_ff": 5}
    parameters = init_gpt(rng, heads=HEADS, **(chosen | sizes))
    return map_arrays(lambda array: array + rng.normal(0, 0.5, array.shape), parameters)


@given(
    st.integers(1, CONTEXT),
    st.data(),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([(), (3,), (2, 3)]),
)
def test_reading_in_stretches_gives_the_same_logits(
    length: int, data: st.DataObject, dtype: type[np.floating[Any]], batch: tuple[int, ...]
) -> None:
    """The cache makes up for the earlier text, however the text is cut."""
    parameters = map_arrays(lambda array: array.astype(dtype), drawn_gpt(3))
    tokens = np.random.default_rng(4).integers(0, VOCABULARY, (*batch, length))
    cut = data.draw(st.integers(0, length - 1))

    whole = gpt(tokens, parameters, HEADS)
    caches = None
    parts = []
    for part in (tokens[..., :cut], tokens[..., cut:]):
        if part.shape[-1]:
            logits, caches = gpt_with_cache(part, parameters, HEADS, caches)
            parts.append(logits)

    assert whole.dtype == parts[0].dtype == dtype
    assert whole.shape == (*batch, length, VOCABULARY)
    np.testing.assert_allclose(np.concatenate(parts, axis=-2), whole, rtol=1e-3, atol=1e-4)


@given(
    st.integers(0, 5),
    st.integers(1, 3),
    st.sampled_from([{}, {"temperature": 0.7}, {"top_k": 3}, {"top_p": 0.8}]),
    st.booleans(),
)
def test_generation_with_a_cache_gives_the_same_tokens(
    seed: int, length: int, options: dict[str, Any], sampled: bool
) -> None:
    """Greedily and with every kind of sampling, token for token."""
    parameters = drawn_gpt(seed)
    prompt = np.random.default_rng(seed).integers(0, VOCABULARY, (2, length))

    def run(function: Callable[..., IntArray]) -> IntArray:
        rng = np.random.default_rng(seed) if sampled else None
        return function(prompt, parameters, HEADS, CONTEXT + 1 - length, rng=rng, **options)

    slow, fast = run(generate), run(generate_with_cache)

    assert slow.shape == (2, CONTEXT + 1)
    np.testing.assert_array_equal(slow, fast)
    np.testing.assert_array_equal(slow[:, :length], prompt)


def test_sampling_follows_its_generator() -> None:
    """The same seed writes the same, another seed something else."""
    parameters = drawn_gpt(6)
    texts = [
        generate(
            [1], parameters, HEADS, 7, rng=np.random.default_rng(seed), temperature=5.0
        ).tolist()
        for seed in (0, 0, 1)
    ]

    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


def test_a_tiny_gpt_learns_a_tiny_text() -> None:
    """Trained on a pattern, it continues the pattern."""
    parameters = init_gpt(
        np.random.default_rng(7), vocabulary=3, context=6, d_model=8, heads=2, layers=1
    )
    tokens = np.array([[0, 1, 1, 2, 0, 1, 1], [1, 1, 2, 0, 1, 1, 2], [1, 2, 0, 1, 1, 2, 0]])
    losses = []
    for _ in range(150):
        parameters, loss = gpt_training_step(tokens, parameters, HEADS, learning_rate=0.5)
        losses.append(float(loss))

    assert losses[0] == pytest.approx(np.log(3), rel=0.05)
    assert losses[-1] < 0.3
    assert generate([0, 1, 1], parameters, HEADS, 4).tolist() == [0, 1, 1, 2, 0, 1, 1]


def test_a_step_is_a_step_of_gradient_descent() -> None:
    """Every parameter moves against its gradient, and the given ones stay."""
    parameters = drawn_gpt(8)
    for array in arrays_in(parameters):
        array.flags.writeable = False
    tokens = [3, 1, 4, 1, 5]

    moved, loss = gpt_training_step(tokens, parameters, HEADS, 0.1)

    expected_loss, gradients = gpt_gradients(tokens, parameters, HEADS)
    assert loss == expected_loss
    trees = (arrays_in(tree) for tree in (moved, parameters, gradients))
    for new, old, gradient in zip(*trees, strict=True):
        np.testing.assert_allclose(new, old - 0.1 * gradient, rtol=1e-14)


def test_plain_tuples_are_parameters_too() -> None:
    """What lost its names on the way still reads, learns and writes."""

    def plain(tree: Any) -> Any:
        return tuple(plain(branch) for branch in tree) if isinstance(tree, tuple) else tree

    named, bare = drawn_gpt(9), plain(drawn_gpt(9))
    text = np.array([3, 1, 4])

    np.testing.assert_array_equal(gpt(text, bare, HEADS), gpt(text, named, HEADS))
    np.testing.assert_array_equal(
        generate_with_cache(text, bare, HEADS, 3), generate(text, named, HEADS, 3)
    )
    for one, other in zip(
        arrays_in(gpt_gradients(text, bare, HEADS)),
        arrays_in(gpt_gradients(text, named, HEADS)),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    moved, _ = gpt_training_step(text, bare, HEADS, 0.1)
    assert len(moved) == 4


def test_drawn_parameters_have_their_sizes() -> None:
    """(V + context) d for the embeddings, 12 d^2 + 9 d a block, 2 d at the end."""
    d, layers = 10, 3
    parameters = init_gpt(
        np.random.default_rng(0), vocabulary=17, context=8, d_model=d, heads=5, layers=layers
    )

    blocks = layers * (12 * d * d + 9 * d)
    assert count_parameters(parameters) == (17 + 8) * d + blocks + 2 * d


@pytest.mark.parametrize("function", [generate, generate_with_cache])
def test_a_text_has_to_fit_into_the_context(function: Callable[..., IntArray]) -> None:
    """The last token needs no position, an empty prompt has no next one, and count 0 copies."""
    parameters = drawn_gpt()
    prompt = np.zeros((2, 3), dtype=np.int64)

    assert function(prompt, parameters, HEADS, 5).shape == (2, 8)
    with pytest.raises(
        ValueError,
        match=re.escape(
            "6 more have to fit into 7 positions and one token after them, got a prompt of shape (2, 3)"
        ),
    ):
        function(prompt, parameters, HEADS, 6)
    with pytest.raises(ValueError, match=re.escape("got a prompt of shape (2, 0)")):
        function(prompt[:, :0], parameters, HEADS, 1)
    with pytest.raises(TypeError, match="got an array of dtype float64"):
        function([0.5], parameters, HEADS, 1)
    assert not np.shares_memory(function(prompt, parameters, HEADS, 0), prompt)
