"""A draft: an exercise between its source and its definition, with a record of all repairs."""

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

TestKey: TypeAlias = Literal["run", "pytest", "call"]

NOTHING: Final = object()
"""Marks a test without `expect`, since None may be an expected value."""

_MAX_ID_LENGTH: Final = 60  # characters
_NOT_IN_AN_ID: Final = re.compile(r"[^a-z0-9]+")


@dataclass(slots=True)
class DraftTest:
    """A test of a draft."""

    id: str
    key: TestKey
    code: str
    stdout: str | None = None
    given: dict[str, Any] = field(default_factory=dict)
    expect: Any = NOTHING
    description: str = ""
    is_hidden: bool = False
    points: int | None = None  # None if the source gives no points; written as 1
    keep_inputs: bool = True
    where: str = ""  # the notebook cell of the test


@dataclass(slots=True)
class Draft:
    """An exercise that is being imported.

    `notes` are parts of the source that the format cannot express, by their name there; the file
    keeps them as comments. `repairs` and `remarks` are sentences for the report.
    """

    origin: str
    id: str = ""
    title: str = ""
    difficulty: str = ""
    xp: int | None = None
    kind: str = ""
    instructions: str = ""
    starter: str = ""
    solution: str = ""
    explanation: str = ""
    hints: list[str] = field(default_factory=list)
    concepts: list[str] = field(default_factory=list)
    defines: dict[str, str] = field(default_factory=dict)  # function, class or value, by name
    operators: dict[str, list[str]] = field(default_factory=dict)  # operators by class
    tests: list[DraftTest] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class SourceDrafts:
    """The result of reading a source: drafts, remarks and failures."""

    drafts: list[Draft] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def add(self, other: "SourceDrafts") -> None:
        """Merge another result into this one."""
        self.drafts += other.drafts
        self.failures += other.failures
        self.remarks += other.remarks


def make_slug(text: str) -> str:
    """Turn any text into an id, or "" if it has no letters or digits."""
    plain = unicodedata.normalize("NFKD", text[:1000]).encode("ascii", "ignore").decode().lower()
    plain = plain.replace("'", "")
    return _NOT_IN_AN_ID.sub("-", plain)[:_MAX_ID_LENGTH].strip("-")
