"""Figures of many measurements."""

from collections.abc import Sequence


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the least value that so many percent of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
