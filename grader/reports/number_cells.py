"""Numbers as table cells: their text and their shade.

The module avoids NumPy, so that a failing check does not wait for its import.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.reports.numerals import LARGE, SMALL, needed_decimals

Rows: TypeAlias = Sequence[Sequence[float]]
Texts: TypeAlias = list[list[str]]
FormattedMatrices: TypeAlias = tuple[Texts, ...]
Pair: TypeAlias = tuple[float, float]
_Writer: TypeAlias = Callable[[float], str]

_READABLE_DECIMALS: Final = (2, 3)  # numbers of decimals that suffice in narrow cells
_MORE_DECIMALS: Final = (6, 8, 12)  # numbers of decimals for values that agree in four
_MIN_DIGITS: Final = 3  # digits of a number with an exponent
# A value such as -1e9 in a mask would leave all others without visible shades.
_OUTLIER_FROM: Final = 1e6


@dataclass(frozen=True, slots=True)
class Scale:
    """The map from values to shades: 0 to 1, or -1 to 1 if there are negative values."""

    low: float
    high: float

    @classmethod
    def from_matrices(cls, *matrices: Rows) -> "Scale":
        """Return the scale shared by several matrices."""
        finite = [value for value in _flat(matrices) if math.isfinite(value)]
        usual = [value for value in finite if abs(value) < _OUTLIER_FROM] or finite or [0.0, 1.0]
        low, high = min(usual), max(usual)
        return cls(low, high) if low >= 0 else cls(-max(high, -low), max(high, -low))

    def share(self, value: float) -> float | None:
        """Return the shade of a value, negative for another colour, or None."""
        if not math.isfinite(value):
            return None
        if self.low < 0:
            return max(-1.0, min(1.0, value / self.high))
        if self.high <= self.low:
            return 0.0
        return max(0.0, min(1.0, (value - self.low) / (self.high - self.low)))


def format_matrices(
    matrices: Sequence[Rows], apart: Pair | None = None
) -> tuple[list[FormattedMatrices], list[FormattedMatrices]]:
    """Format all matrices alike, in several ways, the longest and most exact first.

    Args:
        matrices: Of numbers or booleans.
        apart: Two numbers whose texts should differ.

    Returns:
        The readable texts, and shorter ones for narrow space.
    """
    if apart is not None and apart[0] == apart[1]:
        apart = None
    values = list(_flat(matrices))
    finite = [abs(value) for value in values if math.isfinite(value)]
    ways: list[tuple[_Writer, bool]]  # a format, and True if it is exact enough to be readable
    if values and all(isinstance(value, bool) for value in values):
        ways = [(str, True), ("{!s:.1}".format, True)]  # the word, and its initial
    elif all(value == round(value) for value in finite):
        ways = [(_whole, True), (_decimal(0, exponents=False), False)]
    else:
        exponents, length = max(finite, default=1.0) < SMALL, needed_decimals(finite)
        ways = [
            (_decimal(digits, exponents=exponents), digits in (length, *_READABLE_DECIMALS))
            for digits in range(length, 0, -1)
        ]
        longest_way = ways[0][0]
        if apart is not None and longest_way(apart[0]) == longest_way(apart[1]):
            finer = [(_decimal(digits, exponents=exponents), True) for digits in _MORE_DECIMALS]
            ways = [*finer, *ways]
    readable: list[FormattedMatrices] = []
    compact: list[FormattedMatrices] = []
    for write, is_exact in ways:
        is_distinct = apart is None or write(apart[0]) != write(apart[1])
        texts = tuple([[write(value) for value in row] for row in rows] for rows in matrices)
        (readable if is_exact and is_distinct else compact).append(texts)
    return readable, compact


def longest_text(texts: Iterable[Texts]) -> int:
    """Return the length of the longest cell text."""
    return max((len(text) for rows in texts for row in rows for text in row), default=0)


def _flat(matrices: Iterable[Rows]) -> Iterator[float]:
    return (value for rows in matrices for row in rows for value in row)


def _whole(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    short = f"{value:.{_MIN_DIGITS}g}"
    if abs(value) >= LARGE and float(short) == value:  # a value such as -1e+09 in a mask
        return short
    return str(value if isinstance(value, int) else int(value))


def _decimal(digits: int, *, exponents: bool) -> _Writer:
    def write(value: float) -> str:
        if math.isfinite(value) and (exponents or abs(value) >= LARGE):
            return f"{value:.{max(digits, _MIN_DIGITS)}g}"
        return f"{value:.{digits}f}"

    return write
