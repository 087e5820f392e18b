"""ALiBi: attention with linear biases, so that far keys count less. No embedding of positions.

    scores_ij = q_i . k_j / sqrt(d_k) - slope * |i - j|

Each head has a slope of its own: a steep one looks near, a flat one far.
"""

import math

import numpy as np

from reference.arrays import FloatArray


def alibi_slopes(heads: int) -> FloatArray:
    """Give each head its slope.

        slope_i = 2^(-8 i / h),    i = 1, ..., h,    if h is a power of two

    For any other h: the slopes of the power of two below it, followed by as many as are missing of
    the first, third, fifth, ... of twice that power.

    Args:
        heads: The number of heads, h.

    Returns:
        A float64 array of shape (h,) with values between 0 and 1.

    Raises:
        ValueError: If `heads` is not positive.

    Source:
        Press, Smith and Lewis, "Train Short, Test Long" (2021), arXiv:2108.12409, section 3; other
        numbers than powers of two as in the authors' published code.
    """
    if heads < 1:
        raise ValueError(f"attention needs at least one head, got {heads}")
    power = 2 ** math.floor(math.log2(heads))
    between = _geometric(2 * power)[0::2]  # (power,)
    return np.concatenate([_geometric(power), between[: heads - power]])  # (h,)


def alibi_bias(heads: int, length: int, keys: int | None = None, start: int = 0) -> FloatArray:
    """Make the additive mask that lowers scores with distance.

        bias_hij = -slope_h |start + i - j|

    It blocks nothing by itself: causal attention adds a causal mask. To keys that come later it
    applies the same slope, which the paper leaves open.

    Args:
        heads: The number of heads, h.
        length: The number of queries, n.
        keys: The number of keys, m; start + n if not given.
        start: The position of the first query; above 0 if the queries continue a text.

    Returns:
        A float64 array of shape (h, n, m) with values of at most 0, an additive mask for
        `reference.multi_head.multi_head_attention`.

    Raises:
        ValueError: If `heads` is not positive, or another number negative.

    Source:
        Press, Smith and Lewis, "Train Short, Test Long" (2021), arXiv:2108.12409, section 3.
    """
    m = start + length if keys is None else keys
    if min(length, m, start) < 0:
        raise ValueError(f"positions are counted from 0, got {length}, {m} and {start}")
    distance = np.abs(np.arange(start, start + length)[:, None] - np.arange(m))  # (n, m)
    bias: FloatArray = -alibi_slopes(heads)[:, None, None] * distance  # (h, n, m)
    return bias


def _geometric(heads: int) -> FloatArray:
    """Return 2^(-8 i / h) for i = 1, ..., h."""
    slopes: FloatArray = np.exp2(-8 * np.arange(1, heads + 1) / heads)  # (h,)
    return slopes
