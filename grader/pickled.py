"""Objects of a few kinds as bytes, from which nothing but these kinds can come again.

That makes bytes from a cache harmless: unpickling runs whatever the bytes name, so they may name
only data. Arrays are written as plain data, for how NumPy pickles them names functions of its own.
"""

import dataclasses
import io
import pickle
import sys
from collections.abc import Iterable
from pathlib import PosixPath
from typing import Any, Final, Generic, TypeAlias, TypeVar

_Kind = TypeVar("_Kind")
_Array: TypeAlias = tuple[str, tuple[int, ...], bytes]  # dtype, shape, data

_PROTOCOL: Final = 5


class Pickled(Generic[_Kind]):
    """Writes and reads objects of one kind.

    Args:
        kind: what is written.
        parts: the kinds of what is in it; numbers, texts, paths and arrays may always be.
    """

    def __init__(self, kind: type[_Kind], parts: Iterable[type]) -> None:
        self._kind = kind
        known: tuple[Any, ...] = (kind, PosixPath, *parts, _restored)
        self._known = {(each.__module__, each.__name__): each for each in known}

    def to_bytes(self, value: _Kind) -> bytes:
        """Write an object.

        Raises:
            ValueError: something in it could not be read again.
        """
        buffer = io.BytesIO()
        try:
            _Pickler(buffer, protocol=_PROTOCOL).dump(value)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise ValueError(str(error)) from error
        return buffer.getvalue()

    def from_bytes(self, data: bytes) -> _Kind | None:
        """Read an object; None is what damaged bytes are, or those of something else."""
        try:
            found = _Unpickler(io.BytesIO(data), self._known).load()
        except Exception:  # noqa: BLE001  damaged bytes may raise anything
            return None
        return found if isinstance(found, self._kind) else None


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: object) -> Any:  # noqa: ANN401  the overridden method's type
        """Write a dataclass by its values: its own way back is a slow one."""
        if not dataclasses.is_dataclass(obj) or isinstance(obj, type):
            return NotImplemented
        values = tuple(getattr(obj, field.name) for field in dataclasses.fields(obj))
        return _restored, (type(obj), values)

    def persistent_id(self, obj: object) -> _Array | None:
        numpy = sys.modules.get("numpy")  # without it there are no arrays
        if numpy is None or not isinstance(obj, numpy.ndarray):
            return None
        if obj.dtype.hasobject:
            raise pickle.PicklingError("an array of objects is no plain data")
        return obj.dtype.str, obj.shape, obj.tobytes()


def _restored(kind: Any, values: tuple[Any, ...]) -> object:  # noqa: ANN401  a dataclass's type
    """Make a dataclass again, as copying would: without asking it to check or fill in anything."""
    made: object = object.__new__(kind)
    for name, value in zip(kind.__dataclass_fields__, values, strict=True):
        object.__setattr__(made, name, value)
    return made


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, known: dict[tuple[str, str], Any]) -> None:
        super().__init__(file)
        self._known = known

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401  the overridden method's type
        found = self._known.get((module, name))
        if found is None:
            raise pickle.UnpicklingError(f"{module}.{name} may not be here")
        return found

    def persistent_load(self, pid: Any) -> Any:  # noqa: ANN401  the overridden method's types
        import numpy as np  # noqa: PLC0415  most of what is read has no arrays

        dtype, shape, data = pid
        return np.frombuffer(data, np.dtype(dtype)).reshape(shape).copy()
