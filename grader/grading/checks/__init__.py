"""The kinds of test: one module for each."""

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

# Without the two that `make_check` imports only for a test of theirs.
_CHECKS: Final[Mapping[type, type[Check[Any]]]] = {
    CallTest: CallCheck,
    OutputTest: OutputCheck,
    PropertyTest: PropertyCheck,
    PytestTest: PytestCheck,
}


def make_check(test: TestCase) -> Check[Any]:
    """Return the check of a test, by its kind."""
    if isinstance(test, FigureTest):
        from grader.grading.checks.figure_test import FigureCheck  # no page has it

        return FigureCheck(test)
    if isinstance(test, SuiteTest):
        from grader.grading.checks.suite_test import SuiteCheck  # it makes mutants

        return SuiteCheck(test)
    return _CHECKS[type(test)](test)


__all__ = ["Check", "Judgement", "make_check"]
