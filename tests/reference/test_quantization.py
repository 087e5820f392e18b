import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.quantization import dequantize, int8_matmul, quantize

NUMBERS = st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=20)


@given(NUMBERS)
def test_the_round_trip_is_off_by_half_a_step_and_zero_is_exact(numbers: list[float]) -> None:
    """At the two ends the rounded zero point may cost half a step more."""
    q, scale, zero_point = quantize([*numbers, 0.0])

    back = dequantize(q, scale, zero_point)

    assert q.dtype == np.int8
    assert -128 <= zero_point <= 127
    assert back[-1] == 0
    assert np.abs(back[:-1] - numbers).max() <= scale * (1 + 1e-9)


def test_the_example_of_onnx() -> None:
    """DynamicQuantizeLinear's, in uint8, which is 128 higher; without its number between two steps."""
    q, scale, zero_point = quantize([0, 2, -3, 1.34, 0.5])

    assert (q.astype(int) + 128).tolist() == [153, 255, 0, 221, 179]
    assert scale == pytest.approx(0.0196078438)
    assert zero_point + 128 == 153


def test_zeros_have_a_scale() -> None:
    """Nothing is divided by zero."""
    assert quantize(np.zeros((2, 3)))[1:] == (1.0, -128)


def test_the_product_is_that_of_the_numbers_it_stands_for() -> None:
    """Sums beyond what eight or sixteen bits hold."""
    rng = np.random.default_rng(0)
    a, b = quantize(rng.normal(3, 1, (3, 400))), quantize(rng.normal(-2, 1, (400, 2)))

    product = int8_matmul(*a, *b)

    np.testing.assert_allclose(product, dequantize(*a) @ dequantize(*b), rtol=1e-12)
