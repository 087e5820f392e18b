import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.positions import add_positions, sinusoidal_positions


@given(st.integers(0, 20), st.integers(0, 9), st.sampled_from([10.0, 10000.0]))
def test_every_entry_is_its_sine_or_cosine(length: int, d_model: int, base: float) -> None:
    """Even features are sines, odd ones cosines of the same angle, for odd d_model too."""
    table = sinusoidal_positions(length, d_model, base)

    assert table.shape == (length, d_model)
    for position in range(length):
        for feature in range(d_model):
            angle = position / base ** ((feature - feature % 2) / d_model)
            expected = math.cos(angle) if feature % 2 else math.sin(angle)
            assert table[position, feature] == pytest.approx(expected, abs=1e-12)


def test_float32_is_rounded_only_at_the_end() -> None:
    """Also far out the entries are the float64 ones, rounded."""
    table = sinusoidal_positions(5003, 6, dtype=np.float32)

    assert table.dtype == np.float32
    np.testing.assert_array_equal(table, sinusoidal_positions(5003, 6).astype(np.float32))


def test_each_position_gets_its_row() -> None:
    """The same for every batch, beginning where the sequence does."""
    x, P = np.zeros((2, 3, 5)), np.arange(35.0).reshape(7, 5)

    np.testing.assert_array_equal(add_positions(x, P), np.broadcast_to(P[:3], (2, 3, 5)))
    np.testing.assert_array_equal(add_positions(x, P, start=4)[1], P[4:])
