"""The kinds of test, with one module for each."""

from collections.abc import Mapping
from typing import Any, Final

from grader.definitions.exercise import (
    CallTest,
    FigureTest,
    OutputTest,
    PropertyTest,
    PytestTest,
    SuiteTest,
    TestCase,
)
from grader.grading.checks.call_test import CallCheck
from grader.grading.checks.judgement import Check, Judgement
from grader.grading.checks.output_test import OutputCheck
from grader.grading.checks.property_test import PropertyCheck
from grader.grading.checks.pytest_test import PytestCheck

# Figures and suites are absent: `make_check` imports their modules only when a test needs them.
_CHECKS: Final[Mapping[type, type[Check[Any]]]] = {
    CallTest: CallCheck,
    OutputTest: OutputCheck,
    PropertyTest: PropertyCheck,
    PytestTest: PytestCheck,
}


def make_check(test: TestCase) -> Check[Any]:
    """Return the check for the kind of a test."""
    if isinstance(test, FigureTest):
        from grader.grading.checks.figure_test import FigureCheck  # not shipped to pages

        return FigureCheck(test)
    if isinstance(test, SuiteTest):
        from grader.grading.checks.suite_test import SuiteCheck  # slow to import: it makes mutants

        return SuiteCheck(test)
    return _CHECKS[type(test)](test)


__all__ = ["Check", "Judgement", "make_check"]
