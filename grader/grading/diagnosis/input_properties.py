"""The parts of inputs, and the properties that hold for their numbers."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

Path: TypeAlias = tuple[Any, ...]
"""The names, keys and numbers that lead to a value in the inputs."""

ALL_DIFFERENT: Final = "all different"
"""A property that an example may break, unless the result says which of several numbers."""


def walk(
    value: Any, path: Path = (), is_whole: Callable[[Any], bool] = lambda _: False
) -> Iterator[tuple[Path, Any]]:
    """Yield a value and what is in it, each with the path to it.

    Args:
        is_whole: Whether a list, tuple or mapping is one thing, whose items are not yielded.
    """
    yield path, value
    if isinstance(value, (list, tuple, Mapping)) and not is_whole(value):
        for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from walk(item, (*path, key), is_whole)


def parts(value: Any) -> Iterator[tuple[Path, Any]]:
    """Yield each array and each number in a value, with the path to it."""
    for path, part in walk(value):
        if isinstance(part, (np.ndarray, np.generic, int, float, complex)):
            yield path, part


def count_numbers(value: Any) -> int:
    """Return how many numbers are written in a value."""
    return sum(int(np.size(part)) for _, part in parts(value))


def properties(part: Any) -> frozenset[str]:
    """Return what holds for all numbers of a part, of all that inputs are usually meant to keep.

    An input that breaks what holds for every ordinary draw may be one that no right program has to
    take: a probability of 2, a mask that leaves a row nothing.
    """
    array = np.asarray(part)
    if array.size == 0 or array.dtype.kind not in "biuf":
        return frozenset()
    rows = array if array.ndim else array.reshape(1)
    if array.dtype.kind == "b":
        square = rows.ndim > 1 and rows.shape[-1] == rows.shape[-2]
        diagonal = np.diagonal(rows, 0, -2, -1) if square else None
        holds = {
            "each row has True": rows.any(-1).all(),
            "each row has False": not rows.all(-1).any(),
            "the diagonal is True": diagonal is not None and diagonal.all(),
            "the diagonal is False": diagonal is not None and not diagonal.any(),
        }
    else:
        finite = np.isfinite(rows)
        with np.errstate(all="ignore"):  # between infinities and large numbers
            holds = {
                "finite": finite.all(),
                "each row has a finite number": finite.any(-1).all(),
                "positive": (rows > 0).all(),
                "not negative": (rows >= 0).all(),
                "not positive": (rows <= 0).all(),
                "negative": (rows < 0).all(),
                "at most 1": (rows <= 1).all(),
                "less than 1": (rows < 1).all(),
                "rows have the sum 1": np.allclose(rows.sum(-1), 1),
                ALL_DIFFERENT: np.unique(array).size == array.size,
                "increasing": (np.diff(rows) > 0).all(),
                "not decreasing": (np.diff(rows) >= 0).all(),
            }
    return frozenset(
        {f"of kind {array.dtype.kind}", *(name for name, is_so in holds.items() if is_so)}
    )
