"""The kinds of test, with one module for each, and the judgement on one draw of a test."""

import contextvars
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from grader.definitions.exercise import (
    CallTest,
    Exercise,
    FigureTest,
    OutputTest,
    PropertyTest,
    PytestTest,
    SuiteTest,
    TestCase,
)
from grader.grading.checks.call import AnswerCheck, CallCheck
from grader.grading.checks.judgement import Check, DiffersError, Judgement
from grader.grading.checks.output import OutputCheck
from grader.grading.checks.property import PropertyCheck
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.program.author_code import TooLargeError
from grader.grading.program.loaded_program import LoadedProgram

# The other kinds are absent: `make_check` imports their modules only when a test needs them.
_CHECKS: Final[Mapping[type, type[Check[Any]]]] = {
    CallTest: CallCheck,
    OutputTest: OutputCheck,
    PropertyTest: PropertyCheck,
}


def make_check(exercise: Exercise, test: TestCase) -> Check[Any]:
    """Return the check for the kind of a test, or for an answer of a prediction."""
    if exercise.is_prediction and isinstance(test, CallTest):
        return AnswerCheck(test)
    if isinstance(test, FigureTest):
        from grader.grading.checks.figure import FigureCheck  # not shipped to pages

        return FigureCheck(test)
    if isinstance(test, PytestTest):
        from grader.grading.checks.pytest_body import PytestCheck  # imports pytest

        return PytestCheck(test)
    if isinstance(test, SuiteTest):
        from grader.grading.checks.suite import SuiteTestCheck  # slow to import: it makes mutants

        return SuiteTestCheck(test)
    return _CHECKS[type(test)](test)


def judge(program: LoadedProgram, oracle: Oracle, test: TestCase, draw: Draw) -> Judgement:
    """Judge a submission in one draw of a test.

    Raises:
        NoValueError, ChildGoneError: The submission raised an error or gave no readable value.
        TooLargeError: The submission's value is too large to be judged in memory.
        DefinitionError: The test cannot run with any submission.
    """
    check = make_check(program.exercise, test)
    try:
        with np.errstate(all="ignore"):  # the comparison reports NaN
            # In a context of its own, so that the author's NumPy settings end with the draw.
            return contextvars.copy_context().run(check.judge, program, oracle, draw)
    except DiffersError as error:
        return Judgement(error.difference)
    except MemoryError as error:  # raised by a comparison; the author's code raises `TooLargeError`
        raise TooLargeError from error


__all__ = ["Check", "Judgement", "judge", "make_check"]
