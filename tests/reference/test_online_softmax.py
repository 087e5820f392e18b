import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference.arrays import FloatArray
from reference.online_softmax import blocks, merge_sums, online_softmax, running_sum
from reference.softmax import logsumexp, softmax

SCORES = arrays(
    st.sampled_from([np.float32, np.float64]),
    st.tuples(st.integers(1, 3), st.integers(0, 17)),
    elements=st.one_of(st.floats(-100, 100, width=32), st.just(-np.inf)),
)


@given(SCORES, st.integers(1, 20))
def test_blocks_of_any_size_give_softmax(scores: FloatArray, block: int) -> None:
    """Block by block the weights are those of softmax, also with -inf anywhere."""
    weights = online_softmax(scores, block=block)

    assert weights.dtype == scores.dtype
    np.testing.assert_allclose(
        weights, softmax(scores), rtol=1e-5 if scores.dtype == np.float32 else 1e-12
    )


@given(SCORES, st.integers(0, 17))
def test_two_halves_make_a_whole(scores: FloatArray, cut: int) -> None:
    """Merged in either order, the summaries of two parts are the summary of both."""
    parts = running_sum(scores[:, :cut]), running_sum(scores[:, cut:])
    whole = running_sum(scores)

    for merged in (merge_sums(*parts), merge_sums(*reversed(parts))):
        np.testing.assert_array_equal(merged.peak, whole.peak)
        np.testing.assert_allclose(merged.total, whole.total, rtol=1e-5)


def test_a_summary_holds_the_logsumexp() -> None:
    """Peak and logarithm of the total add up to it."""
    scores = np.random.default_rng(0).standard_normal((3, 5)) * 50

    peak, total = running_sum(scores)

    np.testing.assert_allclose(peak + np.log(total), logsumexp(scores), rtol=1e-14)


def test_blocks_cover_every_position_once() -> None:
    """The last block may be shorter, and nothing has no blocks."""
    assert list(blocks(7, 3)) == [slice(0, 3), slice(3, 6), slice(6, 7)]
    assert list(blocks(0, 3)) == []
