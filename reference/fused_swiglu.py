"""RMS normalisation and SwiGLU in one pass: the normalised input never exists as an array."""

import numpy as np
from numpy.typing import ArrayLike

from reference.activations import silu
from reference.arrays import FloatArray, as_floating
from reference.linear import linear
from reference.shapes import require_one_per_feature


def fused_rms_swiglu(
    x: ArrayLike, gain: ArrayLike, W_in: ArrayLike, W_down: ArrayLike, eps: float = 1e-5
) -> FloatArray:
    """Normalise each position, and apply a gated network with a single product for both halves.

        [gate, up] = ((x gain) W_in) / sqrt(mean(x^2) + eps),    y = (silu(gate) * up) W_down

    The root mean square is one number for each position, so it may divide the products in place of
    the inputs. This is `gated_feed_forward(rms_norm(x, gain, eps), W_gate, W_up, W_down)`, where
    W_in holds the columns of W_gate, then those of W_up.

    Args:
        x: Inputs of shape (..., d).
        gain: A factor for each feature, of shape (d,).
        W_in: Weights of shape (d, 2 * d_ff).
        W_down: Weights of shape (d_ff, d).
        eps: Keeps the division finite where all features are zero.

    Returns:
        An array of shape (..., d). The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Zhang and Sennrich (2019), arXiv:1910.07467, equation 4, and Shazeer (2020),
        arXiv:2002.05202, equation 6; one product for both halves as in Hsu et al., "Liger Kernel"
        (2024), arXiv:2410.10989, and in the published code of many models.
    """
    inputs, weights = as_floating(x), as_floating(W_in)  # (..., d), (d, 2 * d_ff)
    factors = as_floating(gain)  # (d,)
    require_one_per_feature("gain", factors.shape, "x", inputs.shape)
    if weights.shape[-1] % 2:
        raise ValueError(
            f"W_in needs as many columns for the gate as for the rest, got shape {weights.shape}"
        )
    mean_square = np.mean(inputs * inputs, axis=-1, keepdims=True)  # (..., 1)
    halves = linear(inputs * factors, weights) / np.sqrt(mean_square + eps)  # (..., 2 * d_ff)
    gate, up = np.split(halves, 2, axis=-1)  # (..., d_ff), (..., d_ff)
    return linear(silu(gate) * up, W_down)  # (..., d)
