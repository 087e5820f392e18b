"""`pytest`: run the body of a pytest test, the submission's names standing for stand-ins."""

from grader.definitions.exercise import PytestTest
from grader.grading.checks.finding import Finding
from grader.grading.checks.pytest_body import raised_here, run_body
from grader.grading.expected.oracle import Oracle
from grader.grading.program.loaded_program import Stage


def judge(stage: Stage, oracle: Oracle, test: PytestTest, number: int) -> Finding:
    """Run the body with the inputs of one draw."""
    most = oracle.draws(test)[number].most
    names = stage.names(test.where, error=raised_here, most=most)
    namespace = {**stage.bindings(names), **oracle.inputs(test, number)}
    seconds = stage.child.limits.wall_seconds
    file_name = f"pytest of {oracle.exercise.digest} {test.id}"
    return Finding(run_body(test, file_name, namespace, names, seconds))
