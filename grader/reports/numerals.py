"""Numbers in tables: aligned, and with no more digits than necessary."""

import math
from collections.abc import Sequence

MAX_DECIMALS = 4
MINUS = "\N{MINUS SIGN}"  # screen readers skip a hyphen
SMALL, LARGE = 1e-3, 1e5  # numbers below or from here on are written with an exponent
_EXACT = 1e-9


def decimals_for(values: Sequence[float]) -> int | None:
    """Return the number of decimals, 1 to `MAX_DECIMALS`, that suits these values together.

    Returns None if fixed decimals do not suit, because all values are tiny or one is huge.
    """
    magnitudes = [abs(value) for value in values if math.isfinite(value)]
    largest = max(magnitudes, default=0.0)
    return None if largest >= LARGE or 0 < largest < SMALL else needed_decimals(magnitudes)


def needed_decimals(values: Sequence[float]) -> int:
    """Return the number of decimals, 1 to `MAX_DECIMALS`, that writes finite values exactly."""
    return next((n for n in range(1, MAX_DECIMALS) if _exact_at(values, n)), MAX_DECIMALS)


def is_rounded(values: Sequence[float], decimals: int | None) -> bool:
    """Return whether so many decimals round any of the values."""
    finite = [value for value in values if math.isfinite(value)]
    return decimals is None or not _exact_at(finite, decimals)


def numeral(value: float, decimals: int | None) -> str:
    """Format a number, with a real minus sign, and infinity as its symbol."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{value:.2e}" if decimals is None else f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.removeprefix("-")  # no sign for a value that rounds to zero
    return text.replace("-", MINUS)


def _exact_at(values: Sequence[float], decimals: int) -> bool:
    return all(abs(value - round(value, decimals)) <= _EXACT for value in values)
