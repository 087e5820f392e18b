import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference.arrays import FloatArray
from reference.decoding import (
    apply_temperature,
    choose_token,
    draw_from_nucleus,
    greedy,
    min_p_filter,
    next_token_probabilities,
    sample,
    top_k_filter,
    top_p_filter,
)
from reference.softmax import softmax

INF = math.inf
FLOATS: list[np.dtype[np.floating[Any]]] = [np.dtype(np.float32), np.dtype(np.float64)]
LOGITS = st.sampled_from(FLOATS).flatmap(
    lambda dtype: arrays(dtype, (2, 3, 7), elements=st.floats(-9, 9, width=16))
)


def test_greedy_takes_the_highest_score() -> None:
    """One token for each row, and the first of equal ones."""
    assert greedy([[1.0, 3.0, 2.0], [0.5, 0.5, -INF]]).tolist() == [1, 0]


def test_temperature_divides_the_logits() -> None:
    """Half the temperature squares the odds, twice of it takes their root."""
    logits = np.log([0.8, 0.2])

    np.testing.assert_allclose(softmax(apply_temperature(logits, 0.5)), [16 / 17, 1 / 17])
    np.testing.assert_allclose(softmax(apply_temperature(logits, 2.0)), [2 / 3, 1 / 3])


def test_top_k_keeps_exactly_k() -> None:
    """The first of several equal scores stay, so that ties do not let more through."""
    assert top_k_filter([1.0, 3.0, 2.0, 0.0], 2).tolist() == [-INF, 3.0, 2.0, -INF]
    assert top_k_filter([5.0, 5.0, 5.0], 2).tolist() == [5.0, 5.0, -INF]
    assert top_k_filter([1.0, 2.0], 9).tolist() == [1.0, 2.0]


def test_of_many_equal_tokens_the_first_stay() -> None:
    """Also where there are enough of them for a sort that is not stable to mix them."""
    logits = np.random.default_rng(3).integers(0, 3, 257).astype(np.float64)
    order = sorted(range(257), key=lambda v: -logits[v])  # Python's sort is stable
    stays = [v in order[:200] for v in range(257)]
    their_share = float(softmax(logits)[order[:200]].sum())

    assert np.isfinite(top_k_filter(logits, 200)).tolist() == stays
    assert np.isfinite(top_p_filter(logits, their_share - 1e-9)).tolist() == stays


@pytest.mark.parametrize(
    ("p", "stays"),
    [
        (0.01, [False, True, False, False]),
        (0.49, [False, True, False, False]),
        (0.51, [True, True, False, False]),
        (0.74, [True, True, False, False]),
        (0.76, [True, True, True, False]),
        (0.88, [True, True, True, True]),
        (1.0, [True, True, True, True]),
    ],
)
def test_top_p_keeps_the_smallest_nucleus(p: float, stays: list[bool]) -> None:
    """Of shares 1/2, 1/4, 1/8 and 1/8 those stay before which less than p was collected."""
    logits = np.log([0.25, 0.5, 0.125, 0.125])

    assert np.isfinite(top_p_filter(logits, p)).tolist() == stays


def test_what_reaches_p_exactly_is_enough() -> None:
    """Two of four equal tokens sum to a half, so that the third is not needed; the first win."""
    assert top_p_filter([7.0, 7.0, 7.0, 7.0], 0.5).tolist() == [7.0, 7.0, -INF, -INF]


@given(LOGITS, st.integers(1, 9))
def test_top_k_keeps_the_largest(logits: FloatArray, k: int) -> None:
    """In every row min(k, V) stay as they are, none of them below one that goes."""
    filtered = top_k_filter(logits, k)

    stays = np.isfinite(filtered)
    assert filtered.dtype == logits.dtype
    assert (stays.sum(axis=-1) == min(k, 7)).all()
    np.testing.assert_array_equal(filtered[stays], logits[stays])
    for row, kept in zip(logits.reshape(-1, 7), stays.reshape(-1, 7), strict=True):
        assert row[kept].min() >= row[~kept].max(initial=-INF)


