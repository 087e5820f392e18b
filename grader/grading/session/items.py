"""pytest items made from an exercise's test cases, instead of from Python functions."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.errors import EtudeError
from grader.grading.results.verdict import Outcome, TestResult

if TYPE_CHECKING:
    from grader.definitions.exercise import TestCase
    from grader.grading.run.submission_run import SubmissionRun


class NotPassedError(Exception):
    """A test case did not pass; pytest reports it as a failure with our sentence."""

    def __init__(self, result: TestResult) -> None:
        self.result = result
        super().__init__(f"{result.outcome}: {result.message}")


class TestCaseItem(pytest.Item):
    """One test case, graded on a submission: `run` is set before the item is run."""

    __test__ = False  # the name is a test case's, not a test's

    def __init__(
        self,
        *,
        case: "TestCase",
        **options: Any,  # noqa: ANN401  as in pytest
    ) -> None:
        super().__init__(**options)
        self.case = case
        self.result: TestResult | None = None
        self.fault: EtudeError | None = None
        self.hook = self.ihook  # kept: `ihook` looks for a conftest.py of the path each time
        self.run: SubmissionRun | None = None

    def runtest(self) -> None:
        """Grade the case; raise unless it passes."""
        assert self.run is not None  # noqa: S101  for the type checker
        self.result = self.fault = None
        self._report_sections.clear()  # the item serves many submissions
        try:
            self.result = self.run.grade(self.case)
        except EtudeError as error:
            self.fault = error
            raise
        if self.result.output:
            self.add_report_section("call", "submission printed", self.result.output)
        if self.result.outcome is not Outcome.PASSED:
            raise NotPassedError(self.result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: object) -> str:
        """Return the learner's sentence instead of a traceback of the grader."""
        if isinstance(excinfo.value, NotPassedError):
            result = excinfo.value.result
            line = f" (line {result.line})" if result.line else ""
            return f"{result.outcome}{line}: {result.message}"
        if isinstance(excinfo.value, EtudeError):
            return f"could not be graded: {excinfo.value}"
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the definition, and a name; a hidden test is not described."""
        shown = "" if self.case.hidden else self.case.description
        name = f"{self.case.id}: {shown}" if shown else str(self.case.id)
        return self.case.where.path, self.case.where.line - 1, name
