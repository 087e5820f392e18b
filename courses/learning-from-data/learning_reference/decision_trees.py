"""Impurity, and the splits of a decision tree."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def gini_impurity(counts: ArrayLike) -> float:
    """Return 1 minus the sum of the squared shares of `counts`, shape (k,)."""
    shares = np.asarray(counts) / np.sum(counts)
    return float(1.0 - (shares**2).sum())


def entropy_in_bits(counts: ArrayLike) -> float:
    """Return the entropy of `counts`, shape (k,), to base 2; a count of 0 adds nothing."""
    shares = np.asarray(counts) / np.sum(counts)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())


def weighted_gini(left: ArrayLike, right: ArrayLike) -> float:
    """Return the mean Gini impurity of two sides, weighted by their rows.

    `left` and `right` count the classes on each side, shape (k,) each.
    """
    n_left, n_right = np.sum(left), np.sum(right)
    total = n_left * gini_impurity(left) + n_right * gini_impurity(right)
    return float(total / (n_left + n_right))


def score_splits(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return all thresholds of one feature, and the weighted impurity of each split.

    Args:
        x: The feature, shape (n,), with at least two different values.
        y: Classes, shape (n,).

    Returns:
        Thresholds halfway between neighbouring values, ascending, shape (t,), and impurities,
        shape (t,). Rows with `x <= threshold` go to the left.
    """
    feature, labels = np.asarray(x), np.asarray(y)
    classes, values = np.unique(labels), np.unique(feature)
    thresholds = (values[:-1] + values[1:]) / 2.0
    impurities = []
    for threshold in thresholds:
        is_left = feature <= threshold
        left, right = labels[is_left], labels[~is_left]
        impurities.append(
            weighted_gini(
                (left[:, np.newaxis] == classes).sum(axis=0),
                (right[:, np.newaxis] == classes).sum(axis=0),
            )
        )
    return thresholds, np.array(impurities)
