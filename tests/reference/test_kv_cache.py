import numpy as np
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


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5))
def test_stretch_by_stretch_gives_causal_attention(stretches: list[int]) -> None:
    """The outputs are those of causal attention over the whole text, however it is cut."""
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


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 6))
def test_a_sliding_cache_gives_attention_with_a_window(stretches: list[int], window: int) -> None:
    """It does so however the text is cut, and keeps no more than the window."""
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
