import re

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


def test_a_negative_length_is_refused() -> None:
    """The error names the length."""
    with pytest.raises(ValueError, match="at least 0, got -1"):
        causal_mask(-1)


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


@pytest.mark.parametrize("bias", [0.5, -1e9, INF, np.nan])
def test_a_bias_has_no_boolean_form(bias: float) -> None:
    """A number other than 0 and -inf raises an error that names it."""
    with pytest.raises(ValueError, match=re.escape(f"cannot express the bias {bias}")):
        boolean_from_additive(np.array([[0.0, bias, -INF]]))


def test_conversions_refuse_the_other_form() -> None:
    """Each conversion takes only its own form, and integers are neither."""
    with pytest.raises(TypeError, match="expected a boolean mask, got an array of dtype float64"):
        additive_from_boolean([0.0])
    with pytest.raises(TypeError, match="expected a boolean mask, got an array of dtype int64"):
        additive_from_boolean(np.array([1], dtype=np.int64))
    with pytest.raises(TypeError, match="expected a floating-point mask"):
        boolean_from_additive([True])


def test_an_additive_mask_needs_an_infinity() -> None:
    """An integer dtype is refused, since it cannot hold -inf."""
    with pytest.raises(TypeError, match="only a floating-point dtype has an infinity, got int32"):
        additive_from_boolean([True], dtype=np.int32)


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


@pytest.mark.parametrize("mask", [np.array([True, False, False]), np.array([-INF, 0.0, 0.5])])
def test_the_dtype_follows_the_scores(mask: BoolArray) -> None:
    """Neither form of mask widens float32 scores; integer scores become float64."""
    assert apply_mask(np.ones((2, 3), dtype=np.float32), mask).dtype == np.float32
    assert apply_mask(np.ones((2, 3), dtype=np.int64), mask).dtype == np.float64


@pytest.mark.parametrize("mask", [np.zeros((2, 3), dtype=np.bool_), np.zeros((2, 3))])
def test_masking_gives_a_new_array(mask: BoolArray) -> None:
    """Scores and mask are only read, even by a mask that blocks nothing."""
    scores = np.ones((2, 3))
    scores.flags.writeable = False
    mask.flags.writeable = False

    masked = apply_mask(scores, mask)

    assert not np.shares_memory(masked, scores)
    assert not np.shares_memory(masked, mask)


@pytest.mark.parametrize("shape", [(3, 5), (7, 2, 3), (4,)])
def test_a_mask_that_does_not_fit_is_refused(shape: tuple[int, ...]) -> None:
    """The error names the shapes of the mask and of the scores."""
    message = f"mask of shape {shape} does not broadcast to scores of shape (2, 3)"

    with pytest.raises(ValueError, match=re.escape(message)):
        apply_mask(np.ones((2, 3)), np.zeros(shape))


def test_an_integer_mask_is_refused() -> None:
    """A one could mean allowed or blocked, so nothing is guessed."""
    with pytest.raises(TypeError, match="boolean or floating-point, got an array of dtype int64"):
        apply_mask(np.ones((2, 3)), np.zeros((2, 3), dtype=np.int64))


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


def test_a_window_needs_a_position() -> None:
    """A window of 0 would block everything, so it is refused."""
    with pytest.raises(ValueError, match="a window of at least 1, got 0"):
        sliding_window_mask(3, 0)


def test_padding_is_blocked_for_every_query() -> None:
    """Each sequence sees as many keys as it has; the axis of queries has length one."""
    mask = padding_mask([[1, 3], [0, 2]], keys=3)

    assert mask.shape == (2, 2, 1, 3)
    assert mask[:, :, 0].tolist() == [
        [[False, True, True], [False, False, False]],
        [[True, True, True], [False, False, True]],
    ]


def test_impossible_lengths_are_refused() -> None:
    """A length lies between 0 and the padded one, and is an integer."""
    for length in (-1, 4):
        with pytest.raises(ValueError, match=f"between 0 and the padded length 3, got {length}"):
            padding_mask(length, keys=3)
    with pytest.raises(TypeError, match="lengths are integers, got an array of dtype float64"):
        padding_mask([1.0], keys=3)


@given(arrays(np.bool_, array_shapes(min_dims=1, max_dims=3, max_side=3)))
def test_a_query_without_keys_is_found_in_either_form(blocked: BoolArray) -> None:
    """A row is fully blocked if all of it is, written as booleans or as numbers."""
    expected = blocked.all(axis=-1)

    np.testing.assert_array_equal(fully_blocked(blocked), expected)
    np.testing.assert_array_equal(fully_blocked(additive_from_boolean(blocked)), expected)


def test_only_masks_can_be_fully_blocked() -> None:
    """Integers and arrays without axes are refused."""
    with pytest.raises(TypeError, match="boolean or floating-point, got an array of dtype int64"):
        fully_blocked(np.zeros((2, 3), dtype=np.int64))
    with pytest.raises(ValueError, match=r"needs an axis of keys, got shape \(\)"):
        fully_blocked(True)


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


def test_an_integer_mask_holds_zeros_and_ones() -> None:
    """Another number raises an error that names it, and another dtype one that names that."""
    with pytest.raises(ValueError, match=r"holds only 0 and 1 \(blocked\), got 2"):
        boolean_from_integer([0, 1, 2])
    with pytest.raises(TypeError, match="expected an integer mask, got an array of dtype bool"):
        boolean_from_integer([True])
    with pytest.raises(TypeError, match="expected a boolean mask, got an array of dtype int64"):
        integer_from_boolean(np.array([1], dtype=np.int64))
    with pytest.raises(TypeError, match="expected an integer dtype, got float64"):
        integer_from_boolean([True], np.float64)
