"""Insertion of entries into lists of an exercise's file; the rest of the file stays unchanged."""

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from grader.authoring.importing.fill_in import make_unused_id
from grader.authoring.importing.write import format_yaml, quote_texts, write_text
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.definitions.yaml_source import ListNode, read_yaml
from grader.errors import UsageError
from grader.grading.submissions.read_submission import read_submission

_ITEM: Final = re.compile(r"( *)-(?= )")
_WORDS: Final = 4  # words of the sentence that make up an id
_WORD: Final = re.compile(r"[a-z0-9]+")


def add_misconception(
    exercise: Exercise, path: Path, says: str, name: str | None = None
) -> tuple[str, int]:
    """Add a submission to its exercise's file as a misconception; return its id and line.

    Args:
        name: The id; by default the first words of the sentence.

    Raises:
        UsageError: The submission cannot be read or is not Python, or the file cannot be written.
        DefinitionError: The exercise is invalid.
    """
    if exercise.edition == "student":
        raise UsageError(f"{exercise.where.path} is a student edition; change the full one")
    if not says.strip():
        raise UsageError("a misconception needs a sentence for learners")
    submission = read_submission(path, exercise.files_to_submit).part_for(exercise)
    if submission.problem:
        raise UsageError(f"{path}: {submission.problem}")
    try:
        tree = ast.parse(submission.source)
        match tree.body:
            case [ast.Expr(value=ast.Constant(value=str())), _, *_]:
                # The docstring at the top may name the author.
                tree.body.pop(0)
        code = ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"{path} is not Python that runs: {error}") from None
    if not name:
        words = "-".join(_WORD.findall(says.lower())[:_WORDS]) or "mistake"
        name = make_unused_id(words, {mistake.id for mistake in exercise.misconceptions})
    entry = {"id": name, "code": f"{code}\n", "feedback": f"{says.strip()}\n"}
    return name, add_entry(exercise.where.path, "misconceptions", entry)


def add_entry(
    path: Path, key: Literal["equivalent", "misconceptions"], entry: Mapping[str, str]
) -> int:
    """Add an entry at the end of a list, and return its line.

    A missing list is created. On an error the file stays unchanged.

    Raises:
        UsageError: The file does not exist, the list is written in brackets, or the file would be
            invalid with the entry.
        DefinitionError: The file is invalid.
    """
    load_exercise_file(path)
    document = read_yaml(path)
    before = path.read_bytes()
    ends = "\r\n" if b"\r\n" in before else "\n"
    lines = document.text.splitlines()
    if document.has(key):
        at, margin = _end_of_list(document.node(key), lines, path, key)
        new = _format_entry(entry, margin)
    else:
        at = len(lines)
        new = ["", f"{key}:", *_format_entry(entry, "  ")]
    text = ends.join([*lines[:at], *new, *lines[at:]]) + ends
    write_text(path, text)
    try:
        load_exercise_file(path)
    except Exception as error:
        path.write_bytes(before)
        raise UsageError(f"{path} would not be valid with the new entry: {error}") from error
    return at + 1 + (len(new) - len(_format_entry(entry, "")))


def _end_of_list(node: object, lines: list[str], path: Path, key: str) -> tuple[int, str]:
    """Return the index of the line after a list, and the white space before its dashes."""
    first = node.items[0].where if isinstance(node, ListNode) and node.items else None
    dash = None if first is None else _ITEM.match(lines[first.line - 1])
    if first is None or dash is None:
        raise UsageError(
            f"{path}: {key} is written in brackets; write each entry on lines of its own, after '-'"
        )
    margin = dash[1]
    end = first.line
    for number, line in enumerate(lines[first.line :], first.line + 1):
        is_inside = line.startswith((f"{margin} ", f"{margin}- "))
        if line.strip() and not is_inside:
            break
        if line.strip():
            end = number
    return end, margin


def _format_entry(entry: Mapping[str, str], margin: str) -> list[str]:
    """Return the lines of an entry, with its dash after the margin."""
    text = format_yaml({"x": [{key: quote_texts(value) for key, value in entry.items()}]})
    return [f"{margin}{line[2:]}".rstrip() for line in text.splitlines()[1:]]
