import numpy as np
import pytest

from reference.arrays import as_floating


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floating_point_arrays_stay_as_they_are(dtype: type[np.floating]) -> None:
    """A floating-point array is given back itself, without a copy."""
    array = np.ones((2, 3), dtype=dtype)

    assert as_floating(array) is array


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.int64])
def test_integers_and_booleans_become_float64(dtype: type[np.generic]) -> None:
    """Whole numbers and truth values count as float64."""
    result = as_floating(np.array([[0, 1, 1]], dtype=dtype))

    assert result.dtype == np.float64
    assert result.tolist() == [[0.0, 1.0, 1.0]]


@pytest.mark.parametrize("values", [[1j], ["1.0"], [None]])
def test_anything_but_real_numbers_is_refused(values: list[object]) -> None:
    """Complex numbers, text and objects raise an error that names the dtype."""
    dtype = np.asarray(values).dtype

    with pytest.raises(TypeError, match=f"expected real numbers, got an array of dtype {dtype}"):
        as_floating(values)  # type: ignore[arg-type]  # the point of the test
