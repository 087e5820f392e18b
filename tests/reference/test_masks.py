import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from reference.arrays import BoolArray
from reference.masks import (
    additive_from_boolean,
    apply_mask,
    boolean_from_additive,
    boolean_from_integer,
    causal_mask,
    fully_blocked,
    integer_from_boolean,
    padding_mask,
    sliding_window_mask,
)

INF = np.inf


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_blocked_becomes_minus_infinity(dtype: type[np.floating]) -> None:
    """True becomes -inf and False becomes 0, in the dtype asked for."""
    additive = additive_from_boolean([[True, False, True]], dtype=dtype)

    assert additive.dtype == dtype
    assert additive.tolist() == [[-INF, 0.0, -INF]]


def test_minus_infinity_becomes_blocked() -> None:
    """A -inf becomes True, and a zero of either sign False."""
    blocked = boolean_from_additive(np.array([[-INF, 0.0, -0.0]]))

    assert blocked.dtype == np.bool_
    assert blocked.tolist() == [[True, False, False]]


def test_a_boolean_mask_replaces_scores() -> None:
    """Blocked scores become -inf, whatever they were, and the others stay."""
    masked = apply_mask([[1.0, np.nan, -2.0]], [[False, True, False]])

    assert masked.tolist() == [[1.0, -INF, -2.0]]


def test_an_additive_mask_is_added() -> None:
    """Biases are added to the scores, and -inf blocks."""
    masked = apply_mask([[1.0, 7.0, -2.0]], [[0.5, -INF, 0.0]])

    assert masked.tolist() == [[1.5, -INF, -2.0]]


def test_a_mask_broadcasts_to_the_scores() -> None:
    """A mask without batch axes serves every batch; one of a row serves every query."""
    scores = np.arange(30.0).reshape(2, 3, 5)
    blocked = np.array([True, False, False, True, False])

    masked = apply_mask(scores, blocked)

    assert masked.shape == (2, 3, 5)
    assert np.isneginf(masked[..., blocked]).all()
    np.testing.assert_array_equal(masked[..., ~blocked], scores[..., ~blocked])


@pytest.mark.parametrize("mask", [np.zeros((2, 3), dtype=np.bool_), np.zeros((2, 3))])
def test_masking_gives_a_new_array(mask: BoolArray) -> None:
    """Scores and mask are only read, even by a mask that blocks nothing."""
    scores = np.ones((2, 3))
    scores.flags.writeable = False
    mask.flags.writeable = False

    masked = apply_mask(scores, mask)

    assert not np.shares_memory(masked, scores)
    assert not np.shares_memory(masked, mask)


@given(st.integers(0, 7), st.integers(0, 7), st.integers(-3, 9))
def test_the_offset_says_where_blocking_begins(queries: int, keys: int, k: int) -> None:
    """For any shape, a key is blocked from diagonal k on."""
    mask = causal_mask(queries, keys, k=k)

    assert mask.shape == (queries, keys)
    assert mask.tolist() == [[key >= query + k for key in range(keys)] for query in range(queries)]


@given(st.integers(0, 7), st.integers(1, 8), st.booleans())
def test_a_window_ends_before_and_after(length: int, window: int, causal: bool) -> None:
    """A key is seen if it is less than a window away, and not later where that is forbidden."""
    mask = sliding_window_mask(length, window, causal=causal)

    def seen(query: int, key: int) -> bool:
        return abs(query - key) < window and not (causal and key > query)

    assert mask.dtype == np.bool_
    assert mask.tolist() == [[not seen(q, k) for k in range(length)] for q in range(length)]


def test_padding_is_blocked_for_every_query() -> None:
    """Each sequence sees as many keys as it has; the axis of queries has length one."""
    mask = padding_mask([[1, 3], [0, 2]], keys=3)

    assert mask.shape == (2, 2, 1, 3)
    assert mask[:, :, 0].tolist() == [
        [[False, True, True], [False, False, False]],
        [[True, True, True], [False, False, True]],
    ]


@given(arrays(np.bool_, array_shapes(min_dims=1, max_dims=3, max_side=3)))
def test_a_query_without_keys_is_found_in_either_form(blocked: BoolArray) -> None:
    """A row is fully blocked if all of it is, written as booleans or as numbers."""
    expected = blocked.all(axis=-1)

    np.testing.assert_array_equal(fully_blocked(blocked), expected)
    np.testing.assert_array_equal(fully_blocked(additive_from_boolean(blocked)), expected)


@given(
    arrays(np.bool_, array_shapes(max_dims=3, max_side=5)),
    st.sampled_from([np.int8, np.int32, np.uint64]),
)
def test_integers_and_back_give_the_same_mask(blocked: BoolArray, dtype: type[np.integer]) -> None:
    """Boolean to integer gives ones where blocked, and back again the same mask."""
    integers = integer_from_boolean(blocked, dtype)

    assert integers.dtype == dtype
    assert integers.sum() == np.count_nonzero(blocked)
    np.testing.assert_array_equal(boolean_from_integer(integers), blocked)
