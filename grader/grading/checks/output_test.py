"""`run`: compare what statements print that run after the submission, in its namespace."""

from grader.definitions.exercise import OutputTest
from grader.grading.checks.finding import Finding
from grader.grading.comparison.ladder import compare_text
from grader.grading.expected.oracle import Oracle
from grader.grading.program.loaded_program import Stage


def judge(stage: Stage, oracle: Oracle, test: OutputTest, number: int) -> Finding:
    """Run the statements of one draw and compare what they print."""
    draw = oracle.draws(test)[number]
    printed = stage.printed_by(test.where, test.run, draw.inputs)
    return Finding(compare_text(draw.expected, printed, test.tolerance), printed)
