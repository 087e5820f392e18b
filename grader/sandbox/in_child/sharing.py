"""Mutable objects that a test and a submission share across two processes.

Each process has its own copy of a shared container or array, under the same number (see `wire`).
Only one process runs at a time, while the other waits for its message: `[changes, released,
payload]`. So a change in one process is repeated in the other.

- `changes`: the shared objects that the sender changed since the last message, each as
  `[number, contents]`.
- `released`: the numbers of objects that are no longer shared. A process releases an object when
  it has no other reference to it, so that the object can neither change nor be seen there.
"""

import collections
import copy
import operator
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from . import wire

SHARES = b'["l",["l"'
"""The beginning of the header of a message that shares objects."""

_CONTAINERS = (
    list, dict, set, collections.Counter, collections.OrderedDict, collections.defaultdict,
    collections.deque,
)  # fmt: skip
CHANGEABLE = (*_CONTAINERS, np.ndarray, bytearray)

_State = tuple[Any, ...]


def take_snapshot(value: Any) -> _State | None:
    """Return a snapshot of an object to detect changes, or None for an immutable type."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype, value.shape, value.strides, value.flags.writeable, value.tobytes()
    if kind is bytearray:
        return (bytes(value),)
    if kind is tuple or kind in _CONTAINERS:
        return (*value, *value.values()) if isinstance(value, dict) else tuple(value)
    return None


def is_same(value: object, now: _State | None, before: _State | None) -> bool:
    """Return whether two snapshots of an object are equal. Items are compared by identity."""
    if now is None or before is None or len(now) != len(before):
        return now is before
    if type(value) in (np.ndarray, bytearray):
        return now == before
    return all(map(operator.is_, now, before))


def replace_contents(target: Any, contents: Any) -> None:
    """Give an object the contents of its changed counterpart on the other side."""
    if isinstance(target, (list, bytearray)):
        target[:] = contents
    elif isinstance(target, collections.deque):
        target.clear()
        target.extend(contents)
    elif isinstance(target, (dict, set)):
        target.clear()
        target.update(contents)
    elif (
        isinstance(target, np.ndarray) and target.flags.writeable and target.dtype == contents.dtype
    ):
        if (
            target.size == contents.size
            and target.flags.c_contiguous
            and target.shape != contents.shape
        ):
            # Only for an equal size: otherwise the memory would move, and views would be stale.
            target.resize(contents.shape, refcheck=False)
        if target.shape == contents.shape:
            target[...] = contents


Change = Callable[[Any, Any, bool], None]
"""A function that is called with an object, its new contents, and whether this side made it."""


class Sharing:
    """One side's end of the exchange of shared objects."""

    def __init__(self) -> None:
        self._shared = wire.Shared()
        self._states: dict[int, _State | None] = {}
        self._made_here: set[int] = set()
        self._released: list[int] = []

    def send(
        self, payload: object, table: wire.ObjectTable | None, *, changes: bool = True
    ) -> bytes:
        """Return the frame of a message.

        Args:
            changes: Whether to include the changes; otherwise they are kept for a later message.

        Raises:
            UnsupportedValueError: The payload or the contents of a changed object cannot cross.
        """
        self._release()
        shared, begin = self._shared, self._shared.count
        states = {n: take_snapshot(value) for n, value in shared.objects.items()} if changes else {}
        changed = [
            [number, copy.copy(shared.objects[number])]
            for number, state in states.items()
            if self._has_changed(number, state)
        ]
        try:
            if changed:
                self._count_parts()
            frame = wire.encode([changed, self._released, payload], table, shared)
        except wire.UnsupportedValueError:
            for number in [number for number in shared.objects if number >= begin]:
                shared.remove(number)
            shared.count = begin
            raise
        self._made_here.update(range(begin, shared.count))
        self._states.update(states)
        self._released = []
        return frame

    def receive(
        self,
        header: bytes | bytearray,
        body: bytes | bytearray,
        objects: wire.SandboxObjects | None,
        change: Change = lambda target, contents, _: replace_contents(target, contents),
    ) -> Any:
        """Return the payload of a message. Call `settle` before the objects can change again.

        Raises:
            MalformedError: The message is malformed.
        """
        match wire.decode(header, body, objects, self._shared):
            case [list(changes), list(released), payload]:
                pass
            case _:
                raise wire.MalformedError("no message of shared objects")
        shared = self._shared.objects
        for number in released:
            if type(number) is not int or number not in shared:
                raise wire.MalformedError("not a number of an object")
            self._forget(number)
        for item in changes:
            match item:
                case [int(number), contents] if number in shared and type(number) is int:
                    target = shared[number]
                case _:
                    raise wire.MalformedError("no change of an object")
            self._states.pop(number, None)
            if type(target) is type(contents) and type(target) in CHANGEABLE:
                change(target, contents, number in self._made_here)
        try:
            if changes:
                self._count_parts()
        except wire.UnsupportedValueError as error:
            raise wire.MalformedError(error.kind) from error
        return payload

    def settle(self) -> None:
        """Record the current state of each object as the one that the other side knows."""
        for number, value in self._shared.objects.items():
            if number not in self._states:
                self._states[number] = take_snapshot(value)

    def _count_parts(self) -> None:
        """Count the parts of each container again, since a change may have made it recursive."""
        for number, value in self._shared.objects.items():
            remaining = wire.MAX_NODES
            waiting = [(value, 0)]
            while waiting:
                part, depth = waiting.pop()
                remaining -= 1
                if remaining < 0 or depth > wire.MAX_DEPTH:
                    raise wire.UnsupportedValueError(
                        "a value that is in itself, or has too many parts", of_the_whole=True
                    )
                if isinstance(part, dict):
                    waiting += [(each, depth + 1) for pair in part.items() for each in pair]
                elif isinstance(part, (list, tuple, set, collections.deque)):
                    waiting += [(each, depth + 1) for each in part]
            self._shared.parts[number] = wire.MAX_NODES - remaining

    def _release(self) -> None:
        """Release the objects that are referred to only by this table, including their memory.

        An object that has changed is released with the next message.
        """
        shared = self._shared.objects
        shared[-1] = object()
        alone = sys.getrefcount(shared[-1])
        del shared[-1]
        owners = Counter(id(wire.memory_owner(v)) for v in shared.values() if type(v) is np.ndarray)
        for number in list(reversed(shared)):  # containers before their items
            if sys.getrefcount(shared[number]) > alone:
                continue
            if type(shared[number]) is np.ndarray:
                # mypy does not infer from the check above that the object is an array.
                key = id(wire.memory_owner(shared[number]))  # type: ignore[arg-type]
                others = owners[key] - 1
                if sys.getrefcount(wire.memory_owner(shared[number])) > alone + others:  # type: ignore[arg-type]
                    continue
                owners[key] = others
            if not self._has_changed(number, take_snapshot(shared[number])):
                self._forget(number)
                self._released.append(number)

    def _has_changed(self, number: int, state: _State | None) -> bool:
        is_known = number in self._states
        return is_known and not is_same(self._shared.objects[number], state, self._states[number])

    def _forget(self, number: int) -> None:
        self._states.pop(number, None)
        self._made_here.discard(number)
        self._shared.remove(number)
