"""The summary of a value in a report: plain data of bounded size.

It needs no NumPy, so that a verdict is read in little time. `summarize_values` makes these.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeAlias

Number: TypeAlias = float | int | bool
Row: TypeAlias = tuple[Number, ...]

PRINTED: Final = "printed text"
"""The summary of what was printed."""


@dataclass(frozen=True, slots=True)
class ValueSummary:
    """A value of a visible test: an input, what was expected, or what the submission gave.

    Every text in it is printable as it is, but for line feeds in `text`.
    """

    MOST_CHARACTERS: ClassVar[int] = 1000  # of a text
    MOST_CELLS: ClassVar[int] = 12  # along each axis of rows

    summary: str  # "float64 (3, 3)", "tuple of 2", "str"
    text: str  # as Python or NumPy prints it; what is too long ends in a note of how much there is
    rows: tuple[Row, ...] | None = None  # the numbers of a small array with one axis or two
    is_vector: bool = False  # its only row is an array with one axis

    def data(self) -> dict[str, Any]:
        """Return it as an object of JSON types."""
        # JSON has no NaN and no infinity: they go by their names.
        rows = None
        if self.rows is not None:
            rows = [[c if math.isfinite(c) else str(c) for c in row] for row in self.rows]
        return {
            "summary": self.summary,
            "text": self.text,
            "rows": rows,
            "vector": self.is_vector,
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "ValueSummary":
        """Return the summary that an object of JSON types describes.

        Raises:
            KeyError, TypeError, ValueError: it describes none.
        """
        rows = data["rows"]
        return cls(
            summary=data["summary"],
            text=data["text"],
            rows=None if rows is None else tuple(tuple(map(_number, row)) for row in rows),
            is_vector=data["vector"],
        )


@dataclass(frozen=True, slots=True)
class FailureValues:
    """The values of the draw that did not pass; none where none may be shown."""

    inputs: tuple[tuple[str, ValueSummary], ...] = ()
    expected: ValueSummary | None = None
    got: ValueSummary | None = None
    worst: tuple[int, ...] | None = None  # where the rows of both differ most


def _number(sent: object) -> Number:
    if isinstance(sent, str):
        return float(sent)
    if isinstance(sent, (bool, int, float)):
        return sent
    raise TypeError(f"no number: {sent!r}")
