"""A lazily evaluated sequence."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar, overload

_Item = TypeVar("_Item")


class Deferred(Sequence[_Item]):
    """A sequence that is made on first use, and then remembered.

    Args:
        make: Makes the items.
    """

    def __init__(self, make: Callable[[], Iterable[_Item]]) -> None:
        self._make = make

    @cached_property
    def _items(self) -> tuple[_Item, ...]:
        return tuple(self._make())

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_Item, ...]: ...
    def __getitem__(self, index: int | slice) -> _Item | tuple[_Item, ...]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)