@given(LOGITS, st.floats(0.01, 0.99))
def test_top_p_keeps_a_nucleus_that_no_token_can_leave(logits: FloatArray, p: float) -> None:
    """What stays has probability p or more, and less without its least probable token."""
    filtered = top_p_filter(logits, p)

    stays = np.isfinite(filtered)
    assert filtered.dtype == logits.dtype
    np.testing.assert_array_equal(filtered[stays], logits[stays])
    probabilities = softmax(logits.astype(np.float64))
    for row, kept in zip(probabilities.reshape(-1, 7), stays.reshape(-1, 7), strict=True):
        assert row[kept].sum() >= p - 1e-9
        assert row[kept].sum() - row[kept].min() < p + 1e-9
        assert row[kept].min() >= row[~kept].max(initial=0)


def test_the_order_is_temperature_then_k_then_p() -> None:
    """At T = 1/2 shares 4, 2, 1, 1 are 16, 4, 1, 1; two stay, of which 0.8 is enough."""
    logits = np.log([4.0, 2.0, 1.0, 1.0])

    both = next_token_probabilities(logits, temperature=0.5, top_k=2)
    one = next_token_probabilities(logits, temperature=0.5, top_k=2, top_p=0.8)

    np.testing.assert_allclose(both, [0.8, 0.2, 0, 0], atol=1e-15)
    np.testing.assert_allclose(
        next_token_probabilities(logits, temperature=0.5, top_k=2, top_p=0.79), [1, 0, 0, 0]
    )
    assert one[0] >= 0.8


def test_a_sample_is_where_the_running_sum_passes_the_number_drawn() -> None:
    """The same generator and shares give the token that a plain search gives."""
    probabilities = np.array([0.1, 0.2, 0.3, 0.4])
    numbers = np.random.default_rng(1).random(50)

    drawn = sample(np.broadcast_to(probabilities, (50, 4)), np.random.default_rng(1))

    sums = np.cumsum(probabilities)
    assert drawn.tolist() == np.searchsorted(sums, numbers * sums[-1], side="right").tolist()


def test_a_draw_of_exactly_zero_passes_over_what_has_no_share() -> None:
    """The running sum has to exceed the number drawn, which a share of zero cannot do."""

    class AlwaysZero(np.random.Generator):
        def random(self, size: Any = None, *_: Any, **__: Any) -> Any:
            return np.zeros(size)

    drawn = sample([[0.0, 0.5, 0.5], [0.2, 0.8, 0.0]], AlwaysZero(np.random.PCG64()))

    assert drawn.tolist() == [1, 0]


def test_weights_are_divided_by_their_sum() -> None:
    """Shares of 3 to 1 are drawn as 0.75 to 0.25."""
    weights = np.broadcast_to([3.0, 1.0], (50, 2))
    shares = np.broadcast_to([0.75, 0.25], (50, 2))

    one, other = (sample(values, np.random.default_rng(2)) for values in (weights, shares))

    assert one.tolist() == other.tolist()


def test_choosing_is_greedy_without_a_generator() -> None:
    """With one it samples from the filtered distribution."""
    logits = np.log([[0.6, 0.4], [0.1, 0.9]])

    assert choose_token(logits).tolist() == [0, 1]
    assert choose_token(logits, np.random.default_rng(0), top_k=1).tolist() == [0, 1]
    drawn = {
        tuple(choose_token(logits, np.random.default_rng(seed)).tolist()) for seed in range(50)
    }
    assert len(drawn) > 1


@given(LOGITS, st.floats(0.01, 1.0))
def test_min_p_keeps_what_has_a_share_of_the_best_probability(
    logits: FloatArray, share: float
) -> None:
    """As probabilities say, apart from rounding; the best stays, and the dtype."""
    filtered = min_p_filter(logits, share)
    p = softmax(logits.astype(np.float64))
    ratio = p / p.max(axis=-1, keepdims=True)

    stays = np.isfinite(filtered)
    assert filtered.dtype == logits.dtype
    assert np.all(stays[ratio > share * 1.0001])
    assert not np.any(stays[ratio < share * 0.9999])
    assert np.all(stays.any(axis=-1))
    assert np.array_equal(filtered[stays], logits[stays])


def test_draws_from_a_nucleus_are_as_frequent_as_their_probabilities() -> None:
    """Evenly spread numbers draw each token of the nucleus in proportion, and no other."""
    p = np.array([0.15, 0.5, 0.05, 0.3])
    u = (np.arange(800) + 0.5) / 800

    tokens = draw_from_nucleus(np.log(np.tile(p, (800, 1))), 0.7, u)

    assert np.bincount(tokens, minlength=4).tolist() == [0, 500, 0, 300]
    assert tokens[0] == 1  # the most probable comes first
