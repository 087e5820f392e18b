"""Results that should be rows of weights and show a mistake with softmax."""

import numpy as np

from grader.grading.comparison.relations.factors import find_origins
from grader.grading.comparison.relations.pair import MATRIX, TWO, Array, Pair, Relation, is_varied

_SUM = 1e-6  # largest error of a sum that should be 1
_CLEARLY = 1e-3  # smallest error of a sum that counts as wrong


def find_weights_relation(pair: Pair) -> Relation | None:  # noqa: PLR0911  each relation returns
    """Return the relation to expected weights that add up to 1 along the last axis."""
    expected, got = pair.expected, pair.got
    if expected.ndim == 0 or expected.shape[-1] < TWO or not pair.is_finite:
        return None
    if (expected < 0).any() or not _adds_up(expected, -1) or not is_varied(expected):
        return None
    if not np.any(got):
        return None
    if relation := _find_other_axis(pair):
        return relation
    shares = np.exp(got - got.max(axis=-1, keepdims=True))
    if pair.agree(shares / shares.sum(axis=-1, keepdims=True), expected):
        return Relation("softmax-missing")
    if relation := _find_scaled_scores(pair):
        return relation
    sums = got.sum(axis=-1, keepdims=True)
    if (np.abs(sums - 1) < _CLEARLY).all():
        return None
    range_of_sums = {"low": float(sums.min()), "high": float(sums.max())}
    if (np.abs(sums) >= _CLEARLY).all() and pair.agree(got / sums, expected):
        return Relation("not-normalised", range_of_sums)
    return Relation("row-sums", {**range_of_sums, "is_one_row": got.ndim == 1})


def _adds_up(array: Array, axis: int) -> bool:
    return bool((np.abs(array.sum(axis=axis) - 1) < _SUM).all())


def _find_other_axis(pair: Pair) -> Relation | None:
    expected, got = pair.expected, pair.got
    for axis in range(expected.ndim - 1):
        if min(expected.shape[axis], expected.shape[-1]) < TWO or _adds_up(expected, axis):
            continue
        if _adds_up(got, axis) and (got >= 0).all() and not _adds_up(got, -1):
            # If both come from the same values and differ only in the axis of the sums, then their
            # logarithms differ by one term per row plus one term per column.
            is_share = bool((expected > 0).all() and (got > 0).all())
            if is_share:
                log_ratios = np.moveaxis(np.log(got) - np.log(expected), axis, 0)
                mixed = log_ratios - log_ratios[:1] - log_ratios[..., :1] + log_ratios[:1, ..., :1]
                limit = 10 * pair.rtol * max(1.0, float(np.abs(log_ratios).max()))
                is_share = bool(np.abs(mixed).max() <= limit)
            facts = {"axis": axis, "is_matrix": expected.ndim == MATRIX, "is_share": is_share}
            return Relation("other-axis", facts)
    return None


def _find_scaled_scores(pair: Pair) -> Relation | None:
    """Return the relation for weights whose scores have another scale."""
    expected, got = pair.expected, pair.got
    open_ = expected > 0
    if not _adds_up(got, -1) or (open_ != (got > 0)).any():
        return None
    counts = open_.sum(axis=-1, keepdims=True)
    if (counts - 1).sum() < 3:  # noqa: PLR2004  with fewer, a scale fits by chance
        return None
    scores = _center_logarithms(expected, open_, counts)
    got_scores = _center_logarithms(got, open_, counts)
    weight = float((scores**2).sum())
    factor = float((scores * got_scores).sum()) / weight if weight else 0.0
    limit = 100 * pair.rtol * np.abs(got_scores).max(initial=1e-3)
    is_scaled = np.abs(got_scores - factor * scores).max() <= limit
    if not is_scaled or abs(factor - 1) < _CLEARLY or abs(factor) < _CLEARLY:
        return None
    origins = find_origins(factor, pair.axes, 10 * pair.rtol)
    return Relation("scores-scaled", {"factor": factor}, origins=origins)


def _center_logarithms(shares: Array, open_: Array, counts: Array) -> Array:
    """Return each row's logarithms minus their mean, with 0 for weights that are 0."""
    logs = np.log(shares, where=open_, out=np.zeros_like(shares))
    return np.where(open_, logs - logs.sum(axis=-1, keepdims=True) / np.maximum(counts, 1), 0.0)
