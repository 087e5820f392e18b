import numpy as np
from learning_reference.squared_error_descent import (
    descend_slope_and_intercept,
    descent_path,
    squared_error_gradient,
)


def test_the_gradient_is_the_slope_of_the_error() -> None:
    """Finite differences of the mean squared error agree with it."""
    rng = np.random.default_rng(0)
    X, y, w = rng.standard_normal((7, 3)), rng.standard_normal(7), rng.standard_normal(3)

    nudges = 1e-5 * np.eye(3)
    slopes = [
        (np.mean((X @ (w + e) - y) ** 2) - np.mean((X @ (w - e) - y) ** 2)) / 2e-5 for e in nudges
    ]

    np.testing.assert_allclose(squared_error_gradient(X, y, w), slopes, rtol=1e-8)


def test_a_long_walk_ends_at_the_best_weights() -> None:
    """The way begins at the start, and the error falls with each step."""
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((20, 3)), rng.standard_normal(20)

    path = descent_path(X, y, [1.0, 2.0, 3.0], 0.1, 1500)
    errors = [np.mean((X @ w - y) ** 2) for w in path]

    assert path.shape == (1501, 3)
    assert path[0].tolist() == [1.0, 2.0, 3.0]
    assert (np.diff(errors[:50]) < 0).all()
    np.testing.assert_allclose(path[-1], np.linalg.lstsq(X, y)[0], atol=1e-8)


def test_slope_and_intercept_move_together() -> None:
    """One step by hand: the errors at 0 are -2 and -4, the derivatives -10 and -6."""
    found = descend_slope_and_intercept([1.0, 2.0], [2.0, 4.0], 0.1, 1)

    np.testing.assert_allclose(found, (1.0, 0.6))
