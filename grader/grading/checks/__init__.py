"""One small module for each kind of test: how a submission is asked, and what a breach is."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from grader.definitions.exercise import CallTest, OutputTest, PropertyTest, PytestTest, TestCase
from grader.grading.checks import call_test, output_test, property_test, pytest_test
from grader.grading.checks.finding import Finding
from grader.grading.checks.named_properties import DiffersError
from grader.grading.expected.oracle import Oracle
from grader.grading.feedback import sentences
from grader.grading.program.author_code import TooLargeError, in_own_context, names_in
from grader.grading.program.loaded_program import Stage

_Judge = Callable[[Stage, Oracle, Any, int], Finding]

_JUDGES: Final[dict[type, _Judge]] = {
    CallTest: call_test.judge,
    OutputTest: output_test.judge,
    PropertyTest: property_test.judge,
    PytestTest: pytest_test.judge,
}


def judge(stage: Stage, oracle: Oracle, test: TestCase, number: int) -> Finding:
    """Ask a submission about one draw of a test.

    Raises:
        NoValueError, ChildGoneError: it raised, or gave nothing that could be looked at.
        TooLargeError: what it gave cannot be judged with the memory that there is.
        DefinitionError: the test could not be run, whatever the submission does.
    """
    try:
        with np.errstate(all="ignore"):  # NaN in what came is the comparison's to tell
            found = in_own_context(lambda: _JUDGES[type(test)](stage, oracle, test, number))
    except DiffersError as error:
        found = Finding(error.difference)
    except MemoryError as error:  # in a comparison: an author's own code has its own error
        raise TooLargeError from error
    return _kept_secret(stage, test, found) if stage.exercise.kind == "predict" else found


def _kept_secret(stage: Stage, test: TestCase, found: Finding) -> Finding:
    """Leave the right answer out of the sentence: in a prediction it is all there is to find."""
    if found.difference is None:
        return found
    defined = stage.exercise.defines
    used = names_in(test.call) if isinstance(test, CallTest) else set(defined)
    names = [name for name in defined if name in used]
    sentence = sentences.answer_differs(names or list(defined), found.difference.rung)
    return replace(found, difference=replace(found.difference, sentence=sentence))


__all__ = ["Finding", "judge"]
