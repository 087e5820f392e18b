"""The runs that prove an exercise whose submissions are suites of tests."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from grader.authoring.verify import variants
from grader.authoring.verify.variants import REPEATS, VariantRun
from grader.authoring.verify.wrong_programs import WrongProgram
from grader.definitions.exercise import Equivalent, Exercise, SuiteTest
from grader.grading.checks.suite_test import mutants_of_program

ALONE, WITHOUT, WRONG = "alone ", "without ", "wrong "
"""Runs on one wrong program alone, of a solution without a part of it, and of a wrong suite."""
STRICT = "every wrong program"
"""The run in which the solution has to reject all of them."""


def suite_runs(exercise: Exercise) -> Iterator[VariantRun]:
    """Yield the solution as it is, strict and without parts, and suites that may not pass."""
    solution, strict = exercise.solution, _strict(exercise)
    yield variants.run_for_evidence("solution", exercise, solution)
    yield variants.run("starter", exercise, exercise.starter)
    for wrong in wrong_suites(exercise):
        yield variants.run(f"{WRONG}{wrong.id}", exercise, wrong.source)
    for how in REPEATS:
        yield variants.run_for_evidence(f"again {how}", variants.repeated(exercise, how), solution)
    yield variants.run(STRICT, strict, solution)
    for part, source in _without_parts(solution):
        yield variants.run(f"{WITHOUT}{part}", strict, source)


def alone_runs(exercise: Exercise, *, every: bool) -> Iterator[VariantRun]:
    """Yield the solution on single wrong programs.

    Args:
        every: Run it on each, not only on the mutants that it may accept.
    """
    where, solution = exercise.where, exercise.solution
    allowed = {each.change for each in exercise.equivalent}
    mutants = [Equivalent(where, each.change, "") for each in mutants_of_program(exercise)]
    for mistake in exercise.misconceptions if every else ():
        name = f"{ALONE}{mistake.id}"
        changes = {"misconceptions": (mistake,), "equivalent": tuple(mutants)}
        yield variants.run(name, variants.variant(exercise, name, **changes), solution)
    for each in mutants:
        if every or each.change in allowed:
            name = f"{ALONE}{each.change}"
            others = tuple(other for other in mutants if other is not each)
            yield variants.run(name, variants.variant(exercise, name, equivalent=others), solution)


def _strict(exercise: Exercise) -> Exercise:
    """Return the form in which a suite must reject every wrong program."""
    tests = tuple(
        replace(test, at_least=1.0) if isinstance(test, SuiteTest) else test
        for test in exercise.tests
    )
    changes = {"tests": tests, "misconceptions": exercise.misconceptions}
    return variants.variant(exercise, STRICT, **changes)


def wrong_suites(exercise: Exercise) -> tuple[WrongProgram, ...]:
    """Return suites that may not pass: the solution with nothing asserted, and one that refuses."""
    tree = ast.parse(exercise.solution)
    for place, number in _parts(tree):
        if isinstance(statement := place[number], ast.Assert):
            place[number] = ast.Expr(statement.test)
    return (
        WrongProgram("asserts nothing", "asserts nothing", ast.unparse(tree)),
        WrongProgram("refuses", "refuses everything", "def test_all():\n    assert False\n"),
    )


def _without_parts(suite: str) -> Iterator[tuple[str, str]]:
    """Yield a suite without one of its tests or assertions, after what is left out."""
    tree = ast.parse(suite)
    for place, number in _parts(tree):
        part = place[number]
        if isinstance(part, ast.Assert) and sum(isinstance(e, ast.Assert) for e in place) == 1:
            continue  # the test is left out as a whole
        place[number] = ast.Pass()
        yield f"line {part.lineno}, `{ast.unparse(part).splitlines()[0]}`", ast.unparse(tree)
        place[number] = part


def _parts(tree: ast.Module) -> list[tuple[list[ast.stmt], int]]:
    """Return the places of the tests and assertions in a suite."""
    return [
        (place, number)
        for node in ast.walk(tree)
        if isinstance(place := getattr(node, "body", None), list)
        for number, part in enumerate(place)
        if isinstance(part, ast.Assert)
        or (isinstance(part, ast.FunctionDef) and part.name.startswith("test"))
    ]
