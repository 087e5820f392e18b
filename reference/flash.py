"""Flash attention: exact attention in tiles, which never holds the n x m matrix of weights.

For one block of queries it walks over the blocks of keys with an online softmax. Besides the inputs
and the output only one tile of scores is held, so memory grows with n and not with n^2. The
gradient computes the tiles again instead of keeping them.

Source: Dao et al., "FlashAttention" (2022), arXiv:2205.14135; in the order of loops of Dao,
"FlashAttention-2" (2023), arXiv:2307.08691.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.attention_backward import AttentionGradients
from reference.batches import require_broadcasting_batches, require_matrices, sum_to_shape
from reference.masks import apply_mask, causal_mask
from reference.online_softmax import RunningSum, blocks, finite_or_zero, merge_sums, running_sum
from reference.shapes import require_same_shape
from reference.similarity import require_comparable


class FlashOutput(NamedTuple):
    """The result of flash attention: enough to compute any weight again."""

    output: FloatArray  # (..., n, d_v)
    logsumexp: FloatArray  # (..., n)  of the scaled and masked scores; -inf if all are blocked


class _Operands(NamedTuple):
    """Checked inputs, whose batch axes are all equal; views, so they cost no memory."""

    Q: FloatArray  # (..., n, d_k)
    K: FloatArray  # (..., m, d_k)
    V: FloatArray  # (..., m, d_v)
    mask: np.ndarray | None  # (..., n, m)
    causal: bool
    block: int


def flash_attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    causal: bool = False,
    block: int = 64,
) -> FloatArray:
    """Compute the output of scaled dot-product attention, tile by tile.

        output = softmax(Q K^T / sqrt(d_k)) V

    Args:
        Q: Queries, of shape (..., n, d_k).
        K: Keys, of shape (..., m, d_k).
        V: Values, of shape (..., m, d_v).
        mask: Boolean (True means blocked) or additive, broadcasting to (..., n, m). A mask for
            every pair is itself an n x m matrix; `causal` needs none.
        causal: Whether to block later keys as well; tiles that are blocked throughout are skipped.
        block: The number of queries, and of keys, in a tile.

    Returns:
        The output, of shape (..., n, d_v). Queries whose keys are all blocked get zeros. The dtype
        follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together (names both), or `block` is not positive.

    Source:
        Dao, "FlashAttention-2" (2023), arXiv:2307.08691, algorithm 1.
    """
    return flash_attention_forward(Q, K, V, mask, causal=causal, block=block).output


def flash_attention_forward(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    causal: bool = False,
    block: int = 64,
) -> FlashOutput:
    """Compute the same, and return one more number per query for the gradient.

        logsumexp_i = log sum_j exp(s_ij),    s = Q K^T / sqrt(d_k), masked

    Args:
        Q: Queries, of shape (..., n, d_k).
        K: Keys, of shape (..., m, d_k).
        V: Values, of shape (..., m, d_v).
        mask: As for `flash_attention`.
        causal: As for `flash_attention`.
        block: As for `flash_attention`.

    Returns:
        The output, of shape (..., n, d_v), and the logsumexp, of shape (..., n).

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together (names both), or `block` is not positive.

    Source:
        Dao, "FlashAttention-2" (2023), arXiv:2307.08691, algorithm 1.
    """
    operands = _operands(Q, K, V, mask, causal=causal, block=block)
    output = np.empty((*operands.Q.shape[:-1], operands.V.shape[-1]), np.result_type(*operands[:3]))
    logsumexp = np.empty(operands.Q.shape[:-1], np.result_type(operands.Q, operands.K))  # (..., n)
    for rows in blocks(operands.Q.shape[-2], block):
        output[..., rows, :], seen = _attend(operands, rows)
        with np.errstate(divide="ignore"):  # the logarithm of nothing is -inf, as it should be
            logsumexp[..., rows] = finite_or_zero(seen.peak) + np.log(seen.total)
    return FlashOutput(output, logsumexp)


def flash_attention_backward(
    d_output: ArrayLike,
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    causal: bool = False,
    block: int = 64,
) -> AttentionGradients:
    """Carry the gradient of a loss back through attention, tile by tile.

        W_ij = exp(s_ij - logsumexp_i),    D_i = d_output_i . output_i,
        d_s = W * (d_output V^T - D),    d_V = W^T d_output,
        d_Q = d_s K / sqrt(d_k),    d_K = d_s^T Q / sqrt(d_k)

    Args:
        d_output: The gradient with respect to the output, of shape (..., n, d_v).
        Q: Queries, of shape (..., n, d_k).
        K: Keys, of shape (..., m, d_k).
        V: Values, of shape (..., m, d_v).
        mask: As for `flash_attention`.
        causal: As for `flash_attention`.
        block: As for `flash_attention`.

    Returns:
        The gradients with respect to Q, K and V, each with the shape of what it belongs to.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together (names both), or `block` is not positive.

    Source:
        Dao, "FlashAttention-2" (2023), arXiv:2307.08691, algorithm 2.
    """
    operands = _operands(Q, K, V, mask, causal=causal, block=block)
    upstream = as_floating(d_output)  # (..., n, d_v)
    output, logsumexp = flash_attention_forward(Q, K, V, mask, causal=causal, block=block)
    require_same_shape("d_output", upstream.shape, "the output", output.shape)
    shift = finite_or_zero(logsumexp)  # (..., n)
    average = np.sum(upstream * output, axis=-1)  # (..., n)
    gradients = AttentionGradients(*(np.zeros(array.shape, output.dtype) for array in operands[:3]))
    for rows in blocks(operands.Q.shape[-2], block):
        for columns in _visible_blocks(operands, rows):
            weights = np.exp(_scores(operands, rows, columns) - shift[..., rows, None])  # a tile
            d_weights = upstream[..., rows, :] @ _transposed(operands.V[..., columns, :])
            d_scores = weights * (d_weights - average[..., rows, None]) * _scale(operands)
            gradients.Q[..., rows, :] += d_scores @ operands.K[..., columns, :]
            gradients.K[..., columns, :] += _transposed(d_scores) @ operands.Q[..., rows, :]
            gradients.V[..., columns, :] += _transposed(weights) @ upstream[..., rows, :]
    shapes = (np.shape(Q), np.shape(K), np.shape(V))
    return AttentionGradients(*map(sum_to_shape, gradients, shapes))


def _attend(given: _Operands, rows: slice) -> tuple[FloatArray, RunningSum]:
    """Return the output of a block of queries, and the sums that it was divided by."""
    queries = given.Q[..., rows, :]  # (..., r, d_k)
    seen = running_sum(queries[..., :0])  # (..., r) of nothing
    gathered = np.zeros(
        (*queries.shape[:-1], given.V.shape[-1]), dtype=queries.dtype
    )  # (..., r, d_v)
    for columns in _visible_blocks(given, rows):
        scores = _scores(given, rows, columns)  # (..., r, c)
        grown = merge_sums(seen, running_sum(scores))
        shift = finite_or_zero(grown.peak)[..., None]  # (..., r, 1)
        # What the sum so far is worth now.
        scale = np.exp(seen.peak[..., None] - shift)  # (..., r, 1)
        gathered = gathered * scale + np.exp(scores - shift) @ given.V[..., columns, :]
        seen = grown
    # At least 1 unless all keys are blocked, as in softmax.
    return gathered / np.maximum(seen.total, 1)[..., None], seen


def _scores(given: _Operands, rows: slice, columns: slice) -> FloatArray:
    """Return one tile of scaled and masked scores, of shape (..., r, c)."""
    tile: FloatArray = given.Q[..., rows, :] @ _transposed(given.K[..., columns, :])
    tile *= _scale(given)
    if given.mask is not None:
        tile = apply_mask(tile, given.mask[..., rows, columns])
    if given.causal:
        is_ahead = causal_mask(*tile.shape[-2:], k=rows.start - columns.start + 1)  # (r, c)
        tile = apply_mask(tile, is_ahead)
    return tile


def _visible_blocks(given: _Operands, rows: slice) -> Iterator[slice]:
    """Cut the keys into blocks, up to the last key that any of the queries may see."""
    m = given.K.shape[-2]
    return blocks(min(rows.stop, m) if given.causal else m, given.block)


def _scale(given: _Operands) -> float:
    return 1 / math.sqrt(given.Q.shape[-1])


def _transposed(matrices: FloatArray) -> FloatArray:
    return np.swapaxes(matrices, -1, -2)


def _operands(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None, *, causal: bool, block: int
) -> _Operands:
    """Check the inputs and give them the same batch axes."""
    queries, keys, values = as_floating(Q), as_floating(K), as_floating(V)
    require_comparable(queries.shape, keys.shape)
    require_matrices("K", keys.shape, "V", values.shape)
    shapes = f"K of shape {keys.shape} and V of shape {values.shape}"
    if keys.shape[-2] != values.shape[-2]:
        raise ValueError(f"V needs one value for each key, got {shapes}")
    if causal and queries.shape[-2] != keys.shape[-2]:
        raise ValueError(
            "causal attention needs as many keys as queries, "
            f"got Q of shape {queries.shape} and K of shape {keys.shape}"
        )
    require_broadcasting_batches("Q", queries.shape, "V", values.shape)
    require_broadcasting_batches("K", keys.shape, "V", values.shape)
    batch = np.broadcast_shapes(*(array.shape[:-2] for array in (queries, keys, values)))
    pairs = (*batch, queries.shape[-2], keys.shape[-2])
    spread = None if mask is None else np.asarray(mask)
    if spread is not None:
        try:
            spread = np.broadcast_to(spread, pairs)  # (..., n, m)
        except ValueError:
            raise ValueError(
                f"a mask of shape {spread.shape} does not broadcast to scores of shape {pairs}"
            ) from None
    return _Operands(
        Q=np.broadcast_to(queries, (*batch, *queries.shape[-2:])),
        K=np.broadcast_to(keys, (*batch, *keys.shape[-2:])),
        V=np.broadcast_to(values, (*batch, *values.shape[-2:])),
        mask=spread,
        causal=causal,
        block=block,
    )
