"""Cross-validation in folds, and the two parts of an error of prediction."""

import numpy as np
from learning_reference.measured_tables import standardise
from learning_reference.ridge_regression import ridge_weights
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def fold_numbers(n: int, k: int) -> NDArray[np.int64]:
    """Return for each of n rows the number of its fold, 0 to k - 1: shape (n,).

    The folds are consecutive, and the first n % k of them have one row more than the others.
    """
    sizes = np.full(k, n // k) + (np.arange(k) < n % k)
    return np.repeat(np.arange(k), sizes)


def cross_validated_error(
    X: ArrayLike, y: ArrayLike, fold: ArrayLike, penalty: float
) -> float:
    """Return the mean squared error of ridge on the rows left out, averaged over the folds.

    X has shape (n, d), y has shape (n,), and fold has shape (n,): the number of each row's fold. Each
    fold is left out once. All rows are put into the units of those that stay, for which ridge fits
    its line. The folds count alike.
    """
    X, y, fold = np.asarray(X, dtype=float), np.asarray(y, dtype=float), np.asarray(fold)
    errors = []
    for left_out in np.unique(fold):
        inside = fold != left_out
        X_train, X_test = standardise(X[inside], X[~inside])
        intercept, *slopes = ridge_weights(X_train, y[inside], penalty)
        residuals = intercept + X_test @ np.array(slopes) - y[~inside]
        errors.append((residuals**2).mean())
    return float(np.mean(errors))


def bias_and_variance(predictions: ArrayLike, truth: ArrayLike) -> tuple[float, float]:
    """Return the squared bias and the variance of a model, averaged over the places.

    predictions has shape (r, n): r models, each trained on data of its own, at n places. truth has
    shape (n,). The variance divides by r.
    """
    predictions, truth = np.asarray(predictions, dtype=float), np.asarray(truth, dtype=float)
    average = predictions.mean(axis=0)
    squared_bias = ((average - truth) ** 2).mean()
    return float(squared_bias), float(((predictions - average) ** 2).mean())
