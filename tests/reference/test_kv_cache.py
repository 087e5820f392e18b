import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.attention import causal_attention, scaled_dot_product_attention
from reference.kv_cache import (
    KeyValueCache,
    append_to_cache,
    attention_with_cache,
    attention_with_sliding_cache,
)
from reference.masks import sliding_window_mask
from tests.reference.conftest import Recorded


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5))
def test_stretch_by_stretch_gives_causal_attention(stretches: list[int]) -> None:
    """However a text is cut, the outputs are those of causal attention over the whole."""
    rng, length = np.random.default_rng(0), sum(stretches)
    Q, K, V = (rng.standard_normal((2, length, d)) for d in (7, 7, 11))
    cache: KeyValueCache | None = None
    outputs, start = [], 0

    for n in stretches:
        part = np.s_[:, start : start + n]
        output, weights, cache = attention_with_cache(Q[part], K[part], V[part], cache)
        outputs.append(output)
        start += n
        assert weights.shape == (2, n, start)

    assert cache is not None
    np.testing.assert_array_equal(cache.keys, K)
    np.testing.assert_array_equal(cache.values, V)
    expected, _ = causal_attention(Q, K, V)
    np.testing.assert_allclose(np.concatenate(outputs, axis=1), expected, rtol=1e-10, atol=1e-12)


def test_a_cache_stays_as_it_is() -> None:
    """Appending makes a new cache, so two continuations of one text do not meet."""
    cache = append_to_cache(None, np.zeros((2, 3)), np.zeros((2, 5)))

    one = append_to_cache(cache, np.ones((1, 3)), np.ones((1, 5)))
    other = append_to_cache(cache, 2 * np.ones((1, 3)), 2 * np.ones((1, 5)))

    assert cache.keys.shape == (2, 3)
    assert one.keys[-1].tolist() == [1, 1, 1]
    assert other.values[-1].tolist() == [2, 2, 2, 2, 2]


def test_past_and_present_of_onnx(recorded: Recorded) -> None:
    """ONNX's case gives its output, keys and values, in float32."""
    case = recorded("attention", "onnx_attention_4d_causal_with_past_and_present")
    Q, K, V, past_key, past_value = (
        case.inputs[key] for key in ("Q", "K", "V", "past_key", "past_value")
    )

    output, _, cache = attention_with_cache(Q, K, V, (past_key, past_value))

    np.testing.assert_allclose(output, case.outputs["Y"], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(cache.keys, case.outputs["present_key"])
    np.testing.assert_array_equal(cache.values, case.outputs["present_value"])


@pytest.mark.parametrize(
    ("shapes", "named"),
    [
        ([(2, 3), (5, 3), (5, 7)], ("Q of shape (2, 3)", "K of shape (5, 3)")),
        ([(2, 3), (2, 3), (5, 7)], ("K of shape (2, 3)", "V of shape (5, 7)")),
        ([(2, 3), (2, 3), (2,)], ("K of shape (2, 3)", "V of shape (2,)")),
        ([(2, 5), (2, 5), (2, 7)], ("keys", "(11, 3) and (2, 5)")),
        ([(2, 3), (2, 3), (2, 5)], ("values", "(11, 7) and (2, 5)")),
        (
            [(2, 2, 3), (2, 2, 3), (2, 2, 7)],
            ("cached keys of shape (5, 11, 3)", "new keys of shape (2, 2, 3)"),
        ),
    ],
)
def test_shapes_that_do_not_go_together_are_both_named(
    shapes: list[tuple[int, ...]], named: tuple[str, str]
) -> None:
    """Among the new positions, and between them and those of the cache."""
    batch = (5,) if len(shapes[0]) > 2 else ()
    cache = KeyValueCache(np.ones((*batch, 11, 3)), np.ones((*batch, 11, 7)))
    Q, K, V = (np.ones(shape) for shape in shapes)

    with pytest.raises(ValueError, match=f"{re.escape(named[0])}.*{re.escape(named[1])}"):
        attention_with_cache(Q, K, V, cache)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 6))
def test_a_sliding_cache_gives_attention_with_a_window(stretches: list[int], window: int) -> None:
    """However a text is cut; and no more than the window is kept."""
    rng, length = np.random.default_rng(0), sum(stretches)
    Q, K, V = (rng.standard_normal((2, length, d)) for d in (7, 7, 11))
    cache: KeyValueCache | None = None
    outputs, start = [], 0

    for n in stretches:
        part = np.s_[:, start : start + n]
        output, _, cache = attention_with_sliding_cache(Q[part], K[part], V[part], window, cache)
        outputs.append(output)
        start += n
        assert cache.keys.shape == (2, min(start, window), 7)

    expected, _ = scaled_dot_product_attention(Q, K, V, sliding_window_mask(length, window))
    np.testing.assert_allclose(np.concatenate(outputs, axis=1), expected, rtol=1e-10, atol=1e-12)
