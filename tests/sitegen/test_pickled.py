"""Bytes that can be read as what they were, and as nothing else."""

import io
import os
import pickle
from dataclasses import dataclass
from pathlib import Path, PosixPath
from typing import NamedTuple

import numpy as np
import pytest

from sitegen.pickled import PickleFormat


@dataclass(frozen=True, slots=True)
class Part:
    values: np.ndarray


@dataclass(frozen=True, slots=True)
class Whole:
    parts: tuple[object, ...]


PICKLED = PickleFormat(Whole, (Part,))


class Payload:
    """Runs something when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (os.fspath(self.path),)


@pytest.mark.parametrize(
    "values",
    [
        np.array([[1.5, np.nan], [-0.0, np.inf]]),
        np.arange(12, dtype=">i2").reshape(3, 4).T,
        np.array(["a", "bc"]),
        np.array([], dtype=bool),
        np.array(3, dtype=np.uint8),
        np.float32(0.1),
        np.bool(True),
    ],
)
def test_an_array_or_a_number_comes_back(values: np.ndarray) -> None:
    """Its kind, its type, its shape and every bit."""
    read = PICKLED.from_bytes(PICKLED.to_bytes(Whole((Part(values), Path("a/b"), 2.5))))

    assert read is not None
    part, path, number = read.parts
    assert isinstance(part, Part)
    assert type(part.values) is type(values)
    assert (part.values.dtype, part.values.shape) == (values.dtype, values.shape)
    assert part.values.tobytes() == values.tobytes()
    assert (path, number) == (Path("a/b"), 2.5)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.array([object()], dtype=object), "array of objects"),
        (lambda: None, "function is no plain data"),
        (memoryview(b"x"), "memoryview is no plain data"),
        (Whole, "type is no plain data"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(value: object, reason: str) -> None:
    """The error says so at once, and the caller may go on without."""
    with pytest.raises(ValueError, match=reason):
        PICKLED.to_bytes(Whole((value,)))


@pytest.mark.parametrize(
    "data", [b"", b"garbage", pickle.dumps(3), pickle.dumps(Path("x")), pickle.dumps(ValueError())]
)
def test_bytes_of_something_else_are_nothing(data: bytes) -> None:
    """Damaged or foreign bytes give None."""
    assert PICKLED.from_bytes(data) is None


def test_reading_runs_nothing(tmp_path: Path) -> None:
    """Anyone who can write the bytes can change what is read, and no more."""
    data = pickle.dumps(Payload(tmp_path / "made"))

    assert PICKLED.from_bytes(data) is None
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("named", ["pathlib\nPosixPath", f"{__name__}\nPart"])
def test_reading_changes_no_class(named: str) -> None:
    """Bytes that set an attribute of a class would reach whatever is done with it afterwards."""
    set_attribute = f"c{named}\n(N}}S'is_dir'\nI1\nstb.".encode()

    assert PICKLED.from_bytes(set_attribute) is None
    assert PosixPath.is_dir is Path.is_dir
    assert not hasattr(Part, "is_dir")


class Forged(NamedTuple):
    words: tuple[object, ...]


class Forger(pickle.Pickler):
    """Writes any words in place of an object."""

    def persistent_id(self, obj: object) -> object:
        return obj.words if isinstance(obj, Forged) else None


@pytest.mark.parametrize(("dtype", "is_read"), [("f8", True), ("O", False), ([("a", "O")], False)])
def test_no_address_is_read_as_an_object(dtype: object, is_read: bool) -> None:
    """An array of objects would hold whatever lies at the addresses that its bytes name."""
    array = Forged(("array", dtype, (1,), bytes(8)))
    written = io.BytesIO()
    Forger(written).dump(Forged((f"{__name__}.Whole", (array,))))
    assert (PICKLED.from_bytes(written.getvalue()) is not None) == is_read
