"""Rules about tests, apart from the names in their Python."""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from grader.definitions.exercise import FigureTest, Literals, PropertyTest
from grader.definitions.properties import PROPERTIES, NamedProperty
from grader.definitions.python_names import is_name
from grader.definitions.rules.subject import CheckedExercise, Rule
from grader.definitions.wording import join_quoted, quote
from grader.errors import Problem

_WORD: Final = re.compile(r"\w+")


def _student_edition(checked: CheckedExercise) -> Iterator[Problem]:
    """Check that a student edition has no hidden test and no test that needs the solution."""
    exercise = checked.exercise
    if exercise.edition == "full":
        return
    without = {
        name for name, definition in exercise.defines.items() if definition.reference is None
    }
    for index, test in enumerate(exercise.tests):
        if test.hidden:
            yield checked.problem("a student edition has no hidden tests", "tests", index, "hidden")
        key: str = test.expected_key if test.needs_solution else "budget"
        if test.needs_solution or (test.budget is not None and uses_any(test.code, without)):
            where = checked.document.node("tests", index, key).where
            yield Problem(where, f"{key}: a student edition has no solution to compare with")


def uses_any(code: str, names: Collection[str]) -> bool:
    """Return whether one of the names occurs in a piece of Python."""
    return not set(_WORD.findall(code)).isdisjoint(names)


def _inputs(checked: CheckedExercise) -> Iterator[Problem]:
    """Check the names of literal inputs, and the number of draws."""
    for index, test in enumerate(checked.exercise.tests):
        for name in test.given.values if isinstance(test.given, Literals) else ():
            steps = ("tests", index, "given", name)
            if not is_name(name):
                yield checked.at_key(f"{quote(name)} is not a Python name", *steps)
            elif name in checked.exercise.defines:
                message = f"{quote(name)} is what a submission defines; call the input otherwise"
                yield checked.at_key(message, *steps)
        if test.seeds > 1 and isinstance(test.given, Literals):
            message = "inputs can only be drawn again if 'given' is Python code"
            yield checked.problem(message, "tests", index, "seeds")
        elif test.partial and test.seeds == 1:
            message = "points in proportion to the draws that pass need 'seeds' above 1"
            yield checked.problem(message, "tests", index, "partial")


def _budgets(checked: CheckedExercise) -> Iterator[Problem]:
    for index, test in enumerate(checked.exercise.tests):
        if test.budget is not None and test.budget.time is test.budget.memory is None:
            message = "expected 'time', 'memory' or both"
            yield checked.problem(message, "tests", index, "budget")


def _figures(checked: CheckedExercise) -> Iterator[Problem]:
    course = checked.exercise.course
    modules = (*course.packages, *course.problem_by_package) if course is not None else ()
    tops = {module.partition(".")[0] for module in modules}
    for index, test in enumerate(checked.exercise.tests):
        if isinstance(test, FigureTest):
            steps = ("tests", index)
            if "matplotlib" not in tops:
                message = (
                    "nothing can be drawn without matplotlib; "
                    "name `matplotlib.pyplot` under 'packages' of the course.yaml beside the tracks"
                )
                yield checked.problem(message, *steps, "figure")
            if not test.compare:
                yield checked.problem("name what counts", *steps, "compare")


def _properties(checked: CheckedExercise) -> Iterator[Problem]:
    for index, test in enumerate(checked.exercise.tests):
        if not isinstance(test, PropertyTest):
            continue
        steps = ("tests", index)
        holds = PROPERTIES[test.holds]
        if holds.needs_against and test.against is None:
            message = f"{quote(test.holds)} needs a second expression, 'against'"
            yield checked.problem(message, *steps, "holds")
        if not holds.needs_against and test.against is not None:
            message = _does_not_go(test, lambda each: each.needs_against)
            yield checked.problem(message, *steps, "against")
        if not holds.has_axis and test.axis is not None:
            yield checked.problem(_does_not_go(test, lambda each: each.has_axis), *steps, "axis")
        if holds.moves != "nothing" and not test.of and isinstance(test.given, Literals):
            dtypes = [getattr(value, "dtype", None) for value in test.given.values.values()]
            if not any(dtype is not None and dtype.kind == "f" for dtype in dtypes):
                message = (
                    f"{quote(test.holds)} moves arrays of floats, and none is given; "
                    "write 1.0 for 1, or name the input under 'of'"
                )
                yield checked.problem(message, *steps, "given")
        if test.of:
            yield from _moved_inputs(checked, test, index)


def _moved_inputs(checked: CheckedExercise, test: PropertyTest, index: int) -> Iterator[Problem]:
    steps = ("tests", index, "of")
    moves = PROPERTIES[test.holds].moves
    if moves == "nothing":
        yield checked.problem(f"{quote(test.holds)} moves no input", *steps)
    elif moves == "one input" and len(test.of) > 1:
        yield checked.problem(f"{quote(test.holds)} moves one input at a time", *steps)
    inputs = test.given.values if isinstance(test.given, Literals) else {}
    for number, name in enumerate(test.of):
        if name in inputs and not getattr(inputs[name], "ndim", 0):
            yield checked.problem(f"{quote(name)} is not an array", *steps, number)


def _does_not_go(test: PropertyTest, is_right: Callable[[NamedProperty], bool]) -> str:
    names = sorted(name for name, kind in PROPERTIES.items() if is_right(kind))
    return f"does not go with {quote(test.holds)}, only with {join_quoted(names, 'and')}"


RULES: Final[tuple[Rule, ...]] = (
    _student_edition,
    _inputs,
    _budgets,
    _properties,
    _figures,
)
