"""Layer normalisation and RMS normalisation of the features of each position.

Both work along the last axis, so positions and batches never mix.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.shapes import Shape, require_one_per_feature, require_same_shape


class LayerNormParameters(NamedTuple):
    """The parameters of a layer normalisation."""

    gain: FloatArray  # (d,)
    bias: FloatArray  # (d,)


class LayerNormGradients(NamedTuple):
    """The gradients of `layer_norm`, each with the shape of what it belongs to."""

    x: FloatArray  # (..., d)
    gain: FloatArray  # (d,)
    bias: FloatArray  # (d,)


class RMSNormGradients(NamedTuple):
    """The gradients of `rms_norm`, each with the shape of what it belongs to."""

    x: FloatArray  # (..., d)
    gain: FloatArray  # (d,)


def layer_norm(
    x: ArrayLike, gain: ArrayLike | None = None, bias: ArrayLike | None = None, eps: float = 1e-5
) -> FloatArray:
    """Give the features of each position mean 0 and variance 1, then scale and shift them.

        y = gain * (x - mean) / sqrt(variance + eps) + bias

    The variance is that of the features themselves, divided by d and not by d - 1.

    Args:
        x: Inputs of shape (..., d).
        gain: A factor for each feature, of shape (d,); ones by default.
        bias: A summand for each feature, of shape (d,); zeros by default.
        eps: Keeps the division finite where all features are equal.

    Returns:
        An array of the shape of `x`. The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If `x` has no features, or `gain` or `bias` not one entry for each; names both
            shapes.

    Source:
        Ba, Kiros and Hinton, "Layer Normalization" (2016), arXiv:1607.06450, equation 4; eps is
        from Ioffe and Szegedy (2015), arXiv:1502.03167, algorithm 1.
    """
    inputs = as_floating(x)  # (..., d)
    standardised, _ = _standardise(inputs, eps)  # (..., d)
    scaled = standardised * _per_feature("gain", gain, inputs)  # (..., d)
    if bias is None:
        return scaled
    return scaled + _per_feature("bias", bias, inputs)  # (..., d)


def layer_norm_backward(
    d_output: ArrayLike, x: ArrayLike, gain: ArrayLike | None = None, eps: float = 1e-5
) -> LayerNormGradients:
    """Carry the gradient of a loss back through `layer_norm`.

        d_x = (g - mean(g) - z * mean(g * z)) / sqrt(variance + eps),
        g = gain * d_output,    z = (x - mean) / sqrt(variance + eps)

    The two means are what each feature does to the mean and to the variance. d_gain sums
    d_output * z over all positions, d_bias sums d_output.

    Args:
        d_output: The gradient with respect to the output, of shape (..., d).
        x: The inputs of the forward pass, of shape (..., d).
        gain: As given to `layer_norm`.
        eps: As given to `layer_norm`.

    Returns:
        The gradients with respect to x, gain and bias.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        The chain rule applied to Ba, Kiros and Hinton (2016), arXiv:1607.06450, equation 4.
    """
    upstream, inputs = as_floating(d_output), as_floating(x)  # (..., d), (..., d)
    require_same_shape("d_output", upstream.shape, "x", inputs.shape)
    z, inverse_deviation = _standardise(inputs, eps)  # (..., d), (..., 1)
    g = upstream * _per_feature("gain", gain, inputs)  # (..., d)
    d_x = inverse_deviation * (g - _mean(g) - z * _mean(g * z))  # (..., d)
    return LayerNormGradients(d_x, _over_positions(upstream * z), _over_positions(upstream))


def rms_norm(x: ArrayLike, gain: ArrayLike | None = None, eps: float = 1e-5) -> FloatArray:
    """Divide the features of each position by their root mean square, then scale them.

        y = gain * x / sqrt(mean(x^2) + eps)

    Unlike layer normalisation it subtracts no mean and adds no bias.

    Args:
        x: Inputs of shape (..., d).
        gain: A factor for each feature, of shape (d,); ones by default.
        eps: Keeps the division finite where all features are zero.

    Returns:
        An array of the shape of `x`. The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If `x` has no features, or `gain` not one entry for each; names both shapes.

    Source:
        Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019), arXiv:1910.07467,
        equation 4; eps as in layer normalisation.
    """
    inputs = as_floating(x)  # (..., d)
    normalised = inputs * _inverse_rms(inputs, eps)  # (..., d)
    return normalised * _per_feature("gain", gain, inputs)  # (..., d)


def rms_norm_backward(
    d_output: ArrayLike, x: ArrayLike, gain: ArrayLike | None = None, eps: float = 1e-5
) -> RMSNormGradients:
    """Carry the gradient of a loss back through `rms_norm`.

        d_x = (g - z * mean(g * z)) / rms,    g = gain * d_output,    z = x / rms

    where rms is sqrt(mean(x^2) + eps). d_gain sums d_output * z over all positions.

    Args:
        d_output: The gradient with respect to the output, of shape (..., d).
        x: The inputs of the forward pass, of shape (..., d).
        gain: As given to `rms_norm`.
        eps: As given to `rms_norm`.

    Returns:
        The gradients with respect to x and gain.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        The chain rule applied to Zhang and Sennrich (2019), arXiv:1910.07467, equation 4.
    """
    upstream, inputs = as_floating(d_output), as_floating(x)  # (..., d), (..., d)
    require_same_shape("d_output", upstream.shape, "x", inputs.shape)
    inverse_rms = _inverse_rms(inputs, eps)  # (..., 1)
    z = inputs * inverse_rms  # (..., d)
    g = upstream * _per_feature("gain", gain, inputs)  # (..., d)
    d_x = inverse_rms * (g - z * _mean(g * z))  # (..., d)
    return RMSNormGradients(d_x, _over_positions(upstream * z))


def init_layer_norm(d_model: int) -> LayerNormParameters:
    """Make the parameters of a layer normalisation that neither scales nor shifts.

    Args:
        d_model: The number of features, d.

    Returns:
        A gain of ones and a bias of zeros, each of shape (d,), float64.

    Raises:
        ValueError: If `d_model` is negative.

    Source:
        Ba, Kiros and Hinton (2016), arXiv:1607.06450, section 6.
    """
    return LayerNormParameters(gain=np.ones(d_model), bias=np.zeros(d_model))


def _standardise(inputs: FloatArray, eps: float) -> tuple[FloatArray, FloatArray]:
    """Return z = (x - mean) / sqrt(variance + eps), and 1 / sqrt(variance + eps)."""
    _require_features(inputs.shape)
    centred = inputs - _mean(inputs)  # (..., d)
    inverse_deviation = _inverse_rms(centred, eps)  # (..., 1)
    return centred * inverse_deviation, inverse_deviation


def _inverse_rms(inputs: FloatArray, eps: float) -> FloatArray:
    """Return 1 / sqrt(mean(x^2) + eps), of shape (..., 1)."""
    _require_features(inputs.shape)
    inverse: FloatArray = 1 / np.sqrt(_mean(inputs * inputs) + eps)  # (..., 1)
    return inverse


def _mean(x: FloatArray) -> FloatArray:
    """Average the features: (..., d) becomes (..., 1)."""
    mean: FloatArray = np.mean(x, axis=-1, keepdims=True)
    return mean


def _over_positions(x: FloatArray) -> FloatArray:
    """Sum over all axes but the last: (..., d) becomes (d,)."""
    total: FloatArray = np.sum(x.reshape(-1, x.shape[-1]), axis=0)
    return total


def _per_feature(name: str, values: ArrayLike | None, inputs: FloatArray) -> FloatArray:
    """Check a gain or a bias of shape (d,); the default is ones."""
    if values is None:
        return np.ones(inputs.shape[-1:], dtype=inputs.dtype)
    vector = as_floating(values)  # (d,)
    require_one_per_feature(name, vector.shape, "x", inputs.shape)
    return vector


def _require_features(inputs: Shape) -> None:
    if not inputs or not inputs[-1]:
        raise ValueError(f"x needs at least one feature in its last axis, got x of shape {inputs}")
