"""pytest items made from an exercise's test cases, instead of from Python functions."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.errors import EtudeError
from grader.grading.results.verdict import Outcome, TestResult
from grader.grading.run.submission_run import SubmissionRun

if TYPE_CHECKING:
    from grader.definitions.exercise import TestCase


class NotPassedError(Exception):
    """A test case did not pass; pytest reports it as a failure with our sentence."""

    def __init__(self, result: TestResult) -> None:
        self.result = result
        super().__init__(f"{result.outcome}: {result.message}")


class TestCaseItem(pytest.Item):
    """One test case, graded on the submission that `run` gives at the time."""

    __test__ = False  # the name is a test case's, not a test's

    def __init__(
        self,
        *,
        case: "TestCase",
        run: Callable[[], SubmissionRun],
        **options: Any,  # noqa: ANN401  as in pytest
    ) -> None:
        super().__init__(**options)
        self.case = case
        self.result: TestResult | None = None
        self.fault: EtudeError | None = None
        self.hook = self.ihook  # kept: `ihook` looks for a conftest.py of the path each time
        self._run = run

    def runtest(self) -> None:
        """Grade the case; whatever is not a pass raises."""
        self.result = self.fault = None
        self._report_sections.clear()  # the item serves many submissions
        try:
            self.result = self._run().grade(self.case)
        except EtudeError as error:
            self.fault = error
            raise
        if self.result.output:
            self.add_report_section("call", "submission printed", self.result.output)
        if self.result.outcome is not Outcome.PASSED:
            raise NotPassedError(self.result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: object) -> str:
        """Show the learner's sentence; a traceback of ours would teach nobody anything."""
        if isinstance(excinfo.value, NotPassedError):
            result = excinfo.value.result
            line = f" (line {result.line})" if result.line else ""
            return f"{result.outcome}{line}: {result.message}"
        if isinstance(excinfo.value, EtudeError):
            return f"could not be graded: {excinfo.value}"
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point at the definition; a hidden test is named, never described."""
        shown = "" if self.case.hidden else self.case.description
        name = f"{self.case.id}: {shown}" if shown else str(self.case.id)
        return self.case.where.path, self.case.where.line - 1, name
