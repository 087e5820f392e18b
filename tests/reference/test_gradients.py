import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from reference.arrays import FloatArray
from reference.gradients import numerical_gradient, relative_error

FLOATS: list[np.dtype[np.floating[Any]]] = [np.dtype(np.float32), np.dtype(np.float64)]
POINTS = arrays(
    st.sampled_from(FLOATS),
    array_shapes(max_dims=3, max_side=3),
    elements=st.floats(-2, 2, width=32),
)


@given(POINTS)
def test_the_gradient_of_a_sum_of_cubes(x: FloatArray) -> None:
    """It is three times the square, in the shape and the dtype of the point."""
    gradient = numerical_gradient(lambda v: (v**3).sum(), x)

    assert gradient.dtype == x.dtype
    assert gradient.shape == x.shape
    np.testing.assert_allclose(gradient, 3 * x**2, atol=1e-6)


def test_differences_are_central() -> None:
    """A parabola has the exact derivative, which one-sided differences would miss by eps."""
    gradient = numerical_gradient(lambda v: v[0] ** 2 + 5 * v[1], [3.0, 1.0], eps=0.25)

    assert gradient.tolist() == [6.0, 5.0]


def test_a_number_has_a_gradient_too() -> None:
    """A point without axes gives a gradient without axes."""
    gradient = numerical_gradient(np.exp, 1.0)

    assert gradient.shape == ()
    assert float(gradient) == pytest.approx(math.e, rel=1e-9)


def test_integers_count_as_float64() -> None:
    """A point of whole numbers is moved by less than one all the same."""
    gradient = numerical_gradient(lambda v: v @ v, np.array([1, 2]))

    assert gradient.dtype == np.float64
    np.testing.assert_allclose(gradient, [2, 4], rtol=1e-8)


def test_the_point_is_safe_from_the_function() -> None:
    """A function that changes what it is given changes neither the point nor the gradient."""
    point = np.array([1.0, 2.0])
    point.flags.writeable = False

    def careless(v: FloatArray) -> FloatArray:
        v *= 2
        return np.asarray(v.sum())

    np.testing.assert_allclose(numerical_gradient(careless, point), [2, 2], rtol=1e-8)


def test_relative_error_of_large_and_small_gradients() -> None:
    """The largest difference is divided by the largest entry, or by one if that is larger."""
    assert relative_error([100.0, 0.0], [100.0, 50.0]) == 0.5
    assert relative_error([0.001], [0.002]) == pytest.approx(0.001)
    assert relative_error(np.ones((0, 2)), np.ones((0, 2))) == 0
