"""Keeps what takes long to find out, within a budget of bytes."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

_Kind = TypeVar("_Kind")


class Known(Generic[_Kind]):
    """What is known under each key; what was used longest ago is forgotten first.

    Args:
        most: bytes that all of it may hold together; the entry in use is kept whatever it holds.
        weight_of: returns the bytes of one entry, which may grow with its use.
    """

    def __init__(self, most: int, weight_of: Callable[[_Kind], int]) -> None:
        self._most = most
        self._weight_of = weight_of
        self._entries: dict[str, tuple[_Kind, int]] = {}  # with its weight, the oldest use first
        self._total = 0

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    @contextlib.contextmanager
    def use(self, key: str, make: Callable[[], _Kind]) -> Iterator[_Kind]:
        """Give what is known under a key, or make it; afterwards it is weighed again."""
        value, weight = self._entries.pop(key) if key in self._entries else (make(), 0)
        self._entries[key] = value, weight
        try:
            yield value
        finally:
            self._weigh(key)

    def add(self, key: str, value: _Kind) -> list[str]:
        """Add an entry, or use the one that is there; return the keys that had to go for it."""
        self._entries[key] = self._entries.pop(key, (value, 0))
        return self._weigh(key)

    def _weigh(self, key: str) -> list[str]:
        value, before = self._entries[key]
        weight = self._weight_of(value)
        self._entries[key] = value, weight
        self._total += weight - before
        gone = []
        while self._total > self._most and (oldest := next(iter(self._entries))) != key:
            self._total -= self._entries.pop(oldest)[1]
            gone.append(oldest)
        return gone
