"""Gradients by finite differences: slow, approximate, and independent of any calculus.

Every analytic gradient in this package is checked against these.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.shapes import require_same_shape


def numerical_gradient(
    f: Callable[[FloatArray], ArrayLike], x: ArrayLike, eps: float = 1e-6
) -> FloatArray:
    """Estimate the gradient of a scalar function by central differences.

        gradient_i = (f(x + eps e_i) - f(x - eps e_i)) / (2 eps)

    The error falls with eps squared until rounding takes over, so eps near the cube root of the
    machine epsilon is best: 6e-6 for float64. The points are float64 whatever the dtype of `x`,
    because float32 cannot tell x + 1e-6 from x.

    Args:
        f: Takes a float64 array of the shape of `x` and returns one number. It is called twice for
            each entry of `x`, each time with an array of its own.
        x: Where to differentiate, of any shape.
        eps: The step, positive.

    Returns:
        The gradient, with the shape and the dtype of `x` (float64 for integers).

    Raises:
        TypeError: If `x` or what `f` returns does not hold real numbers.
        ValueError: If `eps` is not positive, or `f` returns more than one number; names the shapes.

    Source:
        Press et al., "Numerical Recipes" (3rd edition, 2007), equation 5.7.7.
    """
    if not eps > 0:
        raise ValueError(f"a step has to be positive, got eps = {eps}")
    point = as_floating(x)  # (...)
    gradient = np.empty(point.shape, dtype=point.dtype)  # (...)
    for index in np.ndindex(point.shape):
        above = _scalar(f, _moved(point, index, eps))
        below = _scalar(f, _moved(point, index, -eps))
        gradient[index] = (above - below) / (2 * eps)
    return gradient


def relative_error(analytic: ArrayLike, numerical: ArrayLike) -> float:
    """Return the distance of two gradients, as one number to compare with a tolerance.

        error = max_i |a_i - b_i| / max(1, max_i |a_i|, max_i |b_i|)

    Args:
        analytic: A gradient of any shape.
        numerical: The other, of the same shape.

    Returns:
        A number of at least 0; 0 if they are equal or empty, NaN if either holds a NaN.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If the shapes differ; names both.
    """
    a, b = as_floating(analytic), as_floating(numerical)  # (...), (...)
    require_same_shape("analytic", a.shape, "numerical", b.shape)
    if not a.size:
        return 0.0
    scale = max(1.0, float(np.max(np.abs(a))), float(np.max(np.abs(b))))
    return float(np.max(np.abs(a - b))) / scale


def _moved(point: FloatArray, index: tuple[int, ...], step: float) -> FloatArray:
    """Copy a point, float64, with one entry moved by a step."""
    moved = point.astype(np.float64)  # (...)
    moved[index] += step
    return moved


def _scalar(f: Callable[[FloatArray], ArrayLike], at: FloatArray) -> float:
    value = as_floating(f(at))
    if value.size != 1:
        raise ValueError(
            "only a function that returns one number has a gradient, "
            f"got a value of shape {value.shape} for x of shape {at.shape}"
        )
    return float(value.reshape(()))
