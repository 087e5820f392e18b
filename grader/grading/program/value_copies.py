"""Copies of inputs, so that no evaluation changes the inputs of the next."""

from collections import deque
from types import NoneType
from typing import Any, Final

import numpy as np

from grader.sandbox.in_child.layout import arrange, is_read_only, lend

_SCALARS: Final = frozenset(np.sctypeDict.values()) - {np.void, np.object_}
_IMMUTABLE: Final = _SCALARS | {NoneType, bool, int, float, complex, str, bytes, range}


def freeze_arrays(value: Any) -> Any:
    """Return a value with read-only arrays, so that no call changes the inputs of the next.

    Arrays keep their layout in memory and are writable in the sandbox, except those that the author
    made read-only.
    """
    if isinstance(value, np.ndarray):
        return lend(value) if value.flags.writeable else value
    if isinstance(value, tuple):
        return getattr(value, "_make", tuple)([freeze_arrays(item) for item in value])
    if isinstance(value, (list, dict, deque)):
        frozen = value.copy()  # keeps a subclass such as `defaultdict`
        for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
            frozen[key] = freeze_arrays(item)
        return frozen
    return set(value) if isinstance(value, set) else value


class NotCopyableError(Exception):
    """A value may hold an object that cannot be copied, such as a function or an iterator."""


def copy_containers(value: Any) -> Any:
    """Return a copy of a frozen value for one evaluation, which may change it.

    Lists, dicts and sets are copied. Arrays are shared, since they are read-only.

    Raises:
        NotCopyableError: The value may hold an object that cannot be copied.
    """
    kind = type(value)
    if kind in _IMMUTABLE or (kind is np.ndarray and not value.dtype.hasobject):
        return value
    if kind in {list, tuple, set, frozenset}:
        return kind([i if type(i) in _IMMUTABLE else copy_containers(i) for i in value])
    if kind is dict:
        return {copy_containers(key): copy_containers(item) for key, item in value.items()}
    if kind is type and value in _IMMUTABLE:  # a dtype such as np.float32
        return value
    raise NotCopyableError(kind.__name__)


def copy_for_body(value: Any) -> Any:
    """Return a copy of an input whose arrays the body of a test may change."""
    if type(value) is np.ndarray and not value.dtype.hasobject:
        copy = value.copy() if value.flags.c_contiguous else arrange(value, value.strides)
        copy.flags.writeable = not is_read_only(value)
        return copy
    if type(value) in {list, tuple}:
        return type(value)([copy_for_body(item) for item in value])
    if type(value) is dict:
        return {key: copy_for_body(item) for key, item in value.items()}
    return value
