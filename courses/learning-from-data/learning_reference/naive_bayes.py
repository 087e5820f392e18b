"""Gaussian naive Bayes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def naive_bayes_scores(
    X: ArrayLike, y: ArrayLike, queries: ArrayLike, extra: float
) -> NDArray[np.floating]:
    """Return the logarithm of prior times densities, for each query and class.

    Args:
        X: Known examples, shape (n, d).
        y: Their classes, shape (n,); each of 0 to k - 1 occurs.
        queries: Examples to classify, shape (m, d).
        extra: A positive number that is added to each variance.

    Returns:
        Scores, shape (m, k).
    """
    rows, labels, asked = np.asarray(X), np.asarray(y), np.asarray(queries)
    columns = []
    for c in range(labels.max() + 1):
        members = rows[labels == c]
        mean, variance = members.mean(axis=0), members.var(axis=0) + extra  # (d,), (d,)
        logs = -0.5 * (np.log(2.0 * np.pi * variance) + (asked - mean) ** 2 / variance)  # (m, d)
        columns.append(np.log(len(members) / len(rows)) + logs.sum(axis=1))
    return np.stack(columns, axis=1)
