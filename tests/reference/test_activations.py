import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from reference.activations import ACTIVATIONS, activation_named, erf, gelu, relu, relu_derivative
from reference.arrays import FloatArray
from tests.reference.conftest import Recorded

NAMES = sorted(ACTIVATIONS)
FLOATS: list[np.dtype[np.floating[Any]]] = [np.dtype(np.float32), np.dtype(np.float64)]
ANY_INPUTS = st.sampled_from(FLOATS).flatmap(
    lambda dtype: arrays(
        dtype,
        array_shapes(min_dims=0, max_dims=3, max_side=5),
        elements=st.floats(-(2.0**100), 2.0**100, width=32),
    )
)


def test_relu_keeps_what_is_positive() -> None:
    """Negative numbers become zero; at zero the derivative is zero."""
    assert relu([-2.0, 0.0, 3.0]).tolist() == [0.0, 0.0, 3.0]
    assert relu_derivative([-2.0, 0.0, 3.0]).tolist() == [0.0, 0.0, 1.0]


def test_erf_of_known_numbers() -> None:
    """The values of the tables, to the last digit of float64."""
    found = erf([-math.inf, 0.0, 0.5, 1.0, 3.0, math.inf])

    expected = [-1.0, 0.0, 0.5204998778130465, 0.8427007929497149, 0.9999779095030014, 1.0]
    np.testing.assert_allclose(found, expected, rtol=3e-16)


def test_gelu_is_exact_in_the_left_tail() -> None:
    """At -10 the share of the normal distribution is 7.6e-24, which 1 + erf would round to zero."""
    # -10 * Phi(-10), from the asymptotic series of the tail at 10 standard deviations.
    series = sum((-1) ** k * math.prod(range(1, 2 * k, 2)) / 10 ** (2 * k) for k in range(12))

    found = float(gelu(-10.0))

    assert found == pytest.approx(-math.exp(-50) / math.sqrt(2 * math.pi) * series, rel=1e-9)


def test_erf_agrees_with_pytorch(recorded: Recorded) -> None:
    """Over the whole range, to the rounding of float64."""
    case = recorded("blocks", "erf")

    np.testing.assert_allclose(erf(case.inputs["x"]), case.outputs["output"], rtol=1e-15)


@given(ANY_INPUTS)
@pytest.mark.parametrize("name", NAMES)
def test_any_finite_input_gives_a_finite_result(name: str, x: FloatArray) -> None:
    """Large inputs neither overflow nor warn; shape, dtype and the input itself stay."""
    function, derivative = activation_named(name)
    x.flags.writeable = False

    for result in (function(x), derivative(x)):
        assert np.isfinite(result).all()
        assert result.shape == x.shape
        assert result.dtype == x.dtype
        assert not np.shares_memory(result, x)
