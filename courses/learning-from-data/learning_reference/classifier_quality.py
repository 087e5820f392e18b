"""The quality of a classifier: ROC curve, area and calibration."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.floating]


def roc_points(labels: ArrayLike, scores: ArrayLike) -> tuple[Floats, Floats]:
    """Return the points of the ROC curve, from (0, 0) to (1, 1).

    Args:
        labels: 0 and 1, both of which occur, shape (n,).
        scores: Higher means more likely 1, shape (n,).

    Returns:
        False positive rates and true positive rates, each of shape (t + 1,), for t different
        scores: one point for each threshold, the highest first.
    """
    positive, numbers = np.asarray(labels) == 1, np.asarray(scores)
    called = numbers >= np.unique(numbers)[::-1, np.newaxis]  # (t, n)
    true_rate = (called & positive).sum(axis=1) / positive.sum()
    false_rate = (called & ~positive).sum(axis=1) / (~positive).sum()
    return np.append(0.0, false_rate), np.append(0.0, true_rate)


def area_by_pairs(labels: ArrayLike, scores: ArrayLike) -> float:
    """Return the share of pairs of a 1 and a 0 in which the 1 has the higher score.

    `labels` and `scores` have shape (n,). Equal scores count as half a pair.
    """
    positive, numbers = np.asarray(labels) == 1, np.asarray(scores)
    ones, zeros = numbers[positive][:, np.newaxis], numbers[~positive]
    return float(np.mean((ones > zeros) + 0.5 * (ones == zeros)))


def calibration_gap(labels: ArrayLike, chances: ArrayLike, bins: int) -> float:
    """Return the expected calibration error with bins of equal width.

    Args:
        labels: 0 and 1, shape (n,).
        chances: Probabilities of a 1, shape (n,).
        bins: How many bins; each has its left edge, and the last one also 1.
    """
    truth, said = np.asarray(labels), np.asarray(chances)
    places = np.minimum((said * bins).astype(int), bins - 1)
    gap = 0.0
    for place in np.unique(places):
        members = places == place
        gap += abs(said[members].sum() - truth[members].sum())
    return float(gap / len(truth))
