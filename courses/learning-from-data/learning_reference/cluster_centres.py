"""Clusters around centres: k-means and the seeding of k-means++."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learning_reference.nearest_rows import squared_gaps


def lloyd_step(X: ArrayLike, centres: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.floating]]:
    """Return the nearest centre of each row, and the centres moved to the means of their rows.

    Of two centres at the same distance the first one counts. A centre without rows stays.

    Args:
        X: Rows, shape (n, d).
        centres: Centres, shape (k, d).

    Returns:
        Labels, shape (n,), and new centres, shape (k, d).
    """
    rows = np.asarray(X)
    labels = squared_gaps(rows, centres).argmin(axis=1)
    moved = np.array(centres, dtype=float)
    for c in range(len(moved)):
        if np.any(labels == c):
            moved[c] = rows[labels == c].mean(axis=0)
    return labels, moved


def seeding_chances(X: ArrayLike, chosen: ArrayLike) -> NDArray[np.floating]:
    """Return the chance of each row to be the next centre of k-means++.

    Args:
        X: Rows, shape (n, d), of which at least one differs from all chosen ones.
        chosen: Row numbers of the centres so far, shape (c,).

    Returns:
        Probabilities, shape (n,).
    """
    rows = np.asarray(X)
    gaps = squared_gaps(rows, rows[np.asarray(chosen)]).min(axis=1)
    chances: NDArray[np.floating] = gaps / gaps.sum()
    return chances
