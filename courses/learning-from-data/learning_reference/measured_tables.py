"""Tables of measurements: loaded, split into training and test rows, and standardised."""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def load_complete_rows(name: str | Path) -> tuple[Floats, Floats]:
    """Return the features and the target of a CSV file, without rows that have a gap.

    The first line of the file has the names of the columns. An empty cell is a gap. The last column
    is the target: from n complete rows and d + 1 columns come X of shape (n, d) and y of shape (n,).
    """
    lines = Path(name).read_text(encoding="utf-8").splitlines()[1:]
    cells = [line.split(",") for line in lines]
    complete = [[float(cell) for cell in row] for row in cells if all(map(str.strip, row))]
    table = np.array(complete).reshape(-1, len(cells[0]))
    return table[:, :-1], table[:, -1]


def split_rows(
    X: ArrayLike, y: ArrayLike, n_test: int, seed: int
) -> tuple[NDArray[np.generic], NDArray[np.generic], NDArray[np.generic], NDArray[np.generic]]:
    """Return X_train, X_test, y_train and y_test.

    X has shape (n, d) and y has shape (n,). The order is `default_rng(seed).permutation(n)`: its
    first n_test rows are the test rows, the others the training rows.
    """
    X, y = np.asarray(X), np.asarray(y)
    order = np.random.default_rng(seed).permutation(len(y))
    test, train = order[:n_test], order[n_test:]
    return X[train], X[test], y[train], y[test]


def standardise(X_train: ArrayLike, X_test: ArrayLike) -> tuple[Floats, Floats]:
    """Return both tables in units of the training rows: less their mean, divided by their spread.

    X_train has shape (n, d), X_test has shape (m, d), and so have the results. The spread is the
    root of the mean squared deviation (`ddof=0`). A column that has the same value in all training
    rows is not divided.
    """
    train, test = np.asarray(X_train, dtype=float), np.asarray(X_test, dtype=float)
    constant = (train == train[:1]).all(axis=0)
    centre = np.where(constant, train[0], train.mean(axis=0))
    deviations = train - centre
    spread = np.where(constant, 1.0, np.sqrt((deviations**2).mean(axis=0)))
    return deviations / spread, (test - centre) / spread
