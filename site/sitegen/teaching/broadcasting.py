"""A picture of broadcasting: a column and a row are stretched to a table and multiplied."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from grader.lessons.figure import Figure

Numbers: TypeAlias = tuple[tuple[int, ...], ...]
"""The rows of a table."""

_COLUMN: Final = np.array([[1], [2], [3]])
_ROW: Final = np.array([[10, 20, 30, 40]])


@dataclass(frozen=True, slots=True)
class Operand:
    """An array before and after stretching; each copy comes from the place with its number."""

    name: str
    stretched: Numbers
    rows: int  # rows of its own; the others are copies
    columns: int


@dataclass(frozen=True, slots=True)
class BroadcastStep:
    """A state of the picture, with a sentence that describes it."""

    name: str
    sentence: str


def view_broadcasting(_: Figure) -> dict[str, Any]:
    """Compute the picture."""
    column, row = np.broadcast_arrays(_COLUMN, _ROW)
    product = _COLUMN * _ROW
    shapes = tuple(str(array.shape) for array in (_COLUMN, _ROW, product))
    corner = f"{_COLUMN[-1, 0]} times {_ROW[0, -1]} is {product[-1, -1]}"
    return {
        "operands": (
            Operand("Column", _numbers(column), *_COLUMN.shape),
            Operand("Row", _numbers(row), *_ROW.shape),
        ),
        "product": _numbers(product),
        "shapes": shapes,  # shapes of the operands and the product
        "steps": (
            BroadcastStep(
                "As they are", f"A column of shape {shapes[0]} and a row of shape {shapes[1]}."
            ),
            BroadcastStep(
                "Stretched",
                f"The column is read {column.shape[1]} times, to the right. The row is read "
                f"{row.shape[0]} times, downwards. Both have the shape {shapes[2]} now.",
            ),
            BroadcastStep(
                "Multiplied",
                f"Each number meets the one in the same place. At the bottom right, {corner}.",
            ),
        ),
    }


def _numbers(array: "np.typing.NDArray[np.int_]") -> Numbers:
    return tuple(tuple(row) for row in array.tolist())
