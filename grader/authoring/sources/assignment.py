"""An assignment: a solution and its tests, as plain text."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Assignment:
    """A solution, its tests, and the files beside them.

    Attributes:
        name: The name in the report.
        kind: The source: "pytest", "unittest", "nbgrader", "otter", "exercism" or "problem folder".
        solution: The file name of the module to mutate; a key of `modules`.
        modules: Source by file name, of the solution and of modules and helpers beside it.
        tests: Source by file name, of the test modules that pytest runs.
        starter: Source that replaces the solution to check that the starter fails.
        data: Other small files that tests or modules read.
        notes: Sentences about changes and omissions by the loader, for the report.
        source: The path of the solution as the user wrote it, for the report.
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
