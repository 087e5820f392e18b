import numpy as np
import pytest

from reference.alibi import alibi_bias, alibi_slopes


@pytest.mark.parametrize(
    ("heads", "slopes"),
    [
        (1, [2.0**-8]),
        (2, [2.0**-4, 2.0**-8]),
        (8, [0.5, 0.25, 0.125, 2.0**-4, 2.0**-5, 2.0**-6, 2.0**-7, 2.0**-8]),
        (3, [2.0**-4, 2.0**-8, 2.0**-2]),
        (6, [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8, 2.0**-1, 2.0**-3]),
    ],
)
def test_slopes_halve_from_head_to_head(heads: int, slopes: list[float]) -> None:
    """Powers of two form one geometric sequence; other numbers borrow from the next power."""
    np.testing.assert_allclose(alibi_slopes(heads), slopes, rtol=1e-15)


@pytest.mark.parametrize("heads", range(1, 41))
def test_every_head_has_a_slope_of_its_own(heads: int) -> None:
    """As many as heads, all different, between zero and one."""
    slopes = alibi_slopes(heads)

    assert slopes.shape == (heads,)
    assert len(np.unique(slopes)) == heads
    assert slopes.min() > 0
    assert slopes.max() < 1


def test_the_bias_falls_with_distance() -> None:
    """By the slope for each position, in both directions."""
    bias = alibi_bias(2, 3)

    distance = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    np.testing.assert_array_equal(bias, [-distance / 16, -distance / 256])


def test_queries_that_continue_a_text() -> None:
    """With a start, the rows are the last ones of the whole text's bias."""
    np.testing.assert_array_equal(alibi_bias(3, 2, start=5), alibi_bias(3, 7)[:, 5:])
