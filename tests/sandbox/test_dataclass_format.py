"""Bytes that can be read as an object of a listed class, and as nothing else."""

import pickle
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from grader.sandbox.dataclass_format import DataclassFormat
from grader.sandbox.in_child import wire
from grader.sandbox.in_child.wire import UnsupportedValueError


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Part:
    values: np.ndarray


@dataclass(frozen=True, slots=True)
class Whole:
    parts: tuple[object, ...]
    secret: str = ""


FORMAT = DataclassFormat(Whole, (Colour, Part))


@pytest.mark.parametrize(
    "values",
    [
        np.array([[1.5, np.nan], [-0.0, np.inf]]),
        np.arange(12, dtype="i2").reshape(3, 4).T,
        np.array(["a", "bc"]),
        np.array([], dtype=bool),
        np.array(3, dtype=np.uint8),
        np.float32(0.1),
        np.bool(True),
    ],
)
def test_an_array_or_a_number_comes_back(values: np.ndarray) -> None:
    """Its kind, its type, its shape and every bit."""
    whole = Whole((Part(values), Path("a/b"), [Colour.RED], {"x": 2.5}), "text")
    read = FORMAT.from_bytes(FORMAT.to_bytes(whole))

    part, *others = read.parts
    assert isinstance(part, Part)
    assert type(part.values) is type(values)
    assert (part.values.dtype, part.values.shape) == (values.dtype, values.shape)
    assert part.values.tobytes() == values.tobytes()
    assert (*others, read.secret) == (Path("a/b"), [Colour.RED], {"x": 2.5}, "text")


def test_a_field_can_be_left_out() -> None:
    """Its value is not in the bytes; the reader gets the other one."""
    form = DataclassFormat(Whole, left_out={"secret": "not written"})
    written = form.to_bytes(Whole((Whole((), "one"),), "two"))

    assert b"one" not in written
    assert form.from_bytes(written) == Whole((Whole((), "not written"),), "not written")


@dataclass
class Stranger:
    """A data class that is not listed."""


@pytest.mark.parametrize(
    "value",
    [
        np.array([object()], dtype=object),
        np.broadcast_to(0.0, 1 << 40),
        lambda: None,
        memoryview(b"x"),
        Stranger(),
    ],
)
def test_a_value_without_encoding_is_not_written(value: object) -> None:
    """The error says so at once, and the caller may go on without."""
    with pytest.raises(UnsupportedValueError):
        FORMAT.to_bytes(Whole((value,)))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"garbage",
        pickle.dumps(3),
        FORMAT.to_bytes(3),
        FORMAT.to_bytes(Part(np.zeros(2))),
        DataclassFormat(Stranger).to_bytes(Stranger()),
        wire.encode((wire.Handle(0, "Whole"), 1, 2, 3)),
        FORMAT.to_bytes(Whole(()))[:-1],
    ],
)
def test_bytes_of_something_else_are_refused(data: bytes) -> None:
    """Damaged or foreign bytes give an error, whatever they name."""
    with pytest.raises(ValueError, match="not the bytes of"):
        FORMAT.from_bytes(data)
