"""The Metropolis algorithm on a ring of places."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray


def ring_walk(
    log_weights: ArrayLike, start: int, moves: ArrayLike, uniforms: ArrayLike
) -> NDArray[np.int64]:
    """Walk so that each place is visited in proportion to its weight.

    A move from place i to place j is accepted if u < w_j / w_i. Otherwise the walk stays, and that
    counts as a step too.

    Args:
        log_weights: Logarithms of the weights, of shape (K,).
        start: The first place, from 0 to K - 1; it is not part of the result.
        moves: The proposed moves, -1 or 1, of shape (n,). Place 0 and place K - 1 are neighbours.
        uniforms: Random numbers from 0 to below 1, of shape (n,), one for each move.

    Returns:
        The place after each step, of shape (n,).

    Source:
        Metropolis and others, "Equation of State Calculations by Fast Computing Machines" (1953).
    """
    logs = [float(number) for number in np.asarray(log_weights)]
    place = start
    places = []
    for move, uniform in zip(np.asarray(moves), np.asarray(uniforms), strict=True):
        proposed = (place + int(move)) % len(logs)
        gain = logs[proposed] - logs[place]
        if gain >= 0.0 or float(uniform) < math.exp(gain):
            place = proposed
        places.append(place)
    return np.array(places, dtype=np.int64)
