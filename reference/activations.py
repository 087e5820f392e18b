"""Activation functions and their derivatives, entry by entry.

Sources: Nair and Hinton (2010), "Rectified Linear Units Improve Restricted Boltzmann Machines";
Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016), arXiv:1606.08415; Elfwing, Uchibe and
Doya, "Sigmoid-Weighted Linear Units" (2017), arXiv:1702.03118.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating

_SATURATED = 10.0  # tanh of 0.8 * (10 + 0.045 * 10^3) is 1 in every precision of NumPy's
_UNDERFLOW = 200.0  # exp(-200^2 / 2) is 0 in every precision of NumPy's
_CUBIC = 0.044715


class Activation(NamedTuple):
    """An activation function and its derivative."""

    function: Callable[[ArrayLike], FloatArray]
    derivative: Callable[[ArrayLike], FloatArray]


def relu(x: ArrayLike) -> FloatArray:
    """Keep what is positive.

        relu(x) = max(0, x)

    Args:
        x: Inputs of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        Nair and Hinton (2010), section 2; in the transformer Vaswani et al. (2017),
        arXiv:1706.03762, equation 2.
    """
    return np.maximum(as_floating(x), 0)  # (...)


def relu_derivative(x: ArrayLike) -> FloatArray:
    """Differentiate `relu`.

        relu'(x) = 1 where x > 0, else 0

    At 0 there is no derivative; 0 is the customary choice.

    Args:
        x: Inputs of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), section 6.3.
    """
    inputs = as_floating(x)
    return (inputs > 0).astype(inputs.dtype)  # (...)


def erf(x: ArrayLike) -> FloatArray:
    """Compute the error function.

        erf(x) = 2 / sqrt(pi) * integral of exp(-t^2) for t from 0 to x

    NumPy has no such function, so this is the standard library's, entry by entry, in float64.

    Args:
        x: Inputs of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), equation 7.1.1.
    """
    return _each_entry(math.erf, as_floating(x))  # (...)


def gelu(x: ArrayLike) -> FloatArray:
    """Weigh each input with the share of a standard normal distribution below it.

        gelu(x) = x * Phi(x),    Phi(x) = (1 + erf(x / sqrt 2)) / 2

    Phi is computed as erfc(-x / sqrt 2) / 2, which is the same and exact in the left tail, where
    1 + erf cancels.

    Args:
        x: Finite inputs of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        Hendrycks and Gimpel (2016), arXiv:1606.08415, section 2.
    """
    inputs = as_floating(x)
    return inputs * _normal_cdf(inputs)  # (...)


def gelu_derivative(x: ArrayLike) -> FloatArray:
    """Differentiate `gelu`.

        gelu'(x) = Phi(x) + x * phi(x),    phi(x) = exp(-x^2 / 2) / sqrt(2 pi)

    Args:
        x: Finite inputs of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        The product rule applied to Hendrycks and Gimpel (2016), arXiv:1606.08415, section 2.
    """
    inputs = as_floating(x)
    near = np.clip(inputs, -_UNDERFLOW, _UNDERFLOW)  # (...)  so that the square cannot overflow
    density = np.exp(-near * near / 2) / math.sqrt(2 * math.pi)  # (...)
    return _normal_cdf(inputs) + near * density  # (...)


def gelu_tanh(x: ArrayLike) -> FloatArray:
    """Approximate `gelu` with a hyperbolic tangent.

        gelu_tanh(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))

    It differs from `gelu` by less than 0.0005. GPT-2 was trained with it.

    Args:
        x: Finite inputs of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        Hendrycks and Gimpel (2016), arXiv:1606.08415, section 2.
    """
    inputs = as_floating(x)
    return inputs / 2 * (1 + _tanh_of_cubic(inputs))  # (...)


def gelu_tanh_derivative(x: ArrayLike) -> FloatArray:
    """Differentiate `gelu_tanh`.

        gelu_tanh'(x) = (1 + t) / 2 + x / 2 * (1 - t^2) * sqrt(2 / pi) * (1 + 3 * 0.044715 x^2)

    where t is the hyperbolic tangent in `gelu_tanh`.

    Args:
        x: Finite inputs of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        The product rule applied to Hendrycks and Gimpel (2016), arXiv:1606.08415, section 2.
    """
    inputs = as_floating(x)
    t = _tanh_of_cubic(inputs)  # (...)
    near = np.clip(inputs, -_SATURATED, _SATURATED)  # (...)  beyond, 1 - t^2 is zero
    inner = math.sqrt(2 / math.pi) * (1 + 3 * _CUBIC * near * near)  # (...)
    return (1 + t) / 2 + near / 2 * (1 - t * t) * inner  # (...)


def sigmoid(x: ArrayLike) -> FloatArray:
    """Squeeze every number between 0 and 1.

        sigmoid(x) = 1 / (1 + exp(-x)) = exp(x) / (1 + exp(x))

    Of the two forms each entry takes the one whose exponent is not positive: nothing overflows.

    Args:
        x: Inputs of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), equation 3.30.
    """
    inputs = as_floating(x)
    small = np.exp(-np.abs(inputs))  # (...)  between 0 and 1
    values: FloatArray = np.where(inputs < 0, small, 1) / (1 + small)  # (...)
    return values


def silu(x: ArrayLike) -> FloatArray:
    """Weigh each input with its own sigmoid; also called swish.

        silu(x) = x * sigmoid(x)

    Args:
        x: Finite inputs of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        Elfwing, Uchibe and Doya (2017), arXiv:1702.03118, section 2.
    """
    inputs = as_floating(x)
    return inputs * sigmoid(inputs)  # (...)


def silu_derivative(x: ArrayLike) -> FloatArray:
    """Differentiate `silu`.

        silu'(x) = s + x * s * (1 - s),    s = sigmoid(x)

    Args:
        x: Finite inputs of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        Elfwing, Uchibe and Doya (2017), arXiv:1702.03118, section 2.
    """
    inputs = as_floating(x)
    s = sigmoid(inputs)  # (...)
    return s + inputs * s * (1 - s)  # (...)


ACTIVATIONS: Mapping[str, Activation] = MappingProxyType(
    {
        "relu": Activation(relu, relu_derivative),
        "gelu": Activation(gelu, gelu_derivative),
        "gelu_tanh": Activation(gelu_tanh, gelu_tanh_derivative),
        "silu": Activation(silu, silu_derivative),
    }
)


def activation_named(name: str) -> Activation:
    """Look up an activation function by its name.

    Args:
        name: One of the keys of `ACTIVATIONS`: relu, gelu, gelu_tanh or silu.

    Returns:
        The function and its derivative.

    Raises:
        ValueError: If there is no activation of that name; lists the existing ones.
    """
    if name not in ACTIVATIONS:
        raise ValueError(f"an activation is one of {', '.join(ACTIVATIONS)}, got {name!r}")
    return ACTIVATIONS[name]


def _normal_cdf(inputs: FloatArray) -> FloatArray:
    """Compute the share of a standard normal distribution below each input."""
    return _each_entry(math.erfc, -inputs / math.sqrt(2)) / 2  # (...)


def _tanh_of_cubic(inputs: FloatArray) -> FloatArray:
    """Compute tanh(sqrt(2 / pi) * (x + 0.044715 x^3))."""
    near = np.clip(inputs, -_SATURATED, _SATURATED)  # (...)  so that the cube cannot overflow
    values: FloatArray = np.tanh(math.sqrt(2 / math.pi) * (near + _CUBIC * near**3))  # (...)
    return values


def _each_entry(function: Callable[[float], float], x: FloatArray) -> FloatArray:
    """Apply a function of Python numbers to every entry; the dtype stays."""
    values = np.array([function(value) for value in x.ravel().tolist()], dtype=x.dtype)
    return values.reshape(x.shape)
