"""Plans for the learning rate over a training."""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating


def warm_up_cosine(
    steps: ArrayLike, peak: float, warm_up: int, total: int, floor: float = 0.0
) -> FloatArray:
    """Raise the learning rate in a line, then lower it along half a wave of a cosine.

        rate = peak * t / warm_up                                              for t <= warm_up
        rate = floor + (peak - floor) (1 + cos(pi (t - warm_up) / (total - warm_up))) / 2   after it

    From step `total` on the rate stays at the floor.

    Args:
        steps: Numbers t of steps, from 1, of any shape.
        peak: The largest rate, that of step `warm_up`.
        warm_up: The number of steps of the warm-up, at least 1.
        total: The step at which the floor is reached, after the warm-up.
        floor: The last rate.

    Returns:
        Rates of the shape of `steps`, float64.

    Raises:
        TypeError: If `steps` does not hold real numbers.
        ValueError: If `warm_up` is below 1 or `total` not above it.

    Source:
        Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts" (2016),
        arXiv:1608.03983, equation 5, without restarts; the warm-up is from Goyal et al. (2017),
        arXiv:1706.02677, section 2.2.
    """
    if not 1 <= warm_up < total:
        raise ValueError(f"a plan needs 1 <= warm_up < total, got {warm_up} and {total}")
    t = as_floating(steps).astype(np.float64)  # (...)
    done = np.clip((t - warm_up) / (total - warm_up), 0.0, 1.0)  # (...)
    falling = floor + (peak - floor) * (1 + np.cos(np.pi * done)) / 2  # (...)
    return np.where(t < warm_up, peak * t / warm_up, falling)  # (...)
