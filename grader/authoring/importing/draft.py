"""An exercise on its way from a source to a definition, with all that was done to it."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

TestKey: TypeAlias = Literal["run", "pytest", "call"]

NOTHING: Final = object()
"""The value of `expect` in a test that has none; None may be an expected value."""


@dataclass(slots=True)
class DraftTest:
    """A test on its way."""

    id: str
    key: TestKey
    code: str
    stdout: str | None = None
    given: dict[str, Any] = field(default_factory=dict)
    expect: Any = NOTHING
    description: str = ""
    hidden: bool = False
    points: int | None = None  # 1 where the source says nothing
    keep_inputs: bool = True
    where: str = ""  # the cell of a notebook


@dataclass(slots=True)
class Draft:
    """An exercise on its way.

    `notes` are kept in the file, as comments: what the format has no place for, by its name in the
    source. `repairs` and `remarks` are for the report, in sentences. `own_solution` is the
    solution as the source has it, with imports alone in front, where it needs more.
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
    defines: dict[str, str] = field(default_factory=dict)  # name -> function, class or value
    operators: dict[str, list[str]] = field(default_factory=dict)  # operators by class
    tests: list[DraftTest] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    own_solution: str = ""


@dataclass(slots=True)
class SourceDrafts:
    """The result of reading a source: drafts, remarks, and failures."""

    drafts: list[Draft] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def take(self, other: "SourceDrafts") -> None:
        """Add another result to this one."""
        self.drafts += other.drafts
        self.failures += other.failures
        self.remarks += other.remarks
