"""An assignment that is audited, as plain text."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Assignment:
    """A solution, its tests, and the files beside them.

    Attributes:
        name: For the report.
        kind: The source: "pytest", "unittest", "nbgrader", "otter", "exercism" or "problem folder".
        solution: The file name of the module whose mutants are made; a key of `modules`.
        modules: File name -> source: the solution, and further modules and helpers beside it.
        tests: File name -> source of the modules of tests, which pytest runs.
        starter: The source that replaces the solution's for the check that the starter fails.
        data: Other small files that tests or modules read.
        notes: What a loader changed or left out, for the report.
        source: The file that the solution was read from, as it was named, for the report.
    """

    name: str
    kind: str
    solution: str
    modules: Mapping[str, str]
    tests: Mapping[str, str]
    starter: str | None = None
    data: Mapping[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    source: str = ""
