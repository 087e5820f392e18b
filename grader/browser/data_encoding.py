"""An encoding of an exercise's grading data as text, which keeps every type and dtype."""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

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
from grader.grading.diagnosis.diagnostician import KnownMisconception
from grader.grading.diagnosis.fingerprint import Fingerprint
from grader.grading.expected.oracle import Draw, TestValues
from grader.grading.feedback.versions import HERE, Versions
from grader.grading.program.value_copies import freeze_arrays
from grader.grading.results.verdict import Outcome
from grader.sandbox.answers import Usage
from grader.sandbox.dataclass_format import DataclassFormat
from grader.sandbox.in_child.wire import UnsupportedValueError


@dataclass(frozen=True, slots=True)
class GradingData:
    """The data that a page needs to grade one exercise."""

    exercise: Exercise
    values: Mapping[TestId, TestValues]  # without the inputs that the page draws itself
    mistakes: tuple[KnownMisconception, ...]
    grader: Versions = HERE  # the versions of Python and NumPy with which the data was made


@dataclass(frozen=True, slots=True)
class BreakData:
    """The data that a page needs to judge a learner's calls that should break wrong programs."""

    exercise: Exercise  # with its right and wrong programs, but without tests
    calls: tuple[AllowedCall, ...]


_FORMAT: Final = DataclassFormat[Any](
    object,
    (
        *KINDS_OF_TEST, AllowedCall, BreakData, Budget, Definition, Draw, Exercise, ExerciseLimits,
        Fingerprint, Forbid, FromExpression, FromReference, FromSolution, GradingData,
        KnownMisconception, Literals, LiteralValue, Misconception, Outcome, RightProgram, Seeded,
        TestValues, Tolerance, Usage, Versions,
    ),
    left_out={"where": Location(Path())},  # the path of the author's file is not published
)  # fmt: skip


def to_text(data: GradingData | BreakData) -> str:
    """Encode the data of a page as text.

    Raises:
        UnsupportedValueError: A value in the data has no encoding, or the data is too large.
    """
    return base64.b64encode(zlib.compress(_FORMAT.to_bytes(data), 9)).decode()


def from_text(text: str) -> Any:
    """Rebuild the data that `to_text` encoded."""
    data = _FORMAT.from_bytes(zlib.decompress(base64.b64decode(text)))
    if isinstance(data, GradingData):
        values = {test: _freeze(values) for test, values in data.values.items()}
        return replace(data, values=values)
    return data


def measure_size(value: object) -> int | None:
    """Return the number of bytes of an encoded value, uncompressed; None if it has no encoding."""
    try:
        return len(_FORMAT.to_bytes(value))
    except UnsupportedValueError:
        return None


def _freeze(values: TestValues) -> TestValues:
    draws = [
        replace(draw, inputs=freeze_arrays(draw.inputs), expected=freeze_arrays(draw.expected))
        for draw in values.draws
    ]
    return replace(values, draws=tuple(draws), exact=freeze_arrays(values.exact))
