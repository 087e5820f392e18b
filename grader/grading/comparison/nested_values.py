"""Walks over nested values: lists, tuples, deques and dicts of arrays, numbers and others."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.sandbox.in_child.value_types import with_items

ValuePath: TypeAlias = tuple[Any, ...]
"""The names, keys and indices that lead to a part of a value."""


def walk(
    value: Any,
    path: ValuePath = (),
    is_whole: Callable[[Any], bool] = lambda _: False,
    *,
    lists_alike: bool = False,
) -> Iterator[tuple[ValuePath, Any]]:
    """Yield a value and the values inside it, each with its path.

    Args:
        is_whole: Returns whether a container counts as one value, whose items are not yielded.
        lists_alike: Whether all items of a list get the same path.
    """
    yield path, value
    if isinstance(value, (list, tuple, deque, Mapping)) and not is_whole(value):
        for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            step = "*" if lists_alike and isinstance(value, list) else key
            yield from walk(item, (*path, step), is_whole, lists_alike=lists_alike)


def iter_arrays(value: object) -> Iterator[npt.NDArray[Any]]:
    """Yield the arrays in a value."""
    return (part for _, part in walk(value) if isinstance(part, np.ndarray))


def count_bytes(value: object) -> int:
    """Return the number of bytes of the arrays in a value."""
    return sum(array.nbytes for array in iter_arrays(value))


def iter_pairs(
    expected: object, got: object, path: ValuePath = ()
) -> Iterator[tuple[ValuePath, object, object]]:
    """Yield corresponding parts of two values with their path, while both have the same form."""
    if isinstance(expected, dict) and isinstance(got, dict):
        pairs = [(key, expected[key], got[key]) for key in expected if key in got]
    elif isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        same = len(expected) == len(got)
        pairs = [(n, item, got[n]) for n, item in enumerate(expected) if same]
    else:
        yield path, expected, got
        return
    for key, expected_item, item in pairs:
        yield from iter_pairs(expected_item, item, (*path, key))


def map_parts(change: Callable[[Any], Any], value: Any) -> Any:
    """Return a value with each part replaced that is not a list, a tuple or a dict.

    A named tuple keeps its type, or its names if it comes from a submission.
    """
    if isinstance(value, (list, tuple)):
        items = [map_parts(change, item) for item in value]
        if isinstance(value, list):
            return items
        return value._make(items) if hasattr(value, "_make") else with_items(value, items)
    if isinstance(value, dict):
        return {key: map_parts(change, item) for key, item in value.items()}
    return change(value)
