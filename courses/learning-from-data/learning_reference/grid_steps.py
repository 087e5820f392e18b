"""Finite differences on a grid: slopes, and heat that flows along a rod."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray


def grid_slopes(y: ArrayLike, dx: float) -> NDArray[np.float64]:
    """Estimate slopes from values on an even grid.

    Inside: (y_(i+1) - y_(i-1)) / (2 dx). At each end: the difference to the neighbour, over dx.

    Args:
        y: Values of shape (n,), with n at least 2.
        dx: The distance of neighbours, above 0.

    Returns:
        Slopes of shape (n,).

    Source:
        LeVeque, "Finite Difference Methods for Ordinary and Partial Differential Equations" (2007),
        section 1.1.
    """
    values = np.asarray(y, dtype=np.float64)
    last = len(values) - 1
    slopes = np.empty(len(values))
    for i in range(len(values)):
        left, right = max(i - 1, 0), min(i + 1, last)
        slopes[i] = (values[right] - values[left]) / ((right - left) * dx)
    return slopes


def heat_steps(u: ArrayLike, r: float, steps: int) -> NDArray[np.float64]:
    """Let heat flow along a rod whose two ends are held at their temperatures.

        new u_i = u_i + r (u_(i-1) - 2 u_i + u_(i+1)), for all cells but the first and the last

    Args:
        u: Temperatures of shape (n,), with n at least 3.
        r: The share of the differences that flows in one step; stable up to 1/2.
        steps: The number of steps, at least 0.

    Returns:
        Temperatures of shape (n,).

    Source:
        LeVeque (2007), equation 9.5.
    """
    rod = np.array(u, dtype=np.float64)
    for _ in range(steps):
        before = rod.copy()
        for i in range(1, len(rod) - 1):
            rod[i] = before[i] + r * (before[i - 1] - 2.0 * before[i] + before[i + 1])
    return rod


def heat_until(u: ArrayLike, dx: float, kappa: float, t: float) -> NDArray[np.float64]:
    """Compute temperatures after a time, in as few equal and stable steps as possible.

    Args:
        u: Temperatures of shape (n,), with n at least 3.
        dx: The distance of neighbours.
        kappa: The diffusivity: how fast heat spreads, in units of dx squared over those of t.
        t: The time, above 0.

    Returns:
        Temperatures of shape (n,).

    Source:
        LeVeque (2007), section 9.4: the step is stable for kappa dt / dx^2 up to 1/2.
    """
    steps = math.ceil(2.0 * kappa * t / dx**2)
    return heat_steps(u, kappa * (t / steps) / dx**2, steps)
