"""`call`: compare the value that the submission returns with the expected value."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from grader.definitions.exercise import CallTest, FromExpression, LiteralValue
from grader.grading.checks.judgement import (
    Check,
    Judgement,
    evaluate_expression,
    find_changed_input,
)
from grader.grading.comparison.compare import (
    Difference,
    compare,
    compare_dtypes,
    ignore_nan,
    in_expected_form,
    with_accepted_types,
    with_float_literals,
)
from grader.grading.expected.budget import find_excess, total_usage
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.program.author_code import names_in
from grader.grading.program.loaded_program import LoadedProgram
from grader.grading.program.requests import Requests
from grader.sandbox.answers import Usage


class CallCheck(Check[CallTest]):
    """The comparison of a value, then of the time and the memory of the call."""

    def judge(self, program: LoadedProgram, oracle: Oracle, draw: Draw) -> Judgement:
        """Make the call of one draw; judge its value, then changed inputs, then its usage."""
        test = self.test
        inputs = oracle.inputs(test, draw)
        usages = None if test.budget is None else list[Usage]()
        requests = Requests(
            program,
            test.where,
            keep_inputs=test.keep_inputs,
            usages=usages,
            max_bytes=draw.max_bytes,
        )
        got = requests.as_data(
            evaluate_expression(test.call, {**program.bindings(requests), **inputs})
        )
        difference = self.compare_values(draw.expected, got)
        if difference is None:
            difference = find_changed_input(requests, inputs, test.call, is_right=True)
        if difference is None and test.budget is not None and usages is not None:
            usual = oracle.usages(test)[draw.number]
            difference = find_excess(
                test.budget, total_usage(usages), usual, oracle.budget_baseline(test)
            )
        return Judgement(difference, got)

    def compare_values(self, expected: Any, got: Any) -> Difference | None:
        """Return the difference from the expected value under the test's options, or None."""
        if self.test.accept:
            expected, got = with_accepted_types(expected, got, self.test.accept)
        if self.test.nan == "ignored":
            got = ignore_nan(expected, got)
        if isinstance(self.test.expect, LiteralValue):
            expected = with_float_literals(expected, got)
        difference = compare_dtypes(expected, got) if self.test.dtype == "exact" else None
        return difference or compare(expected, got, self.test.tolerance)

    def used_names(self, defined: Collection[str]) -> Collection[str]:
        """Return the defined names in the call, or all of them if none occurs."""
        used = names_in(self.test.call)
        return [name for name in defined if name in used] or defined

    def without_time(self) -> CallTest:
        """Return the test with only the memory part of its budget."""
        budget = self.test.budget
        if budget is None:
            return self.test
        memory_alone = None if budget.memory is None else replace(budget, time=None)
        return replace(self.test, budget=memory_alone)

    def without_expected(self) -> CallTest:
        """Return the test without its expected value or expression."""
        match self.test.expect:
            case LiteralValue():
                return replace(self.test, expect=LiteralValue(None))
            case FromExpression():
                return replace(self.test, expect=FromExpression(""))
        return self.test


class AnswerCheck(CallCheck):
    """The comparison of a prediction's answer, which may be written in another form."""

    def compare_values(self, expected: Any, got: Any) -> Difference | None:
        """Return the difference of an answer from the expected value, or None."""
        return super().compare_values(expected, in_expected_form(expected, got))
