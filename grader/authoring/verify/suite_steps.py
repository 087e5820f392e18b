"""The runs that prove an exercise whose submissions are test suites."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.authoring.verify import variants
from grader.authoring.verify.variants import Repetition, RunGroup, VariantRun
from grader.authoring.verify.wrong_programs import WrongProgram
from grader.definitions.exercise import Equivalent, Exercise, SuiteTest
from grader.grading.checks.suite import mutants_of_program


def plan_suite_runs(exercise: Exercise, wrong: Iterable[WrongProgram]) -> Iterator[VariantRun]:
    """Yield runs of the solution, also strict and without parts, and of suites that must fail."""
    solution = exercise.solution
    yield variants.plan_with_evidence(RunGroup.SOLUTION, "", exercise, solution)
    yield variants.plan_run(RunGroup.STARTER, "", exercise, exercise.starter)
    for program in wrong:
        yield variants.plan_run(RunGroup.SABOTAGED, program.id, exercise, program.source)
    for repetition in Repetition:
        yield variants.plan_with_evidence(
            RunGroup.REPEATED, repetition, variants.repeat(exercise, repetition), solution
        )
    tests = tuple(
        replace(test, at_least=1.0) if isinstance(test, SuiteTest) else test
        for test in exercise.tests
    )
    changes = {"tests": tests, "misconceptions": exercise.misconceptions}
    strict = variants.make_variant(exercise, "every wrong program", **changes)
    yield variants.plan_run(RunGroup.STRICT, "", strict, solution)
    for part, source in _without_parts(solution):
        yield variants.plan_run(RunGroup.WITHOUT_PART, part, strict, source)


def plan_single_runs(exercise: Exercise, *, with_all: bool) -> Iterator[VariantRun]:
    """Yield runs of the solution on single wrong programs.

    Args:
        with_all: True for all wrong programs, False for the mutants that it may accept.
    """
    solution = exercise.solution
    allowed = {equivalent.change for equivalent in exercise.equivalent}
    mutants = [Equivalent(exercise.where, each.change, "") for each in mutants_of_program(exercise)]
    for mistake in exercise.misconceptions if with_all else ():
        changes = {"misconceptions": (mistake,), "equivalent": tuple(mutants)}
        only = variants.make_variant(exercise, f"alone {mistake.id}", **changes)
        yield variants.plan_run(RunGroup.SINGLE_PROGRAM, mistake.id, only, solution)
    for mutant in mutants:
        if with_all or mutant.change in allowed:
            others = tuple(other for other in mutants if other is not mutant)
            only = variants.make_variant(exercise, f"alone {mutant.change}", equivalent=others)
            yield variants.plan_run(RunGroup.SINGLE_PROGRAM, mutant.change, only, solution)


def make_wrong_suites(exercise: Exercise) -> tuple[WrongProgram, ...]:
    """Return suites that must fail: the solution without assertions, and one that always fails."""
    tree = ast.parse(exercise.solution)
    for statements, index in _list_parts(tree):
        if isinstance(statement := statements[index], ast.Assert):
            statements[index] = ast.Expr(statement.test)
    return (
        WrongProgram("asserts nothing", "asserts nothing", ast.unparse(tree)),
        WrongProgram("refuses", "refuses everything", "def test_all():\n    assert False\n"),
    )


def _without_parts(suite: str) -> Iterator[tuple[str, str]]:
    """Yield the suite without one test or assertion, together with the removed part."""
    tree = ast.parse(suite)
    for statements, index in _list_parts(tree):
        part = statements[index]
        if isinstance(part, ast.Assert) and sum(isinstance(e, ast.Assert) for e in statements) == 1:
            continue  # the test is removed as a whole
        statements[index] = ast.Pass()
        yield f"line {part.lineno}, `{ast.unparse(part).splitlines()[0]}`", ast.unparse(tree)
        statements[index] = part


def _list_parts(tree: ast.Module) -> list[tuple[list[ast.stmt], int]]:
    """Return each test and assertion of a suite, as the statements around it and its index."""
    return [
        (statements, index)
        for node in ast.walk(tree)
        if isinstance(statements := getattr(node, "body", None), list)
        for index, part in enumerate(statements)
        if isinstance(part, ast.Assert)
        or (isinstance(part, ast.FunctionDef) and part.name.startswith("test"))
    ]
