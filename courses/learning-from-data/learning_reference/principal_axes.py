"""Principal component analysis by the singular value decomposition."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.floating]


def principal_components(X: ArrayLike, k: int) -> tuple[Floats, Floats, Floats]:
    """Return the first `k` principal components of the rows of `X`.

    In each component the entry of the largest size is positive.

    Args:
        X: Rows, shape (n, d).
        k: How many components, below n and at most d.

    Returns:
        Components, shape (k, d), coordinates of the rows along them, shape (n, k), and the
        share of the variance that each explains, shape (k,).
    """
    rows = np.asarray(X)
    centred = rows - rows.mean(axis=0)
    _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
    components = axes[:k]
    largest = np.abs(components).argmax(axis=1)
    components = components * np.sign(components[np.arange(k), largest])[:, np.newaxis]
    return components, centred @ components.T, lengths[:k] ** 2 / (lengths**2).sum()
