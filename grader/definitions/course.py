"""The facts that the exercises of a course share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from grader.definitions.imports import find_packages
from grader.errors import DefinitionError, Location, Problem

CertificationMode: TypeAlias = Literal["certified", "practice"]


@dataclass(frozen=True, slots=True)
class Course:
    """A loaded `course.yaml`: the facts that the exercises of a course share."""

    where: Location
    title: str
    grading: CertificationMode = "certified"
    reference: str = ""  # name of the reference's package
    sources: Mapping[str, str] = field(default_factory=dict)  # source of each module, by path
    packages: tuple[str, ...] = ()  # installed modules that submissions may import
    # The problem of each package that is not installed.
    problem_by_package: Mapping[str, Problem] = field(default_factory=dict)
    digest: str = ""  # SHA-256 of reference and packages; empty if the course has neither

    @property
    def modules(self) -> Mapping[str, str]:
        """The path of each module of the reference, by the module's name."""
        names = (path.removesuffix(".py").removesuffix("/__init__") for path in self.sources)
        return {
            name.replace("/", "."): path for name, path in zip(names, self.sources, strict=True)
        }

    def find_package_problems(self, code: str) -> tuple[Problem, ...]:
        """Return the problems for packages that code imports but that are not installed."""
        names = find_packages(code, self.problem_by_package) if self.problem_by_package else ()
        return tuple(
            problem
            for package, problem in self.problem_by_package.items()
            if package.partition(".")[0] in names
        )

    def refuse_missing_packages(self, code: str) -> None:
        """Raise `DefinitionError` if code imports a package that is not installed."""
        if problems := self.find_package_problems(code):
            raise DefinitionError(problems)
