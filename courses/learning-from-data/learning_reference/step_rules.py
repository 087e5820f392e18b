"""Rules for a step downhill: momentum, Adam, and a schedule of learning rates."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def descend_with_momentum(
    slope: Callable[[Floats], Floats], start: Floats, rate: float, momentum: float, steps: int
) -> Floats:
    """Go downhill with a velocity that begins at 0.

        v = momentum * v + slope(w),    w = w - rate * v

    Args:
        slope: Gives the gradient at a place.
        start: The first place, of shape (d,).
        rate: The learning rate.
        momentum: How much of the velocity stays, from 0 up to 1.
        steps: How many steps to take.

    Returns:
        All places, the first one included, of shape (steps + 1, d).

    Source:
        Sutskever, Martens, Dahl and Hinton (2013), "On the importance of initialization and
        momentum in deep learning", section 2; the rate multiplies the velocity, as in PyTorch.
    """
    places = [np.array(start, dtype=float)]
    velocity = np.zeros_like(places[0])
    for _ in range(steps):
        velocity = momentum * velocity + slope(places[-1])
        places.append(places[-1] - rate * velocity)
    return np.array(places)


def adam_step(
    w: Floats,
    gradient: Floats,
    mean: Floats,
    square: Floats,
    t: int,
    rate: float = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
) -> tuple[Floats, Floats, Floats]:
    """Take one step of Adam.

        m = beta1 m + (1 - beta1) g,    s = beta2 s + (1 - beta2) g^2
        w = w - rate (m / (1 - beta1^t)) / (sqrt(s / (1 - beta2^t)) + eps)

    Args:
        w: Parameters of any shape.
        gradient: Of the same shape.
        mean: The running mean of the gradients, of the same shape.
        square: The running mean of their squares, of the same shape.
        t: The number of this step, from 1.
        rate: The learning rate.
        beta1: How much of the mean stays.
        beta2: How much of the mean square stays.
        eps: Keeps the division finite.

    Returns:
        The new parameters, mean and mean square.

    Source:
        Kingma and Ba (2014), arXiv:1412.6980, algorithm 1.
    """
    mean = beta1 * mean + (1 - beta1) * gradient
    square = beta2 * square + (1 - beta2) * gradient**2
    fair_mean = mean / (1 - beta1**t)
    fair_square = square / (1 - beta2**t)
    return w - rate * fair_mean / (np.sqrt(fair_square) + eps), mean, square


def warm_up_and_cosine(
    steps: NDArray[np.integer], peak: float, warm_up: int, total: int, floor: float = 0.0
) -> Floats:
    """Return the learning rate at each step: a rise in a line, then half a wave of a cosine down.

        peak (step + 1) / warm_up                                      before warm_up
        floor + (peak - floor) (1 + cos(pi progress)) / 2              from there on,
        progress = (step - warm_up) / (total - warm_up), at most 1

    Args:
        steps: Numbers of steps from 0, of any shape.
        peak: The largest rate.
        warm_up: How many steps the rise takes, at least 1.
        total: The step at which the floor is reached, above warm_up.
        floor: The smallest rate after the rise.

    Returns:
        Floats of the shape of steps.

    Source:
        Loshchilov and Hutter (2016), arXiv:1608.03983, equation 5, without restarts.
    """
    progress = np.clip((steps - warm_up) / (total - warm_up), 0, 1)
    falling = floor + (peak - floor) * (1 + np.cos(np.pi * progress)) / 2
    return np.where(steps < warm_up, peak * (steps + 1) / warm_up, falling)
