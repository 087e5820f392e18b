"""`call`: compare what the submission returns with what is expected."""

from typing import Any

from grader.definitions.exercise import CallTest, Exercise, LiteralValue
from grader.grading.checks.finding import Finding, evaluated
from grader.grading.comparison.ladder import (
    Difference,
    as_answer,
    as_written,
    compare,
    ignore_nan,
)
from grader.grading.expected.budget import over_budget, together
from grader.grading.expected.oracle import Oracle
from grader.grading.program.loaded_program import Stage
from grader.sandbox.answers import Usage


def judge(stage: Stage, oracle: Oracle, test: CallTest, number: int) -> Finding:
    """Make the call of one draw and compare its value, then what it took."""
    draw = oracle.draws(test)[number]
    usages = None if test.budget is None else list[Usage]()
    names = stage.names(test.where, keep_inputs=test.keep_inputs, usages=usages, most=draw.most)
    got = evaluated(test.call, {**stage.bindings(names), **oracle.inputs(test, number)})
    difference = compared(stage.exercise, test, draw.expected, got)
    if difference is None and test.budget is not None and usages is not None:
        known = oracle.usages(test)[number]
        difference = over_budget(test.budget, together(usages), known, oracle.judged_by(test))
    return Finding(difference, got)


def compared(
    exercise: Exercise,
    test: CallTest,
    expected: Any,  # noqa: ANN401  any value
    got: Any,  # noqa: ANN401  any value
) -> Difference | None:
    """Compare a value with what a test expects, as the test asks for; None if it is right."""
    if exercise.kind == "predict":
        got = as_answer(expected, got)
    if test.nan == "ignored":
        got = ignore_nan(expected, got)
    if isinstance(test.expect, LiteralValue):
        expected = as_written(expected, got)
    return compare(expected, got, test.tolerance)
