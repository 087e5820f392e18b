"""Finite differences of the course, against NumPy, SciPy and an exact solution."""

from typing import Any

import numpy as np
import pytest
from learning_reference.grid_steps import grid_slopes, heat_steps, heat_until

from tests.course_reference.conftest import recorded

CASES = recorded("grid_steps")["cases"]


@pytest.mark.parametrize("points", [2, 3, 8])
def test_slopes_are_those_of_numpy(points: int) -> None:
    """The slopes equal np.gradient with differences to one side at the ends."""
    y = np.random.default_rng(points).standard_normal(points)
    np.testing.assert_allclose(grid_slopes(y, 0.3), np.gradient(y, 0.3), rtol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_heat_flows_as_by_the_matrix_of_a_step(case: dict[str, Any]) -> None:
    """The temperatures equal those of a power of SciPy's sparse matrix, stable or not."""
    result = heat_steps(case["u"], case["r"], case["steps"])
    np.testing.assert_allclose(result, case["result"], rtol=1e-10)


def test_a_wave_fades_as_the_heat_equation_says() -> None:
    """A half wave between two cold ends shrinks by exp(-kappa pi^2 t), up to the grid's error."""
    x = np.linspace(0.0, 1.0, 41)
    result = heat_until(np.sin(np.pi * x), x[1], 0.7, 0.1)
    expected = np.sin(np.pi * x) * np.exp(-0.7 * np.pi**2 * 0.1)
    np.testing.assert_allclose(result, expected, atol=2e-3)


@pytest.mark.parametrize(("t", "steps"), [(0.4, 1), (0.6, 2), (1.9, 4)])
def test_no_more_steps_are_taken_than_stability_needs(t: float, steps: int) -> None:
    """With kappa and dx of 1, the number of steps is 2 t, rounded up."""
    u = np.array([0.0, 3.0, 7.0, 1.0])
    np.testing.assert_allclose(heat_until(u, 1.0, 1.0, t), heat_steps(u, t / steps, steps))
