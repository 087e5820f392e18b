"""Positions that are added to embeddings: sinusoidal ones, and a table that is learned.

Attention treats a sequence as a set: if its positions are shuffled, the outputs are shuffled alike.
Something has to tell it the order.
"""

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from reference.arrays import FloatArray, as_floating
from reference.batches import sum_to_shape
from reference.shapes import Shape


def sinusoidal_positions(
    length: int, d_model: int, base: float = 10000.0, dtype: DTypeLike = np.float64
) -> FloatArray:
    """Describe each position by sines and cosines of falling frequency.

        P[i, 2k] = sin(i / base^(2k / d_model)),    P[i, 2k + 1] = cos(i / base^(2k / d_model))

    The row of position i + s is a rotation of that of position i which depends on s alone.

    Args:
        length: The number of positions, n.
        d_model: The number of features; if it is odd, the last is a sine without its cosine.
        base: Sets how slowly the slowest pair turns.
        dtype: The floating-point dtype to give; the angles are float64 in any case.

    Returns:
        An array of shape (n, d_model) with entries from -1 to 1.

    Raises:
        TypeError: If `dtype` is not floating-point.
        ValueError: If `length` or `d_model` is negative, or `base` not positive.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.5.
    """
    if min(length, d_model) < 0 or not base > 0:
        raise ValueError(
            "positions need a length and features of at least 0 and a base above 0, "
            f"got {length}, {d_model} and {base}"
        )
    if not np.issubdtype(dtype, np.floating):
        raise TypeError(f"sines need a floating-point dtype, got {np.dtype(dtype)}")
    feature = np.arange(d_model)  # (d_model,)
    frequency = base ** (-(feature - feature % 2) / max(d_model, 1))  # (d_model,)
    angle = np.arange(length)[:, None] * frequency  # (n, d_model)
    return np.where(feature % 2 == 0, np.sin(angle), np.cos(angle)).astype(dtype)  # (n, d_model)


def add_positions(x: ArrayLike, P: ArrayLike, start: int = 0) -> FloatArray:
    """Add to each position of a sequence its row of a table, sinusoidal or learned.

        z_i = x_i + P[start + i]

    Args:
        x: The sequence, of shape (..., n, d_model).
        P: The table, of shape (positions, d_model).
        start: The position of the first row of x; above 0 if x continues a text.

    Returns:
        An array of the shape of `x`. The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together, or the table is too short; names both shapes.

    Source:
        Vaswani et al. (2017), arXiv:1706.03762, section 3.5, for sinusoidal positions; Gehring et
        al., "Convolutional Sequence to Sequence Learning" (2017), arXiv:1705.03122, section 3.1,
        for learned ones.
    """
    sequence, table = as_floating(x), as_floating(P)  # (..., n, d_model), (positions, d_model)
    _require_rows(sequence.shape, table.shape, start)
    return sequence + table[start : start + sequence.shape[-2]]  # (..., n, d_model)


def add_positions_backward(d_output: ArrayLike, positions: int, start: int = 0) -> FloatArray:
    """Carry the gradient of a loss to a table of learned positions.

        d_P[start + i] = sum of d_output_i over the batch,    and zero for rows that were not used

    The gradient with respect to x is d_output itself.

    Args:
        d_output: The gradient with respect to the sum, of shape (..., n, d_model).
        positions: The number of rows of the table.
        start: As given to `add_positions`.

    Returns:
        The gradient with respect to P, of shape (positions, d_model), with the dtype of `d_output`
        (float64 for integers).

    Raises:
        TypeError: If `d_output` does not hold real numbers.
        ValueError: If `d_output` has fewer than two axes, or the table is too short; names both
            shapes.

    Source:
        The chain rule applied to z = x + P.
    """
    upstream = as_floating(d_output)  # (..., n, d_model)
    shape = (positions, *upstream.shape[-1:])
    _require_rows(upstream.shape, shape, start)
    used = upstream.shape[-2:]
    gradient = np.zeros(shape, dtype=upstream.dtype)  # (positions, d_model)
    gradient[start : start + used[0]] = sum_to_shape(upstream, used)  # (n, d_model)
    return gradient


def _require_rows(sequence: Shape, table: Shape, start: int) -> None:
    shapes = f"x of shape {sequence} and P of shape {table}"
    if len(sequence) < 2 or len(table) != 2:  # noqa: PLR2004  positions and features
        raise ValueError(f"x needs axes of positions and features, and P exactly two, got {shapes}")
    if sequence[-1] != table[-1]:
        raise ValueError(f"x and P need equally many features, got {shapes}")
    if start < 0 or start + sequence[-2] > table[0]:
        raise ValueError(f"P has no row for each position from {start} on, got {shapes}")
