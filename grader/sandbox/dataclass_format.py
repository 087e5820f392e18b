"""A format for objects of listed data classes: nothing else can be read from its bytes.

Bytes from a page, a confined process or a cache may be hostile, and unpickling would run what they
name. Here an object is a tuple of the name of its class and its fields, in the format of `wire`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import numpy as np

from grader.sandbox.in_child import wire

_Kind = TypeVar("_Kind")


class DataclassFormat(Generic[_Kind]):
    """A format in which objects of one class are written and read.

    Args:
        kind: The class; it may be one of plain data.
        parts: The data classes and enumerations inside. The values of `wire` and paths are always
            allowed.
        left_out: The fields that are not written, with the values that they have when read.
    """

    def __init__(
        self,
        kind: type[_Kind],
        parts: Iterable[type] = (),
        left_out: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self._kind = kind
        self._kinds: dict[str, type] = {
            part.__name__: part
            for part in (kind, *parts, Path)
            if is_dataclass(part) or issubclass(part, (Enum, Path))
        }
        self._left_out = left_out
        self._fields = {
            part: [field.name for field in fields(part)]
            for part in self._kinds.values()
            if is_dataclass(part)
        }

    def to_bytes(self, value: object) -> bytes:
        """Write an object, or a part of one.

        Raises:
            UnsupportedValueError: A value in it has no encoding, or it is too large.
        """
        return wire.encode(self._plain(value))

    def from_bytes(self, data: bytes) -> _Kind:
        """Read an object.

        Raises:
            ValueError: The bytes are invalid.
        """
        try:
            value = self._rebuilt(wire.decode(*wire.split_frame(data)))
        except Exception as error:  # bytes that are not ours may raise anything
            raise ValueError("not the bytes of an object") from error
        if isinstance(value, self._kind):
            return value
        raise ValueError(f"not the bytes of a {self._kind.__name__}")

    def _plain(self, value: Any) -> Any:
        """Replace each object of a listed class by a tuple of the class's name and its fields."""
        kind = type(value)
        # Refused before encoding, which would copy a broadcast array in full.
        if isinstance(value, np.ndarray) and value.nbytes > wire.MAX_BODY:
            raise wire.UnsupportedValueError("a large array")
        if isinstance(value, Path):
            return (wire.Handle(0, Path.__name__), str(value))
        if self._kinds.get(kind.__name__) is kind:
            mark = wire.Handle(0, kind.__name__)
            if isinstance(value, Enum):
                return (mark, value.value)
            names = (name for name in self._fields[kind] if name not in self._left_out)
            return (mark, *(self._plain(getattr(value, name)) for name in names))
        if isinstance(value, Mapping) and (kind is dict or not isinstance(value, dict)):
            return {key: self._plain(item) for key, item in value.items()}
        return kind(map(self._plain, value)) if kind in (list, tuple) else value

    def _rebuilt(self, value: Any) -> Any:
        match value:
            case (wire.Handle(kind=name), *parts):
                kind = self._kinds[name]
                if kind not in self._fields:
                    return kind(*parts)
                names = self._fields[kind]
                written = [name for name in names if name not in self._left_out]
                left_out = {name: self._left_out[name] for name in names if name not in written}
                return kind(
                    **dict(zip(written, map(self._rebuilt, parts), strict=True)), **left_out
                )
            case list() | tuple():
                return type(value)(map(self._rebuilt, value))
            case dict():
                return {key: self._rebuilt(item) for key, item in value.items()}
        return value
