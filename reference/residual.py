"""Residual connections: a layer learns what to add to its input.

The gradient of the sum reaches the input along two ways, unchanged past the layer and through it:
d_x = d_output + (what the layer's backward pass makes of d_output).
"""

from collections.abc import Callable
from typing import TypeAlias

from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.shapes import require_same_shape

Layer: TypeAlias = Callable[[FloatArray], ArrayLike]


def residual(x: ArrayLike, layer: Layer) -> FloatArray:
    """Add the output of a layer to its input.

        y = x + layer(x)

    Args:
        x: Inputs of shape (..., n, d).
        layer: Takes an array of the shape of `x` and returns one of the same shape.

    Returns:
        An array of the shape of `x`. The dtype follows `x` and what the layer returns.

    Raises:
        TypeError: If `x` or what the layer returns does not hold real numbers.
        ValueError: If the layer changes the shape; names both.

    Source:
        He et al., "Deep Residual Learning for Image Recognition" (2015), arXiv:1512.03385,
        equation 1.
    """
    inputs = as_floating(x)  # (..., n, d)
    return _sum(inputs, layer(inputs))  # (..., n, d)


def post_norm(x: ArrayLike, layer: Layer, norm: Layer) -> FloatArray:
    """Normalise after the sum, as the first transformer does.

        y = norm(x + layer(x))

    Args:
        x: Inputs of shape (..., n, d).
        layer: Takes an array of the shape of `x` and returns one of the same shape.
        norm: The normalisation, which keeps shapes too.

    Returns:
        An array of the shape of `x`.

    Raises:
        TypeError: If `x` or what the layer returns does not hold real numbers.
        ValueError: If the layer or the norm changes the shape; names both.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.1.
    """
    return _same_shape(norm, residual(x, layer))  # (..., n, d)


def pre_norm(x: ArrayLike, layer: Layer, norm: Layer) -> FloatArray:
    """Normalise what goes into the layer, and leave the sum alone.

        y = x + layer(norm(x))

    Through a stack of such layers the input passes unnormalised to the end, which makes deep
    stacks easier to train; the stack then ends in a normalisation of its own.

    Args:
        x: Inputs of shape (..., n, d).
        layer: Takes an array of the shape of `x` and returns one of the same shape.
        norm: The normalisation, which keeps shapes too.

    Returns:
        An array of the shape of `x`.

    Raises:
        TypeError: If `x` or what the layer returns does not hold real numbers.
        ValueError: If the layer or the norm changes the shape; names both.

    Source:
        Xiong et al., "On Layer Normalization in the Transformer Architecture" (2020),
        arXiv:2002.04745, table 1.
    """
    inputs = as_floating(x)  # (..., n, d)
    return _sum(inputs, layer(_same_shape(norm, inputs)))  # (..., n, d)


def _sum(inputs: FloatArray, update: ArrayLike) -> FloatArray:
    added = as_floating(update)  # (..., n, d)
    require_same_shape("x", inputs.shape, "the layer's output", added.shape)
    return inputs + added  # (..., n, d)


def _same_shape(norm: Layer, inputs: FloatArray) -> FloatArray:
    normalised = as_floating(norm(inputs))  # (..., n, d)
    require_same_shape("x", inputs.shape, "the norm's output", normalised.shape)
    return normalised
