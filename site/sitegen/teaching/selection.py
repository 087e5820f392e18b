"""A picture of the elements that an expression takes from a table, and of its result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from grader.lessons.figure import Figure

Array: TypeAlias = "np.typing.NDArray[np.int_]"

_POINTS: Final = np.array([[6, 9, 4, 8], [5, 6, 8, 9], [9, 9, 7, 6]])
_DEGREES: Final = np.array([[11, 18, 21, 24], [13, 22, 31, 27], [15, 25, 33, 30]])


@dataclass(frozen=True, slots=True)
class _Expression:
    code: str
    compute: Callable[[Array], Array]
    why: str
    axes: tuple[int, ...] | None = None  # the axes of a sum; None if the expression selects


@dataclass(frozen=True, slots=True)
class SelectionCell:
    """A number of the table; numbers of one group are summed."""

    text: str
    group: int | None  # None if the number is left out


@dataclass(frozen=True, slots=True)
class SelectionChoice:
    """An expression, the numbers that it uses, its result, and a sentence about it."""

    code: str
    cells: tuple[SelectionCell, ...]
    result: tuple[str, ...]
    columns: int  # number of columns in the result
    shape: str
    sentence: str


_SETS: Final = {
    "slices": (
        "points",
        _POINTS,
        (
            _Expression(
                "points[1, 2]", lambda a: a[1, 2], "A number for each axis: both are gone."
            ),
            _Expression("points[1]", lambda a: a[1], "One number: axis 0, the rows, is gone."),
            _Expression(
                "points[:, 2]", lambda a: a[:, 2], "All rows, and one column: axis 1 is gone."
            ),
            _Expression("points[0:2, 2:]", lambda a: a[0:2, 2:], "Two slices: both axes stay."),
        ),
    ),
    "sums": (
        "points",
        _POINTS,
        (
            _Expression(
                "sum(axis=0)", lambda a: a.sum(axis=0), "Each column is added up, downwards.", (0,)
            ),
            _Expression(
                "sum(axis=1)", lambda a: a.sum(axis=1), "Each row is added up, to the right.", (1,)
            ),
            _Expression(
                "sum(axis=1, keepdims=True)",
                lambda a: a.sum(axis=1, keepdims=True),
                "The same sums, each beside its own row.",
                (1,),
            ),
            _Expression("sum()", lambda a: a.sum(), "All numbers are added up.", (0, 1)),
        ),
    ),
    "places": (
        "degrees",
        _DEGREES,
        (
            _Expression(
                "degrees[degrees > 25]",
                lambda a: a[_DEGREES > 25],  # noqa: PLR2004  as in its code
                "The places where the mask is true, row by row: the table is lost.",
            ),
            _Expression(
                "degrees[[2, 0, 0]]",
                lambda a: a[[2, 0, 0]],
                "Rows 2, 0 and 0 again, in this order.",
            ),
            _Expression(
                "degrees[[0, 1, 2], [3, 2, 1]]",
                lambda a: a[[0, 1, 2], [3, 2, 1]],
                "Rows and columns are taken pair by pair.",
            ),
            _Expression("degrees[0:2, 1:3]", lambda a: a[0:2, 1:3], "Slices take a block."),
        ),
    ),
}


def view_selection(figure: Figure) -> dict[str, Any]:
    """Compute the picture."""
    array_name, array, expressions = _SETS[figure.get("of")]
    choices = []
    for expression in expressions:
        # A number's group: that of its sum; 0 if it is selected, -1 if it is left out.
        if expression.axes is None:
            places = np.arange(array.size).reshape(array.shape)
            groups = np.where(np.isin(places, expression.compute(places)), 0, -1)
        else:
            kept = [1 if axis in expression.axes else size for axis, size in enumerate(array.shape)]
            groups = np.broadcast_to(np.arange(np.prod(kept)).reshape(kept), array.shape)
        cells = tuple(
            SelectionCell(str(number), None if group < 0 else group)
            for number, group in zip(array.ravel().tolist(), groups.ravel().tolist(), strict=True)
        )
        result = np.asarray(expression.compute(array))
        texts = tuple(str(number) for number in result.ravel().tolist())
        columns = result.shape[-1] if result.ndim else 1
        sentence = f"{expression.why} The result is {', '.join(texts)}, of shape {result.shape}."
        choices.append(
            SelectionChoice(expression.code, cells, texts, columns, str(result.shape), sentence)
        )
    return {"name": array_name, "shape": str(array.shape), "choices": choices}
