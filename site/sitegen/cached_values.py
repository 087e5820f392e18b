"""Values that are kept in a cache on disk."""

import contextlib
from collections.abc import Callable
from typing import TypeVar

from grader.disk_cache import Cache
from grader.sandbox.dataclass_format import DataclassFormat
from grader.sandbox.in_child.wire import UnsupportedValueError

_Kind = TypeVar("_Kind")


def load_or_make(
    cache: Cache, key: str, form: DataclassFormat[_Kind], make: Callable[[], _Kind]
) -> _Kind:
    """Return the cached value of a key, or compute it, and keep it if it has an encoding."""
    if (kept := cache.find(key)) is not None:
        with contextlib.suppress(ValueError):
            return form.from_bytes(kept)
    value = make()
    with contextlib.suppress(UnsupportedValueError):
        cache.keep(key, form.to_bytes(value))
    return value
