"""The Metropolis walk of the course, against the distribution that it has to keep."""

import numpy as np
from learning_reference.ring_walk import ring_walk


def test_the_weights_are_stationary() -> None:
    """One step from each place, over all moves and an even grid of uniforms, keeps the weights."""
    weights = np.array([1.0, 4.0, 2.5, 0.5, 2.0])
    uniforms = (np.arange(200) + 0.5) / 200
    after = np.zeros(5)
    for place in range(5):
        for move in (-1, 1):
            # Walks of one step each: the place that a single uniform leads to.
            ends = [ring_walk(np.log(weights), place, [move], [u])[0] for u in uniforms]
            after += weights[place] / 2 * np.bincount(ends, minlength=5) / 200
    np.testing.assert_allclose(after, weights, rtol=2e-2)


def test_a_long_walk_visits_in_proportion() -> None:
    """The share of visits in a long walk is near the share of each weight, however large they are."""
    rng = np.random.default_rng(5)
    log_weights = 9000.0 + np.log([1.0, 3.0, 2.0])
    walk = ring_walk(log_weights, 0, rng.choice([-1, 1], 20_000), rng.random(20_000))
    np.testing.assert_allclose(np.bincount(walk) / 20_000, [1 / 6, 1 / 2, 1 / 3], atol=0.02)


def test_a_rejected_move_repeats_the_place() -> None:
    """A move to a place of a thousandth of the weight is mostly rejected, and counts as a step."""
    assert ring_walk(np.log([1000.0, 1.0]), 0, [1, 1, 1], [0.5, 0.0005, 0.9]).tolist() == [0, 1, 0]
