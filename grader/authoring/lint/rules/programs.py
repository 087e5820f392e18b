"""Rules about the programs in an exercise: starter, solution, misconceptions."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from grader.authoring.lint.python import normalize, squeeze
from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import LintedExercise
from grader.definitions.rules.subject import Step
from grader.definitions.wording import quote
from grader.errors import Problem

WIDTH: Final = 88  # columns

_HEAD: Final = re.compile(r"^\s*(async\s+)?(def|class)\b.*$", re.MULTILINE)


@rule("ETU401", "error")
def starter_is_solution(subject: LintedExercise) -> Iterator[Problem]:
    """The starter is the solution."""
    if _is_solution(subject, "starter"):
        yield subject.problem("this is the solution already", "starter")


@rule("ETU402", "warning")
def starter_tells_solution(subject: LintedExercise) -> Iterator[Problem]:
    """The starter contains what the solution returns."""
    if subject.exercise.kind != "write" or _is_solution(subject, "starter"):
        return
    # A helper's header, `def attention(Q, K, V):`, looks like the call that learners should find.
    starter = squeeze(_HEAD.sub("", subject.exercise.starter))
    starters, solution = _find_functions(subject, "starter"), _find_functions(subject, "solution")
    written = {name for name, form in starters.items() if form == solution.get(name)}
    for function in subject.solved_functions:
        if function.name in written and not written >= {*subject.exercise.defines}:
            continue
        returns = () if "." in function.name else function.returns  # methods may be given
        if returns and all(value.is_telling and value.is_in(starter) for value in returns):
            message = f"this contains what the solution's {quote(function.name)} returns"
            yield subject.problem(message, "starter")


def _find_functions(subject: LintedExercise, key: str) -> dict[str, str]:
    """Return the normal form of each top-level function of a program."""
    tree = subject.tree("exec", key)
    top = ast.iter_child_nodes(tree) if tree is not None else ()
    return {node.name: normalize(node) for node in top if isinstance(node, ast.FunctionDef)}


def _is_solution(subject: LintedExercise, *steps: Step) -> bool:
    form = subject.shape(*steps)
    return form is not None and form == subject.shape("solution")


@rule("ETU403", "error")
def misconception_is_solution(subject: LintedExercise) -> Iterator[Problem]:
    """The program of a misconception is the solution."""
    for index, misconception in enumerate(subject.exercise.misconceptions):
        steps = ("misconceptions", index, "code")
        if _is_solution(subject, *steps):
            message = f"the program of {quote(misconception.id)} is the solution"
            yield subject.problem(message, *steps)


@rule("ETU404", "error")
def repeated_misconception(subject: LintedExercise) -> Iterator[Problem]:
    """Two misconceptions have the same program."""
    first: dict[str, str] = {}
    for index, misconception in enumerate(subject.exercise.misconceptions):
        steps = ("misconceptions", index, "code")
        form = subject.shape(*steps)
        if form is None:
            continue
        if form in first:
            message = f"the program of {quote(misconception.id)} is that of {quote(first[form])}"
            yield subject.problem(message, *steps)
        first.setdefault(form, misconception.id)


@rule("ETU405", "warning")
def long_code_line(subject: LintedExercise) -> Iterator[Problem]:
    """A line of Python is longer than 88 characters."""
    for steps in subject.list_programs():
        scalar = subject.text(*steps)
        for number, line in enumerate(scalar.text.split("\n"), 1):
            if len(line) > WIDTH:
                where = subject.document.locate(scalar, number, WIDTH + 1)
                message = f"a line of {len(line)} characters; at most {WIDTH} fit"
                label = next(step for step in reversed(steps) if isinstance(step, str))
                yield Problem(where, f"{label}: {message}")
