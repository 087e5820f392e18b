"""Pickles of a few data classes, from which nothing else can be loaded.

Bytes from a confined process or a cache may be hostile, and plain unpickling calls whatever they
name. Here they can name nothing: paths, arrays and data classes are written as plain data after a
word, which stands only for one of the classes that the reader expects.
"""

import contextlib
import dataclasses
import io
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path, PosixPath
from typing import Any, Final, Generic, TypeVar

import numpy as np

from grader.disk_cache import Cache

_Kind = TypeVar("_Kind")

_PROTOCOL: Final = 5
_ARRAY: Final = "array"
_NUMBER: Final = "number"  # the word for a NumPy number
_PATH: Final = "path"


class PickleFormat(Generic[_Kind]):
    """Writes and reads objects of one class.

    Args:
        kind: The class; plain data is possible, too.
        parts: The dataclasses inside. Numbers, texts, lists, tuples, dictionaries, sets, paths,
            arrays and NumPy numbers are always allowed.
    """

    def __init__(self, kind: type[_Kind], parts: Iterable[type]) -> None:
        self._kind = kind
        self._words: dict[type, str] = {
            part: f"{part.__module__}.{part.__name__}"
            for part in (kind, *parts)
            if dataclasses.is_dataclass(part)
        }

    def to_bytes(self, value: _Kind) -> bytes:
        """Write an object.

        Raises:
            ValueError: A part of it could not be read again.
        """
        buffer = io.BytesIO()
        try:
            _Pickler(buffer, self._words).dump(value)
        except pickle.PicklingError as error:
            raise ValueError(str(error)) from error
        return buffer.getvalue()

    def from_bytes(self, data: bytes) -> _Kind | None:
        """Read an object, or return None if the bytes are invalid."""
        try:
            value = _Unpickler(io.BytesIO(data), self._words).load()
        except Exception:  # noqa: BLE001  bytes that are not ours may raise anything
            return None
        return value if isinstance(value, self._kind) else None

    def load_or_make(self, cache: Cache, key: str, make: Callable[[], _Kind]) -> _Kind:
        """Return the cached value of a key, or compute it, and store it if it can be read again."""
        kept = cache.find(key)
        if kept is not None and (stored := self.from_bytes(kept)) is not None:
            return stored
        value = make()
        with contextlib.suppress(ValueError):
            cache.keep(key, self.to_bytes(value))
        return value


def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, words: dict[type, str]) -> None:
        super().__init__(file, protocol=_PROTOCOL)
        self._words = words

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        kind = type(obj)
        if word := self._words.get(kind):
            return word, *(getattr(obj, name) for name in _fields(kind))
        if kind is PosixPath:
            return _PATH, str(obj)
        if kind is not np.ndarray and not issubclass(kind, np.generic):
            return None
        if obj.dtype.hasobject:
            raise pickle.PicklingError("an array of objects is no plain data")
        word = _ARRAY if kind is np.ndarray else _NUMBER
        return word, obj.dtype.str, obj.shape, obj.tobytes()

    def reducer_override(self, obj: object) -> Any:
        """Refuse every object that would be written with the name of its constructor."""
        raise pickle.PicklingError(f"{type(obj).__qualname__} is no plain data")


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, words: dict[type, str]) -> None:
        super().__init__(file)
        self._kinds = {word: kind for kind, word in words.items()}

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} may not be here")

    def persistent_load(self, pid: Any) -> Any:
        word, *values = pid
        if word == _PATH:
            return Path(*values)
        if word in (_ARRAY, _NUMBER):
            dtype, shape, data = values
            array = np.frombuffer(data, np.dtype(dtype)).reshape(shape).copy()
            return array if word == _ARRAY else array[()]
        kind = self._kinds[word]
        instance: object = object.__new__(kind)  # like copying, without __init__ and its checks
        for name, value in zip(_fields(kind), values, strict=True):
            object.__setattr__(instance, name, value)
        return instance
