"""Inputs as trees of arrays, numbers and texts: their parts, Python text and properties."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.grading.comparison.compare import NUMERIC
from grader.grading.comparison.nested_values import ValuePath, walk

Array: TypeAlias = npt.NDArray[Any]

Inputs: TypeAlias = Mapping[str, Any]

ALL_DIFFERENT: Final = "all different"
"""The property that all numbers differ. An example may lack it, unless the result depends on the
order of equal numbers."""

_DEFAULT_DTYPES = ("bool", "int64", "float64", "complex128")  # NumPy's dtypes for Python numbers


class NotWritableError(Exception):
    """A value cannot be written as short Python text."""


def parts(value: Any, *, lists_alike: bool = False) -> Iterator[tuple[ValuePath, Any]]:
    """Yield each array and each number in a value, with its path."""
    for path, part in walk(value, lists_alike=lists_alike):
        if isinstance(part, NUMERIC):
            yield path, part


def arrays_in(value: Any) -> Iterator[tuple[ValuePath, Array]]:
    """Yield each array in a value with its path; lists of numbers or of rows count as arrays."""
    for path, part in walk(value, is_whole=_is_numbers):
        if isinstance(part, np.ndarray) or _is_numbers(part):
            yield path, np.asarray(part)


def _is_numbers(value: Any) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    if value and all(isinstance(row, list) for row in value):
        return len(set(map(len, value))) == 1 and all(map(_is_numbers, value))
    return all(isinstance(item, (int, float, complex, np.generic)) for item in value)


def axes_in(value: Any) -> Iterator[tuple[ValuePath, int, int]]:
    """Yield the axes of the arrays, lists and tuples in a value: path, number and length."""
    for path, part in walk(value):
        if isinstance(part, (np.ndarray, list, tuple)):
            lengths = part.shape if isinstance(part, np.ndarray) else (len(part),)
            yield from ((path, axis, length) for axis, length in enumerate(lengths))


def keys_in(value: Any) -> Iterator[Any]:
    """Yield the keys of the mappings in a value."""
    for _, part in walk(value):
        if isinstance(part, Mapping):
            yield from part


def texts_in(value: Any) -> Iterator[str]:
    """Yield the strings in a value, including keys."""
    for _, part in walk([value, *keys_in(value)]):
        if isinstance(part, str):
            yield part


def numbers_in(value: Any) -> frozenset[float]:
    """Return the distinct numbers in a value, without booleans, and complex ones as two parts."""
    arrays = [np.asarray(part) for _, part in parts(value)]
    arrays += [array.imag for array in arrays if array.dtype.kind == "c"]
    # NumPy stores an integer that is too large for its dtypes as an object.
    real = [part.real.astype(np.float64).ravel() for part in arrays if part.dtype.kind in "iufcO"]
    return frozenset(np.concatenate(real).tolist()) if real else frozenset()


def count_numbers(value: Any) -> int:
    """Return the number of numbers in a value."""
    return sum(int(np.size(part)) for _, part in parts(value))


def with_part_at(value: Any, path: ValuePath, part: Any) -> Any:
    """Return a copy of a value with the part at a path replaced."""
    if not path:
        return part
    key, *rest = path
    if isinstance(value, Mapping):
        return {**value, key: with_part_at(value[key], tuple(rest), part)}
    items = list(value)
    items[key] = with_part_at(items[key], tuple(rest), part)
    return type(value)(items)


def python_text(value: Any) -> str:  # noqa: C901, PLR0911  one return for each type
    """Return Python text that evaluates to a value of numbers, texts, arrays and containers.

    Raises:
        NotWritableError: The value has another type.
    """
    kind = type(value)
    if kind in (float, complex):
        text = repr(value)
        if np.isfinite(value):
            return text
        if kind is complex:
            raise NotWritableError(text)
        return f"{'-' if text.startswith('-') else ''}np.{text.lstrip('-')}"
    if value is None or kind in (bool, int, str):
        return repr(value)
    if kind is np.ndarray and value.dtype.kind in "biufcU":
        is_usual = value.dtype.name in _DEFAULT_DTYPES or value.dtype.kind == "U"
        dtype = "" if is_usual else f", dtype=np.{value.dtype.name}"
        if value.size == 0:
            return f"np.zeros({value.shape}, dtype=np.{value.dtype.name})"
        if value.dtype.kind == "f":  # only as many digits as its dtype needs
            value = value.astype(str).astype(np.float64)
        return f"np.array({python_text(value.tolist())}{dtype})"
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        text = python_text(value.item())
        return text if value.dtype.name in _DEFAULT_DTYPES else f"np.{value.dtype.name}({text})"
    if kind is list:
        return f"[{', '.join(map(python_text, value))}]"
    if kind is tuple:
        return f"({', '.join(map(python_text, value))}{',' if len(value) == 1 else ''})"
    if kind is dict:
        return f"{{{', '.join(f'{python_text(k)}: {python_text(v)}' for k, v in value.items())}}}"
    raise NotWritableError(kind.__name__)


def find_properties(part: Any) -> frozenset[str]:
    """Return the names of the properties that a part of some inputs has.

    Inputs without a property that all ordinary draws have may be invalid for the task, such as a
    probability of 2, or a mask that excludes a whole row.
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
        with np.errstate(all="ignore"):  # differences of infinities or large numbers
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


class OrdinaryInputs:
    """The properties that each part has in all ordinary inputs, by path.

    Args:
        lists_alike: Whether all items of a list share their properties.
    """

    def __init__(self, draws: Iterable[Any], *, lists_alike: bool = False) -> None:
        self._lists_alike = lists_alike
        self._properties: dict[ValuePath, frozenset[str]] = {}
        for path, part in (p for draw in draws for p in parts(draw, lists_alike=lists_alike)):
            here = find_properties(part)
            self._properties[path] = self._properties.get(path, here) & here

    def properties_at(self, path: ValuePath) -> frozenset[str]:
        """Return the properties of the part at a path."""
        return self._properties.get(path, frozenset())

    def lacking(self, value: Any, path: ValuePath = ()) -> frozenset[str]:
        """Return the usual properties that a value at a path, or a part of it, lacks."""
        lacking = frozenset[str]()
        for inner, part in parts(value, lists_alike=self._lists_alike):
            if usual := self.properties_at((*path, *inner)):
                lacking |= usual - find_properties(part)
        return lacking

    def has_ties(self, inputs: Any) -> bool:
        """Return whether some numbers are equal although they differ in all ordinary inputs."""
        return ALL_DIFFERENT in self.lacking(inputs)
