"""A cache that drops the least recently used entries."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar

_Value = TypeVar("_Value")

MAX_EXERCISES: Final = 1024
"""The number of exercises whose expensive data a process keeps, about 40 KB each."""


class LruCache(Generic[_Value]):
    """Keeps at most `capacity` entries and drops the least recently used one."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[str, _Value] = OrderedDict()

    def get(self, key: str, make: Callable[[], _Value]) -> _Value:
        """Return the entry for a key; make it if it is missing."""
        if key not in self._entries:
            self._entries[key] = make()
        self._entries.move_to_end(key)
        if len(self._entries) > self._capacity:
            self._entries.popitem(last=False)
        return self._entries[key]
