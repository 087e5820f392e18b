"""Rotary positions: queries and keys are turned by an angle that grows with their position.

Features are taken in pairs, and pair k of position p is turned by the angle p * base^(-2k / d):

    (a, b) -> (a cos t - b sin t, a sin t + b cos t)

The dot product of a query at position p and a key at position r then depends on p - r alone. Values
are not turned.

Which features make a pair is a convention, and weights trained under one are useless under the
other:

- interleaved: features 2k and 2k + 1, as in the paper;
- half-split: features k and k + d/2, as in most published checkpoints.

The two differ only in the order of features; `half_split_from_interleaved` and
`interleaved_from_half_split` change it. Turning by -positions undoes a rotation, and carries a
gradient back through it.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating


def rotary_angles(positions: ArrayLike, d: int, base: float = 10000.0) -> FloatArray:
    """Compute by how much each pair of features turns at each position.

        angle[p, k] = p * base^(-2k / d),    k = 0, ..., d/2 - 1

    Args:
        positions: Positions of shape (...), integers or not.
        d: The number of features, even.
        base: Sets how slowly the slowest pair turns.

    Returns:
        Angles in radians, of shape (..., d/2). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `positions` does not hold real numbers.
        ValueError: If `d` is odd or negative, or `base` not positive.

    Source:
        Su et al., "RoFormer" (2021), arXiv:2104.09864, equation 15.
    """
    if d < 0 or d % 2 or not base > 0:
        raise ValueError(f"pairs need an even number of features, and base above 0: {d}, {base}")
    frequency = base ** (-np.arange(0, d, 2) / max(d, 1))  # (d/2,)
    where = as_floating(positions)  # (...)
    return where[..., None] * frequency.astype(where.dtype)  # (..., d/2)


def rotate_interleaved(
    x: ArrayLike, positions: ArrayLike | None = None, base: float = 10000.0
) -> FloatArray:
    """Turn the pairs of neighbouring features, 2k and 2k + 1.

        y[2k] = x[2k] cos t_k - x[2k + 1] sin t_k,    y[2k + 1] = x[2k] sin t_k + x[2k + 1] cos t_k

    Args:
        x: Queries or keys, of shape (..., n, d), with d even.
        positions: Their positions, broadcasting to (..., n); 0, 1, ..., n - 1 if not given.
        base: As for `rotary_angles`.

    Returns:
        A new array of the shape of `x`; every pair keeps its length. Floating-point dtypes stay;
        integers become float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If `d` is odd, or the positions do not fit; names both shapes.

    Source:
        Su et al., "RoFormer" (2021), arXiv:2104.09864, equation 34.
    """
    vectors = as_floating(x)  # (..., n, d)
    cosine, sine = _turns(vectors, positions, base)  # (..., n, d/2), (..., n, d/2)
    even, odd = vectors[..., 0::2], vectors[..., 1::2]  # (..., n, d/2), (..., n, d/2)
    turned = np.empty_like(vectors)  # (..., n, d)
    turned[..., 0::2] = even * cosine - odd * sine
    turned[..., 1::2] = even * sine + odd * cosine
    return turned


def rotate_half_split(
    x: ArrayLike, positions: ArrayLike | None = None, base: float = 10000.0
) -> FloatArray:
    """Turn the pairs of features that lie half the features apart, k and k + d/2.

        y[k] = x[k] cos t_k - x[k + d/2] sin t_k,    y[k + d/2] = x[k] sin t_k + x[k + d/2] cos t_k

    Args:
        x: Queries or keys, of shape (..., n, d), with d even.
        positions: Their positions, broadcasting to (..., n); 0, 1, ..., n - 1 if not given.
        base: As for `rotary_angles`.

    Returns:
        A new array of the shape of `x`; every pair keeps its length. Floating-point dtypes stay;
        integers become float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If `d` is odd, or the positions do not fit; names both shapes.

    Source:
        Su et al., "RoFormer" (2021), arXiv:2104.09864, equation 34, with features in the order of
        the code of GPT-NeoX: Black et al. (2022), arXiv:2204.06745, section 2.1.1.
    """
    vectors = as_floating(x)  # (..., n, d)
    cosine, sine = _turns(vectors, positions, base)  # (..., n, d/2), (..., n, d/2)
    half = vectors.shape[-1] // 2
    first, second = vectors[..., :half], vectors[..., half:]  # (..., n, d/2), (..., n, d/2)
    turned = np.empty_like(vectors)  # (..., n, d)
    turned[..., :half] = first * cosine - second * sine
    turned[..., half:] = first * sine + second * cosine
    return turned


def half_split_from_interleaved(x: ArrayLike) -> FloatArray:
    """Put the features from the interleaved order into the half-split order.

        y = (x[0], x[2], ..., x[1], x[3], ...)

    Args:
        x: An array of shape (..., d), with d even; columns of projections as well as vectors.

    Returns:
        A new array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        ValueError: If `d` is odd; names the shape.

    Source:
        Follows from the two functions above.
    """
    vectors = _require_pairs(as_floating(x))  # (..., d)
    return np.concatenate([vectors[..., 0::2], vectors[..., 1::2]], axis=-1)  # (..., d)


def interleaved_from_half_split(x: ArrayLike) -> FloatArray:
    """Put the features from the half-split order into the interleaved order.

        y = (x[0], x[d/2], x[1], x[d/2 + 1], ...)

    Args:
        x: An array of shape (..., d), with d even; columns of projections as well as vectors.

    Returns:
        A new array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.
        ValueError: If `d` is odd; names the shape.

    Source:
        The inverse of `half_split_from_interleaved`.
    """
    vectors = _require_pairs(as_floating(x))  # (..., d)
    half = vectors.shape[-1] // 2
    pairs = np.stack([vectors[..., :half], vectors[..., half:]], axis=-1)  # (..., d/2, 2)
    return pairs.reshape(vectors.shape)  # (..., d)


def _turns(
    vectors: FloatArray, positions: ArrayLike | None, base: float
) -> tuple[FloatArray, FloatArray]:
    """Return cosine and sine of every angle, in the dtype of the vectors."""
    if vectors.ndim < 2:  # noqa: PLR2004  positions and features
        raise ValueError(f"x needs axes of positions and features, got shape {vectors.shape}")
    _require_pairs(vectors)
    where = np.arange(vectors.shape[-2]) if positions is None else np.asarray(positions)
    try:
        spread = np.broadcast_to(where, vectors.shape[:-1])  # (..., n)
    except ValueError:
        raise ValueError(
            f"positions of shape {where.shape} do not broadcast to the vectors "
            f"of x of shape {vectors.shape}"
        ) from None
    # The angles are float64: in float32 those of far positions would be off by whole degrees.
    angles = rotary_angles(as_floating(spread).astype(np.float64), vectors.shape[-1], base)
    return np.cos(angles).astype(vectors.dtype), np.sin(angles).astype(vectors.dtype)


def _require_pairs(vectors: FloatArray) -> FloatArray:
    if not vectors.ndim or vectors.shape[-1] % 2:
        raise ValueError(f"pairs need an even number of features, got shape {vectors.shape}")
    return vectors
