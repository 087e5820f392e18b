"""Numbers in eight bits: a scale and a zero point for an array, and products of such arrays.

x is about scale * (q - zero_point),   q a whole number from -128 to 127
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference.arrays import FloatArray, as_floating

LOWEST, HIGHEST = -128, 127  # the range of int8


class Quantized(NamedTuple):
    """An array in eight bits."""

    q: NDArray[np.int8]
    scale: float  # the distance between neighbouring numbers
    zero_point: int  # the q that stands for 0


def quantize(x: ArrayLike) -> Quantized:
    """Write an array in eight bits, on a scale from its least number to its largest.

        scale = (high - low) / 255,   zero_point = round(-128 - low / scale),
        q = clip(round(x / scale) + zero_point, -128, 127)

    The range from low to high is that of x, and always holds 0, so that 0 is exact. `round` goes to
    the nearest whole number, of two as near to the even one.

    Args:
        x: Finite numbers of any shape.

    Returns:
        q, of the shape of `x` and dtype int8, the scale, and the zero point, from -128 to 127. If x
        is zero throughout, the scale is 1.

    Raises:
        TypeError: If `x` does not hold real numbers.
        ValueError: If a number is not finite.

    Source:
        Jacob et al., "Quantization and Training of Neural Networks for Efficient
        Integer-Arithmetic-Only Inference" (2017), arXiv:1712.05877, equation 1 and section 3; the
        rounding of ONNX's DynamicQuantizeLinear.
    """
    numbers = as_floating(x).astype(np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError("only finite numbers can be written in eight bits")
    low, high = float(numbers.min(initial=0.0)), float(numbers.max(initial=0.0))
    scale = (high - low) / (HIGHEST - LOWEST) or 1.0
    zero_point = round(LOWEST - low / scale)
    q = np.clip(np.rint(numbers / scale) + zero_point, LOWEST, HIGHEST).astype(np.int8)
    return Quantized(q, scale, zero_point)


def dequantize(q: ArrayLike, scale: float, zero_point: int) -> FloatArray:
    """Return the numbers that an array in eight bits stands for.

        x = scale * (q - zero_point)

    Args:
        q: Whole numbers from -128 to 127, of any shape.
        scale: The distance between neighbouring numbers.
        zero_point: The q that stands for 0.

    Returns:
        A float64 array of the shape of `q`.

    Raises:
        TypeError: If `q` does not hold real numbers.

    Source:
        Jacob et al. (2017), arXiv:1712.05877, equation 1.
    """
    return scale * (as_floating(q).astype(np.float64) - zero_point)


def int8_matmul(
    a: ArrayLike,
    a_scale: float,
    a_zero_point: int,
    b: ArrayLike,
    b_scale: float,
    b_zero_point: int,
) -> FloatArray:
    """Multiply two matrices in eight bits: sums of whole numbers, and one factor at the end.

        a_scale * b_scale * ((a - a_zero_point) @ (b - b_zero_point))

    Args:
        a: Whole numbers from -128 to 127, of shape (n, m).
        a_scale: The scale of `a`.
        a_zero_point: The zero point of `a`.
        b: Whole numbers from -128 to 127, of shape (m, p).
        b_scale: The scale of `b`.
        b_zero_point: The zero point of `b`.

    Returns:
        A float64 array of shape (n, p). The sums are those of int32, which is enough for
        m up to 33,025.

    Raises:
        ValueError: If the shapes do not go together.

    Source:
        Jacob et al. (2017), arXiv:1712.05877, section 2.2, equation 4.
    """
    left = np.asarray(a, dtype=np.int32) - np.int32(a_zero_point)  # (n, m)
    right = np.asarray(b, dtype=np.int32) - np.int32(b_zero_point)  # (m, p)
    product: FloatArray = (a_scale * b_scale) * (left @ right)
    return product
