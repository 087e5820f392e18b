"""Bytes that can be read as what they were, and as nothing else."""

import os
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from grader.pickled import Pickled


@dataclass(frozen=True, slots=True)
class Part:
    values: np.ndarray


@dataclass(frozen=True, slots=True)
class Whole:
    parts: tuple[object, ...]


PICKLED = Pickled(Whole, (Part,))


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
    ],
)
def test_an_array_comes_back(values: np.ndarray) -> None:
    """Its type, its shape and every bit."""
    read = PICKLED.from_bytes(PICKLED.to_bytes(Whole((Part(values), Path("a/b"), 2.5))))

    assert read is not None
    part, path, number = read.parts
    assert isinstance(part, Part)
    assert (part.values.dtype, part.values.shape) == (values.dtype, values.shape)
    assert part.values.tobytes() == values.tobytes()
    assert (path, number) == (Path("a/b"), 2.5)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.array([object()], dtype=object), "array of objects"),
        (lambda: None, "pickle"),
        (memoryview(b"x"), "pickle"),
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
    """Damaged or foreign, they are as good as none."""
    assert PICKLED.from_bytes(data) is None


def test_reading_runs_nothing(tmp_path: Path) -> None:
    """Whoever can write the bytes can change what is read, and no more."""
    data = pickle.dumps(Payload(tmp_path / "made"))

    assert PICKLED.from_bytes(data) is None
    assert not (tmp_path / "made").exists()
