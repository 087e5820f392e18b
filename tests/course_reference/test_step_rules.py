"""Momentum, Adam and a schedule, against PyTorch."""

import numpy as np
from learning_reference.step_rules import (
    Floats,
    adam_step,
    descend_with_momentum,
    warm_up_and_cosine,
)

from tests.course_reference.conftest import recorded

RECORD = recorded("step_rules")
START, STEEPNESS = np.array(RECORD["start"]), np.array(RECORD["steepness"])


def slope(w: Floats) -> Floats:
    return np.asarray(STEEPNESS * w)


def test_momentum_takes_the_way_of_pytorch() -> None:
    """Four steps down a bowl."""
    places = descend_with_momentum(slope, START, 0.2, 0.6, 4)
    np.testing.assert_allclose(places, RECORD["momentum"], rtol=1e-12)


def test_adam_takes_the_way_of_pytorch() -> None:
    """Four steps with the usual betas and epsilon."""
    w: Floats = START
    mean: Floats = np.zeros(3)
    square: Floats = np.zeros(3)
    for t in range(1, 5):
        w, mean, square = adam_step(w, slope(w), mean, square, t, rate=0.3)
        np.testing.assert_allclose(w, RECORD["adam"][t], rtol=1e-10)


def test_rates_are_those_of_pytorch_and_stay_at_the_floor() -> None:
    """A warm-up of four steps to 0.8, then half a wave down to 0.1 at step 12."""
    rates = warm_up_and_cosine(np.arange(13), 0.8, 4, 12, 0.1)
    np.testing.assert_allclose(rates, RECORD["rates"], rtol=1e-12)
    np.testing.assert_allclose(warm_up_and_cosine(np.array([13, 40]), 0.8, 4, 12, 0.1), 0.1)
