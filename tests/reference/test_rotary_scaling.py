import math

import numpy as np
import pytest

from reference.rotary import rotary_angles
from reference.rotary_scaling import interpolated_positions, stretched_frequencies


def test_interpolated_positions_end_where_those_of_the_training_ended() -> None:
    """Twice the length, half the steps."""
    assert interpolated_positions([0, 1, 100], 2).tolist() == [0.0, 0.5, 50.0]


def test_fast_pairs_stay_and_slow_pairs_are_slowed_down_in_full() -> None:
    """Pair by pair as the paper defines it, in a loop, with a ramp between."""
    d, factor, trained, slow, fast = 16, 8.0, 256, 1.0, 12.0
    kinds = set()
    for k, frequency in enumerate(stretched_frequencies(d, factor, trained, 10000.0, slow, fast)):
        wavelength = 2 * math.pi * 10000 ** (2 * k / d)  # positions for a full turn
        turns = trained / wavelength
        if turns < slow:
            share, kind = 0.0, "slow"
        elif turns > fast:
            share, kind = 1.0, "fast"
        else:
            share, kind = (turns - slow) / (fast - slow), "between"
        old = rotary_angles(1, d)[k]
        assert frequency == pytest.approx((1 - share) * old / factor + share * old, rel=1e-12)
        kinds.add(kind)
    assert kinds == {"slow", "fast", "between"}


def test_a_text_of_the_same_length_changes_nothing() -> None:
    """With a factor of 1 the frequencies are those of rotary positions, with any base."""
    frequencies = stretched_frequencies(8, 1.0, 100, base=500.0)

    np.testing.assert_allclose(frequencies, rotary_angles(1, 8, 500.0), rtol=1e-15)
