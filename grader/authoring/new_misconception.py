"""A submission's program as a misconception of its exercise."""

import ast
import re
from pathlib import Path
from typing import Final

from grader.authoring.add_entry import add_entry
from grader.definitions.exercise import Exercise
from grader.errors import UsageError
from grader.grading.results.submission import read_submission

_WORDS: Final = 4  # of a sentence that make an id
_WORD: Final = re.compile(r"[a-z0-9]+")


def new_misconception(
    exercise: Exercise, path: Path, says: str, name: str | None = None
) -> tuple[str, int]:
    """Write a submission into its exercise's file; return the id and the line.

    Args:
        exercise: whose file is written.
        path: of the submission.
        says: the sentence for learners.
        name: the id; without one, the first words of the sentence.

    Raises:
        UsageError: the submission cannot be read or is no Python, or the file cannot be written.
        DefinitionError: the exercise is not valid.
    """
    if exercise.edition == "student":
        raise UsageError(f"{exercise.where.path} is a student edition; change the full one")
    if not says.strip():
        raise UsageError("a misconception needs a sentence for learners")
    submission = read_submission(path, exercise.files_to_submit)
    if submission.problem:
        raise UsageError(f"{path}: {submission.problem}")
    try:
        code = ast.unparse(_without_docstring(ast.parse(submission.source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"{path} is no Python that runs: {error}") from None
    chosen = name or _unused("-".join(_WORD.findall(says.lower())[:_WORDS]) or "mistake", exercise)
    entry = {"id": chosen, "code": f"{code}\n", "feedback": f"{says.strip()}\n"}
    return chosen, add_entry(exercise.where.path, "misconceptions", entry)


def _without_docstring(tree: ast.Module) -> ast.Module:
    """Take off the text above a program, which is about who wrote it."""
    match tree.body:
        case [ast.Expr(value=ast.Constant(value=str())), _, *_]:
            tree.body.pop(0)
    return tree


def _unused(name: str, exercise: Exercise) -> str:
    taken = {each.id for each in exercise.misconceptions}
    names = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(each for each in names if each not in taken)
