"""Powers of a feature, and lines with a penalty on their slopes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def feature_powers(x: ArrayLike, degree: int) -> Floats:
    """Return the powers 1 to degree of each number: (n,) gives (n, degree)."""
    x = np.asarray(x, dtype=float)
    return np.cumprod(np.repeat(x[:, np.newaxis], degree, axis=1), axis=1)


def ridge_weights(X: ArrayLike, y: ArrayLike, penalty: float) -> Floats:
    """Return the intercept and the slopes w that make the penalised error smallest.

    This error is sum((b + X w - y)**2) + penalty * sum(w**2): the intercept b is free. X has shape
    (n, d) and y has shape (n,); the result has shape (d + 1,), the intercept first. The penalty is
    positive.
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    centre = X.mean(axis=0)
    U, s, Vt = np.linalg.svd(X - centre, full_matrices=False)
    slopes = Vt.T @ (s / (s**2 + penalty) * (U.T @ (y - y.mean())))
    return np.concatenate([[y.mean() - centre @ slopes], slopes])
