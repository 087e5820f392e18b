"""Gradient descent on the mean squared error of a line."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def squared_error_gradient(X: ArrayLike, y: ArrayLike, w: ArrayLike) -> Floats:
    """Return the gradient of mean((X w - y)**2) with respect to w.

    X has shape (n, d), y has shape (n,), and w and the result have shape (d,).
    """
    X, y, w = (np.asarray(each, dtype=float) for each in (X, y, w))
    return 2.0 / len(y) * (X.T @ (X @ w - y))


def descent_path(X: ArrayLike, y: ArrayLike, start: ArrayLike, rate: float, n_steps: int) -> Floats:
    """Return all weights on the way of gradient descent, the start included.

    Each step subtracts rate times the gradient of the mean squared error. X has shape (n, d), y has
    shape (n,) and start has shape (d,); the result has shape (n_steps + 1, d).
    """
    path = [np.array(start, dtype=float)]
    for _ in range(n_steps):
        path.append(path[-1] - rate * squared_error_gradient(X, y, path[-1]))
    return np.array(path)


def descend_slope_and_intercept(
    x: ArrayLike, y: ArrayLike, rate: float, n_steps: int
) -> tuple[float, float]:
    """Return slope and intercept of a line after gradient descent from 0 and 0.

    x and y have shape (n,). Both parameters of a step are computed from the ones before it.
    """
    A = np.column_stack([np.asarray(x, dtype=float), np.ones(len(np.asarray(x)))])
    slope, intercept = descent_path(A, y, [0.0, 0.0], rate, n_steps)[-1]
    return float(slope), float(intercept)
