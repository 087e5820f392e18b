"""Mixtures of Gaussians, fitted by expectation and maximisation."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.floating]


def gaussian_log_densities(X: ArrayLike, means: ArrayLike, covariances: ArrayLike) -> Floats:
    """Return the log density of each row of `X` (n, d) under each of k Gaussians: (n, k).

    `means` has shape (k, d) and `covariances` shape (k, d, d).
    """
    rows = np.asarray(X)
    columns = []
    for mean, covariance in zip(np.asarray(means), np.asarray(covariances), strict=True):
        gaps = rows - mean  # (n, d)
        squares = (gaps * np.linalg.solve(covariance, gaps.T).T).sum(axis=1)
        log_determinant = np.linalg.slogdet(covariance)[1]
        columns.append(-0.5 * (rows.shape[1] * np.log(2 * np.pi) + log_determinant + squares))
    return np.stack(columns, axis=1)


def responsibilities(log_densities: ArrayLike, weights: ArrayLike) -> Floats:
    """Return the share that each component has in each row; rows add up to 1.

    `log_densities` has shape (n, k), and `weights`, which are positive, shape (k,).
    """
    scores = np.asarray(log_densities) + np.log(weights)  # (n, k)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    rows: Floats = shares / shares.sum(axis=1, keepdims=True)
    return rows


def mixture_parameters(X: ArrayLike, R: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return the weights, means and covariances that fit the responsibilities best.

    Args:
        X: Rows, shape (n, d).
        R: Responsibilities, shape (n, k); each row adds up to 1, each column to more than 0.

    Returns:
        Weights, shape (k,), means, shape (k, d), and covariances, shape (k, d, d).
    """
    rows, shares = np.asarray(X), np.asarray(R)
    amounts = shares.sum(axis=0)  # (k,)
    means = shares.T @ rows / amounts[:, np.newaxis]
    covariances = []
    for c, mean in enumerate(means):
        gaps = rows - mean  # (n, d)
        covariances.append((shares[:, c] * gaps.T) @ gaps / amounts[c])
    return amounts / len(rows), means, np.stack(covariances)
