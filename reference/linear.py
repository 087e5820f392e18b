"""The linear layer, and what its gradients are: the two matrix products behind all training."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.shapes import Shape, require_one_per_feature, require_same_shape

_MATRIX_AXES = 2


class LinearGradients(NamedTuple):
    """The gradients of a linear layer, each with the shape of what it belongs to."""

    x: FloatArray  # (..., d_in)
    W: FloatArray  # (d_in, d_out)
    b: FloatArray  # (d_out,)


def linear(x: ArrayLike, W: ArrayLike, b: ArrayLike | None = None) -> FloatArray:
    """Map the features of every position with the same matrix.

        y = x W + b

    Args:
        x: Inputs of shape (..., d_in).
        W: Weights of shape (d_in, d_out).
        b: Bias of shape (d_out,); nothing is added without one.

    Returns:
        An array of shape (..., d_out). The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), section 6.3.
    """
    inputs, weights = as_floating(x), as_floating(W)  # (..., d_in), (d_in, d_out)
    _require_matching_features(inputs.shape, weights.shape)
    outputs: FloatArray = inputs @ weights  # (..., d_out)
    if b is None:
        return outputs
    bias = as_floating(b)  # (d_out,)
    require_one_per_feature("b", bias.shape, "x W", outputs.shape)
    return outputs + bias  # (..., d_out)


def linear_backward(d_output: ArrayLike, x: ArrayLike, W: ArrayLike) -> LinearGradients:
    """Carry the gradient of a loss from the output of a linear layer to its inputs.

        d_x = d_output W^T,    d_W = x^T d_output,    d_b = sum of d_output over positions

    The sums in d_W and d_b run over all leading axes, since every position shares W and b.

    Args:
        d_output: The gradient with respect to the output, of shape (..., d_out).
        x: The inputs of the forward pass, of shape (..., d_in).
        W: The weights, of shape (d_in, d_out).

    Returns:
        The gradients with respect to x, W and b.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), algorithm 6.4.
    """
    upstream, inputs, weights = as_floating(d_output), as_floating(x), as_floating(W)
    _require_matching_features(inputs.shape, weights.shape)
    output_shape = (*inputs.shape[:-1], weights.shape[-1])
    require_same_shape("d_output", upstream.shape, "the output", output_shape)
    flat_inputs = inputs.reshape(-1, weights.shape[0])  # (positions, d_in)
    flat_upstream = upstream.reshape(-1, weights.shape[1])  # (positions, d_out)
    return LinearGradients(
        x=upstream @ weights.T,  # (..., d_in)
        W=flat_inputs.T @ flat_upstream,  # (d_in, d_out)
        b=np.sum(flat_upstream, axis=0),  # (d_out,)
    )


def _require_matching_features(inputs: Shape, weights: Shape) -> None:
    shapes = f"x of shape {inputs} and W of shape {weights}"
    if len(weights) != _MATRIX_AXES or not inputs:
        raise ValueError(f"x needs an axis of features and W exactly two axes, got {shapes}")
    if inputs[-1] != weights[0]:
        raise ValueError(f"W needs one row for each feature in the last axis of x, got {shapes}")
