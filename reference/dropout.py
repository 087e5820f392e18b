"""Dropout: in training some entries are zeroed at random, at inference nothing happens.

This is the inverted form: what is kept is enlarged in training, so that inference needs no factor.

Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting"
(2014), Journal of Machine Learning Research 15, section 4; the inverted form is from section 10.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import BoolArray, FloatArray, as_floating
from reference.shapes import require_same_shape


def dropout(x: ArrayLike, rate: float, rng: np.random.Generator | None = None) -> FloatArray:
    """Zero each entry with probability `rate` in training; give everything back at inference.

        y = x * kept / (1 - rate)    in training: kept is 0 with probability rate, else 1
        y = x                        at inference

    Both have the same mean.

    Args:
        x: Inputs of any shape.
        rate: The probability of dropping an entry, at least 0 and below 1.
        rng: The generator to draw from, which means training; None means inference.

    Returns:
        A new array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        ValueError: If `rate` is negative, 1 or more.

    Source:
        Srivastava et al. (2014), section 4 for training, section 10 for the factor.
    """
    inputs = as_floating(x)  # (...)
    _require_rate(rate)
    if rng is None:
        return inputs.copy()  # (...)
    return drop(inputs, draw_kept(rng, inputs.shape, rate), rate)  # (...)


def draw_kept(rng: np.random.Generator, shape: tuple[int, ...], rate: float) -> BoolArray:
    """Draw which entries dropout keeps.

        kept_i = (u_i >= rate),    u_i uniform between 0 and 1

    Args:
        rng: The generator to draw from.
        shape: The shape of the array to drop from.
        rate: The probability of dropping an entry, at least 0 and below 1.

    Returns:
        A boolean array of that shape; True means kept.

    Raises:
        ValueError: If `rate` is negative, 1 or more.

    Source:
        Srivastava et al. (2014), section 4.
    """
    _require_rate(rate)
    return np.asarray(rng.random(shape) >= rate)  # (...)


def drop(x: ArrayLike, kept: ArrayLike, rate: float) -> FloatArray:
    """Zero what is not kept and enlarge the rest.

        y = x / (1 - rate) where kept, else 0

    This is linear, so it is its own backward pass: `drop(d_output, kept, rate)` is the gradient
    with respect to x.

    Args:
        x: Inputs of any shape.
        kept: A boolean array of the same shape; True means kept.
        rate: The probability with which `kept` was drawn, at least 0 and below 1.

    Returns:
        A new array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers, or `kept` is not boolean.
        ValueError: If the shapes differ, naming both, or `rate` is negative, 1 or more.

    Source:
        Srivastava et al. (2014), sections 4 and 10.
    """
    inputs, keep = as_floating(x), np.asarray(kept)  # (...), (...)
    _require_rate(rate)
    if keep.dtype != np.bool_:
        raise TypeError(f"expected a boolean array of what is kept, got dtype {keep.dtype}")
    require_same_shape("x", inputs.shape, "kept", keep.shape)
    return np.where(keep, inputs / (1 - rate), 0)  # (...)


def _require_rate(rate: float) -> None:
    if not 0 <= rate < 1:
        raise ValueError(f"a dropout rate is at least 0 and below 1, got {rate}")
