"""The wrong programs of an audit: mutants of the solution, and known mistakes."""

import ast
import difflib
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple

from grader.audit.confined.match import Correspondence
from grader.authoring.sources.assignment import Assignment
from grader.definitions.exercise import Exercise


@dataclass(frozen=True, slots=True)
class WrongProgram:
    """A mutant of the solution, or the solution with a known mistake."""

    change: str  # one line that is unique in an audit
    source: str  # the whole program
    # From the solution to the program; for a known mistake, from the exercise's right program to
    # its wrong one.
    diff: str
    line: int  # the solution's line where the change begins
    operator: str = ""  # the mutation operator that made it
    misconception: str | None = None  # the title of a known mistake
    misconception_id: str | None = None  # the misconception's id, which several exercises may share
    # For a known mistake, the solution with the exercise's right program in the same place.
    right_adaptation: str | None = None


@dataclass(frozen=True, slots=True)
class ExerciseFunction:
    """An exercise's function whose known mistakes can be tried on an assignment."""

    exercise: str  # the exercise's id
    name: str
    solution: str  # a program that defines the function
    mistakes: Mapping[str, str]  # wrong programs by misconception id


def find_exercise_functions(exercises: Iterable[Exercise]) -> Iterator[ExerciseFunction]:
    """Yield the functions of exercises that have misconceptions."""
    for exercise in exercises:
        if exercise.is_prediction or exercise.files_to_submit or not exercise.solution:
            continue
        mistakes = {mistake.id: mistake.code for mistake in exercise.misconceptions}
        functions = _functions(exercise.solution)
        for name in exercise.defines:
            if name in functions and mistakes:
                yield ExerciseFunction(exercise.id, name, exercise.solution, mistakes)


def _functions(source: str) -> set[str]:
    return {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def _lines_without_comments(source: str) -> list[str]:
    """Return a program's lines, without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return [f"{line}\n" for line in ast.unparse(tree).splitlines()]


class Match(NamedTuple):
    """A function of an assignment that does the same as a function of an exercise."""

    target: str  # the name of the assignment's function
    function: ExerciseFunction
    correspondence: Correspondence


def make_misconception_programs(assignment: Assignment, match: Match) -> Iterator[WrongProgram]:
    """Yield the solution with each known mistake in place of the matched function."""
    solution = assignment.modules[assignment.solution]
    line = next(
        (
            node.lineno
            for node in ast.parse(solution).body
            if isinstance(node, ast.FunctionDef) and node.name == match.target
        ),
        1,
    )
    function = match.function
    right_adaptation = _with_mistake(solution, match, function.solution)
    for name, code in function.mistakes.items():
        if function.name not in _functions(code):
            continue
        diff = "".join(
            difflib.unified_diff(
                _lines_without_comments(function.solution),
                _lines_without_comments(code),
                f"{function.exercise}: solution",
                f"{function.exercise}: {name}",
                n=1,
            )
        )
        yield WrongProgram(
            change=f"known mistake in {match.target}: {name} ({function.exercise})",
            source=_with_mistake(solution, match, code),
            diff=diff,
            line=line,
            misconception=f"{name.replace('-', ' ')} ({function.exercise})",
            misconception_id=name,
            right_adaptation=right_adaptation,
        )


# The adapter answers a call correctly if it sets an option that the exercise's function lacks,
# since the known mistake does not cover such calls.
_ADAPTER = """

def _known_mistake(right, max_arguments, own_index, exercise_index):
    import functools
    import inspect

{code}

    wrong = {name}
    signature = inspect.signature(right)

    @functools.wraps(right)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        values = list(bound.args)
        if bound.kwargs or len(values) > max_arguments:
            bound.apply_defaults()
            values = list(bound.arguments.values())
            defaults = [each.default for each in signature.parameters.values()]
            for value, default in zip(values[max_arguments:], defaults[max_arguments:]):
                if value is not default and value != default:
                    return right(*args, **kwargs)
            values = values[:max_arguments]
        result = wrong(*values)
        if exercise_index is not None:
            result = result[exercise_index]
        if own_index is None:
            return result
        results = list(right(*args, **kwargs))
        results[own_index] = result
        return tuple(results)

    return wrapper


{target} = _known_mistake({target}, {max_arguments}, {own_index}, {exercise_index})
"""


def _with_mistake(solution: str, match: Match, code: str) -> str:
    adapter = _ADAPTER.format(
        code=textwrap.indent(code, "    "),
        name=match.function.name,
        target=match.target,
        **asdict(match.correspondence),
    )
    return solution.rstrip("\n") + "\n" + adapter
