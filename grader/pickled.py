"""Objects of a few kinds as bytes, from which nothing but these kinds can come again.

Bytes from a cache may be damaged, or not ours at all, and unpickling calls and changes whatever the
bytes name. So they may name nothing: paths, arrays and dataclasses are written as plain data under
a word, which only stands for one of the kinds that the reader expects.
"""

import dataclasses
import hashlib
import io
import pickle
import sys
from collections.abc import Iterable
from pathlib import Path, PosixPath
from typing import Any, Final, Generic, TypeAlias, TypeVar

_Kind = TypeVar("_Kind")
_Plain: TypeAlias = tuple[Any, ...]  # the word of its kind, then what it is made of

_PROTOCOL: Final = 5
_DIGEST: Final = hashlib.sha256().digest_size
_ARRAY: Final = "array"
_NUMBER: Final = "number"  # of a type of NumPy's
_PATH: Final = "path"


class Pickled(Generic[_Kind]):
    """Writes and reads objects of one kind.

    Args:
        kind: what is written, a dataclass.
        parts: the dataclasses that are in it; numbers, texts, lists, tuples, dictionaries, sets,
            paths, arrays and NumPy's numbers may always be.
    """

    def __init__(self, kind: type[_Kind], parts: Iterable[type]) -> None:
        self._kind = kind
        shapes = [_Shape(each) for each in (kind, *parts)]
        self._by_kind = {shape.kind: shape for shape in shapes}
        self._by_word = {shape.word: shape for shape in shapes}

    def to_bytes(self, value: _Kind) -> bytes:
        """Write an object.

        Raises:
            ValueError: something in it could not be read again.
        """
        buffer = io.BytesIO()
        try:
            _Pickler(buffer, self._by_kind).dump(value)
        except pickle.PicklingError as error:
            raise ValueError(str(error)) from error
        data = buffer.getvalue()
        return hashlib.sha256(data).digest() + data

    def from_bytes(self, data: bytes) -> _Kind | None:
        """Read an object; None is what damaged bytes are, or those of something else."""
        if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
            return None
        try:
            found = _Unpickler(io.BytesIO(data[_DIGEST:]), self._by_word).load()
        except Exception:  # noqa: BLE001  bytes that are not ours may raise anything
            return None
        return found if isinstance(found, self._kind) else None


class _Shape:
    """What a kind of dataclass is called, and the names of its fields."""

    def __init__(self, kind: Any) -> None:  # noqa: ANN401  a dataclass's type
        self.kind: type = kind
        self.word = f"{kind.__module__}.{kind.__name__}"
        self.names = tuple(field.name for field in dataclasses.fields(kind))

    def make(self, values: list[Any]) -> object:
        """Make one again, as copying would: without asking it to check or fill in anything."""
        made: object = object.__new__(self.kind)
        for name, value in zip(self.names, values, strict=True):
            object.__setattr__(made, name, value)
        return made


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, shapes: dict[type, _Shape]) -> None:
        super().__init__(file, protocol=_PROTOCOL)
        self._shapes = shapes

    def persistent_id(self, obj: object) -> _Plain | None:
        kind = type(obj)
        if shape := self._shapes.get(kind):
            return shape.word, *(getattr(obj, name) for name in shape.names)
        if kind is PosixPath:
            return _PATH, str(obj)
        numpy = sys.modules.get("numpy")  # without it there are no arrays
        if numpy is None or not (kind is numpy.ndarray or issubclass(kind, numpy.generic)):
            return None
        array: Any = obj
        if array.dtype.hasobject:
            raise pickle.PicklingError("an array of objects is no plain data")
        word = _ARRAY if kind is numpy.ndarray else _NUMBER
        return word, array.dtype.str, array.shape, array.tobytes()

    def reducer_override(self, obj: object) -> Any:  # noqa: ANN401  the overridden method's type
        """Refuse whatever would be written with the name of how to make it."""
        raise pickle.PicklingError(f"{type(obj).__qualname__} is no plain data")


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, shapes: dict[str, _Shape]) -> None:
        super().__init__(file)
        self._shapes = shapes

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401  the overridden method's type
        raise pickle.UnpicklingError(f"{module}.{name} may not be here")

    def persistent_load(self, pid: Any) -> Any:  # noqa: ANN401  the overridden method's types
        word, *values = pid
        if word == _PATH:
            return Path(*values)
        if word == _ARRAY:
            return _array(*values)
        if word == _NUMBER:
            return _array(*values)[()]
        return self._shapes[word].make(values)


def _array(dtype: str, shape: tuple[int, ...], data: bytes) -> Any:  # noqa: ANN401  NumPy is imported below
    import numpy as np  # noqa: PLC0415  most of what is read has no arrays

    return np.frombuffer(data, np.dtype(dtype)).reshape(shape).copy()
