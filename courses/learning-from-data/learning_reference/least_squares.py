"""Least squares: weights for which the sum of squared residuals is smallest."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def fit_with_intercept(X: ArrayLike, y: ArrayLike) -> Floats:
    """Return the intercept and one slope for each feature, by least squares.

    X has shape (n, d) and y has shape (n,); the result has shape (d + 1,), the intercept first.
    The columns of X are linearly independent of each other and of a column of ones.
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    A = np.column_stack([np.ones(len(y)), X])
    return fit_by_qr(A, y)


def fit_by_qr(A: ArrayLike, y: ArrayLike) -> Floats:
    """Return the weights of shape (d,) for which ||A w - y|| is smallest.

    A has shape (n, d) with n >= d and independent columns, and y has shape (n,). The factors
    A = Q R leave the triangular system R w = Q^T y, and the squares of small numbers are never
    formed.
    """
    Q, R = np.linalg.qr(np.asarray(A, dtype=float))
    projected = Q.T @ np.asarray(y, dtype=float)
    w = np.zeros(R.shape[1])
    for i in reversed(range(len(w))):
        w[i] = (projected[i] - R[i, i + 1 :] @ w[i + 1 :]) / R[i, i]
    return w


def smallest_weights(A: ArrayLike, y: ArrayLike) -> Floats:
    """Return the shortest of all weights for which ||A w - y|| is smallest.

    A has shape (n, d), of any rank, and y has shape (n,); the result has shape (d,). Singular values
    below 1e-10 of the largest one count as zero.
    """
    U, s, Vt = np.linalg.svd(np.asarray(A, dtype=float), full_matrices=False)
    kept = s > 1e-10 * s.max(initial=0.0)
    inverted = np.divide(1.0, s, out=np.zeros_like(s), where=kept)
    return Vt.T @ (inverted * (U.T @ np.asarray(y, dtype=float)))
