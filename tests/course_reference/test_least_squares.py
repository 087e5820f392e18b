from typing import Any

import numpy as np
import pytest
from learning_reference.least_squares import fit_by_qr, fit_with_intercept, smallest_weights

from tests.course_reference.conftest import recorded

RECORDED = recorded("least_squares")


@pytest.mark.parametrize("case", RECORDED["lines"])
def test_a_line_is_that_of_scikit_learn(case: dict[str, Any]) -> None:
    """Its LinearRegression has the same intercept and slopes."""
    found = fit_with_intercept(case["X"], case["y"])

    np.testing.assert_allclose(found, case["weights"], rtol=1e-10)


@pytest.mark.parametrize("case", RECORDED["shortest"])
def test_the_shortest_weights_are_those_of_scipy(case: dict[str, Any]) -> None:
    """SciPy finds them in another way, by QR with pivots."""
    found = smallest_weights(case["A"], case["y"])

    np.testing.assert_allclose(found, case["weights"], atol=1e-12)


def test_columns_nearly_alike_cost_few_digits() -> None:
    """With columns that differ by a millionth, known weights come back to eight digits."""
    rng = np.random.default_rng(0)
    base = rng.standard_normal((9, 1))
    A = np.hstack([base, base + 1e-6 * rng.standard_normal((9, 2))])

    np.testing.assert_allclose(fit_by_qr(A, A @ [1.0, 2.0, 3.0]), [1.0, 2.0, 3.0], rtol=1e-8)
