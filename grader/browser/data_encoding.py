"""Encodes an exercise's engine data as text, and keeps every type and dtype."""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.definitions.exercise import (
    KINDS_OF_TEST,
    Budget,
    Definition,
    Exercise,
    ExerciseLimits,
    Forbid,
    FromExpression,
    FromReference,
    FromSolution,
    Literals,
    LiteralValue,
    Misconception,
    RightProgram,
    Seeded,
    TestId,
    Tolerance,
)
from grader.errors import Location
from grader.grading.diagnosis.call_judgement import AllowedCall
from grader.grading.diagnosis.diagnostician import Mistake
from grader.grading.diagnosis.fingerprint import Fingerprint
from grader.grading.expected.oracle import Draw, TestValues
from grader.grading.feedback.versions import HERE, Versions
from grader.grading.program.value_copies import freeze_arrays
from grader.grading.results.verdict import Outcome
from grader.sandbox.answers import Usage
from grader.sandbox.in_child import wire


@dataclass(frozen=True, slots=True)
class EngineData:
    """The data that a page needs to grade one exercise."""

    exercise: Exercise
    values: Mapping[TestId, TestValues]  # without the inputs that the page draws itself
    mistakes: tuple[Mistake, ...]
    grader: Versions = HERE  # the versions of Python and NumPy with which the data was made


@dataclass(frozen=True, slots=True)
class BreakData:
    """The data that a page needs to judge a learner's calls that should break wrong programs."""

    exercise: Exercise  # with its right and wrong programs, but without tests
    calls: tuple[AllowedCall, ...]


_KINDS: Final[dict[str, type]] = {
    kind.__name__: kind
    for kind in (
        *KINDS_OF_TEST, AllowedCall, BreakData, Budget, Definition, Draw, EngineData, Exercise,
        ExerciseLimits, Fingerprint, Forbid, FromExpression, FromReference, FromSolution, Literals,
        LiteralValue, Misconception, Mistake, Outcome, RightProgram, Seeded, TestValues, Tolerance,
        Usage, Versions,
    )
}  # fmt: skip
_FIELDS: Final[dict[type, tuple[str, ...]]] = {
    kind: tuple(field.name for field in fields(kind))
    for kind in _KINDS.values()
    if is_dataclass(kind)
}
_WHERE: Final = "where"  # the field that holds the author's file: that path is not published


def to_text(data: EngineData | BreakData) -> str:
    """Encode the data of a page as text.

    Raises:
        UnsupportedValueError: A value in the data has no encoding, or the data is too large.
    """
    frame = b"".join(wire.encode(_plain(data)))
    return base64.b64encode(zlib.compress(frame, 9)).decode()


def from_text(text: str) -> Any:
    """Rebuild the data that `to_text` encoded."""
    frame = zlib.decompress(base64.b64decode(text))
    header, _ = wire.lengths(frame[: wire.PREFIX_BYTES])
    body = wire.PREFIX_BYTES + header
    return _rebuilt(wire.decode(frame[wire.PREFIX_BYTES : body], frame[body:]))


def encoded_size(value: object) -> int | None:
    """Return the number of bytes of an encoded value, uncompressed; None if it has no encoding."""
    try:
        return sum(map(len, wire.encode(_plain(value))))
    except wire.UnsupportedValueError:
        return None


def _plain(value: Any) -> Any:
    """Replace each object of the grader's own classes by a tuple of its class name and fields."""
    kind = type(value)
    # Refused before encoding, which would copy a broadcast array in full.
    if isinstance(value, np.ndarray) and value.nbytes > wire.MAX_BODY:
        raise wire.UnsupportedValueError("a large array")
    if _KINDS.get(kind.__name__) is kind:
        mark = wire.Handle(0, kind.__name__)
        if isinstance(value, Enum):
            return (mark, value.value)
        names = (name for name in _FIELDS[kind] if name != _WHERE)
        return (mark, *(_plain(getattr(value, name)) for name in names))
    if isinstance(value, Mapping) and (kind is dict or not isinstance(value, dict)):
        return {key: _plain(item) for key, item in value.items()}
    return kind(map(_plain, value)) if kind in (list, tuple) else value


def _rebuilt(value: Any) -> Any:
    match value:
        case (wire.Handle(kind=name), *parts):
            kind = _KINDS[name]
            if kind not in _FIELDS:
                return kind(*parts)
            names = _FIELDS[kind]
            sent = (name for name in names if name != _WHERE)
            values = dict(zip(sent, map(_rebuilt, parts), strict=True))
            if _WHERE in names:
                values[_WHERE] = Location(Path())
            return kind(**(freeze_arrays(values) if kind in {Draw, TestValues} else values))
        case list() | tuple():
            return type(value)(map(_rebuilt, value))
        case dict():
            return {key: _rebuilt(item) for key, item in value.items()}
    return value
