"""Classification by the nearest rows."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def squared_gaps(A: ArrayLike, B: ArrayLike) -> NDArray[np.floating]:
    """Return the squared distance of each row of `A` (n, d) from each of `B` (m, d): (n, m)."""
    differences = np.asarray(A)[:, np.newaxis] - np.asarray(B)  # (n, m, d)
    gaps: NDArray[np.floating] = (differences**2).sum(axis=2)
    return gaps


def vote_of_neighbours(X: ArrayLike, y: ArrayLike, queries: ArrayLike, k: int) -> NDArray[np.intp]:
    """Return the most frequent label among the `k` nearest rows of each query.

    Of two rows at the same distance, the first one in `X` counts as nearer. Of two labels with
    as many votes, the smaller one wins.

    Args:
        X: Known examples, shape (n, d).
        y: Their labels, integers from 0, shape (n,).
        queries: Examples to classify, shape (m, d).
        k: How many neighbours vote, from 1 to n.

    Returns:
        Labels, shape (m,).
    """
    nearest = np.argsort(squared_gaps(queries, X), axis=1, kind="stable")[:, :k]  # (m, k)
    votes = np.asarray(y)[nearest]  # (m, k)
    classes = np.arange(np.max(y) + 1)  # (c,)
    counts = (votes[:, :, np.newaxis] == classes).sum(axis=1)  # (m, c)
    labels: NDArray[np.intp] = counts.argmax(axis=1)  # the first of the largest
    return labels


def leave_one_out_accuracy(X: ArrayLike, y: ArrayLike) -> float:
    """Return the share of rows of `X` (n, d) whose nearest other row has the same label in `y`.

    Of several nearest rows the first one counts.
    """
    labels = np.asarray(y)
    gaps = squared_gaps(X, X)
    np.fill_diagonal(gaps, np.inf)
    return float(np.mean(labels[gaps.argmin(axis=1)] == labels))
