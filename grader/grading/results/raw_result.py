"""The draw that decided a test, and how the submission's value differs from the expected one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class DifferenceKind(StrEnum):
    """A kind of difference. Those after VALUES occur only in certain kinds of test."""

    NOTHING = "nothing returned"
    SILENCE = "nothing printed"
    TYPE = "type"
    LENGTH = "length"
    SHAPE = "shape"
    DTYPE = "dtype"
    NOT_FINITE = "not finite"
    VALUES = "values"
    TEXT = "text"
    FIGURE = "figure"
    INPUTS = "inputs"
    PROPERTY = "property"
    ASSERTION = "assertion"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class RawResult:
    """The draw that decided the outcome of a test, with the submission's value.

    This data stays on the trusted side. For a hidden test none of it may be shown.
    """

    draw: int  # number of the first draw that did not pass, or of the last draw; counted from 0
    got: Any  # the value, the printed text, a `Raised`, or None without an answer
    expected: Any  # None for tests that have no expected value
    inputs: Mapping[str, Any] = field(default_factory=dict)
    difference_kind: DifferenceKind | None = None
    worst: tuple[int, ...] | None = None  # index of the largest difference between two arrays
    path: tuple[object, ...] = ()  # indices and keys that lead to these arrays
