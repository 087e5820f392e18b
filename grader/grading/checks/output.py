"""`run`: compare the output of statements that run in the submission's namespace."""

from dataclasses import replace
from typing import Any

from grader.definitions.exercise import OutputTest
from grader.grading.checks.judgement import Check, Judgement
from grader.grading.comparison.compare import Difference
from grader.grading.comparison.printed_text import compare_text
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.program.loaded_program import LoadedProgram


class OutputCheck(Check[OutputTest]):
    """The comparison of printed text."""

    def judge(
        self,
        program: LoadedProgram,
        oracle: Oracle,  # noqa: ARG002  every check has this signature
        draw: Draw,
    ) -> Judgement:
        """Run the statements of one draw and compare their output."""
        printed = program.capture_output(self.test.where, self.test.run, draw.inputs)
        return Judgement(self.compare_values(draw.expected, printed), printed)

    def compare_values(self, expected: Any, got: Any) -> Difference | None:
        """Return the difference between the printed and the expected text, or None."""
        return compare_text(expected, got, self.test.tolerance)

    def without_expected(self) -> OutputTest:
        """Return the test without its expected output."""
        return replace(self.test, stdout=None)
