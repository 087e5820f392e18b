"""LoRA: a large matrix that stays as it is, and a small correction of low rank that is trained.

x W + (alpha / r) x A B,   with W of shape (d_in, d_out), A (d_in, r) and B (r, d_out)
"""

from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.shapes import require_same_shape


def lora_forward(
    x: ArrayLike, W: ArrayLike, A: ArrayLike, B: ArrayLike, alpha: float
) -> FloatArray:
    """Apply a matrix and its correction, without ever making the product A B.

        y = x W + (alpha / r) (x A) B

    Args:
        x: Inputs of shape (..., d_in).
        W: The frozen matrix, of shape (d_in, d_out).
        A: The first trained factor, of shape (d_in, r).
        B: The second trained factor, of shape (r, d_out).
        alpha: The strength of the correction.

    Returns:
        An array of shape (..., d_out). The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If A and B do not make a matrix of the shape of W; names both shapes.

    Source:
        Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models" (2021), arXiv:2106.09685,
        equation 3.
    """
    inputs, frozen, first, second = map(as_floating, (x, W, A, B))
    _require_factors(frozen, first, second)
    update: FloatArray = (inputs @ first) @ second
    output: FloatArray = inputs @ frozen + (alpha / first.shape[1]) * update
    return output


def lora_merge(W: ArrayLike, A: ArrayLike, B: ArrayLike, alpha: float) -> FloatArray:
    """Add the correction to the matrix, so that the model is as fast as before.

        W' = W + (alpha / r) A B

    Args:
        W: The frozen matrix, of shape (d_in, d_out).
        A: The first trained factor, of shape (d_in, r).
        B: The second trained factor, of shape (r, d_out).
        alpha: The strength of the correction.

    Returns:
        A new matrix of the shape of W.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If A and B do not make a matrix of the shape of W; names both shapes.

    Source:
        Hu et al. (2021), arXiv:2106.09685, section 4.1.
    """
    frozen, first, second = map(as_floating, (W, A, B))
    _require_factors(frozen, first, second)
    merged: FloatArray = frozen + (alpha / first.shape[1]) * (first @ second)
    return merged


def _require_factors(frozen: FloatArray, first: FloatArray, second: FloatArray) -> None:
    if first.shape[1] != second.shape[0]:
        raise ValueError(f"A and B need one rank, got shapes {first.shape} and {second.shape}")
    require_same_shape("W", frozen.shape, "A B", (first.shape[0], second.shape[1]))
