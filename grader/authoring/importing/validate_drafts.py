"""Validation of drafts; a test that the format refuses becomes a note."""

import tempfile
from pathlib import Path
from typing import Final

from grader.authoring.importing.write import format_definition
from grader.authoring.sources.draft import Draft
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.definitions.yaml_source import ListNode, read_yaml
from grader.errors import DefinitionError, UsageError

_ROUNDS: Final = 5  # most attempts to load a draft; each moves refused tests to the notes


def validate_draft(draft: Draft) -> tuple[str, ...]:
    """Keep tests that prevent loading a draft as notes, and return the remaining problems.

    No code is run.
    """
    if not draft.tests:
        return ("no test came over; write one, for which the notes in the file may help",)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{draft.id}.yaml"
        for _ in range(_ROUNDS):
            path.write_text(format_definition(draft), encoding="utf-8")
            try:
                load_exercise_file(path)
            except UsageError as error:
                return (str(error),)
            except DefinitionError as error:
                problems = tuple(f"line {e.where.line}: {e.message}" for e in error.problems)
                if not _turn_into_notes(draft, path, error):
                    break
            else:
                return ()
    return problems


def _turn_into_notes(draft: Draft, path: Path, error: DefinitionError) -> bool:
    """Turn the tests with problems into notes; return whether there were any."""
    try:
        document = read_yaml(path)
        tests = document.node("tests")
    except DefinitionError:
        return False
    if not isinstance(tests, ListNode) or not 0 < len(tests.items) == len(draft.tests):
        return False
    begins = [item.where.line for item in tests.items]
    begin = document.key("tests").line
    lines = [
        key.where.line for key, _ in getattr(document.root, "entries", ()) if key.where.line > begin
    ]
    ends = [*begins[1:], min(lines, default=1 << 30)]
    refused: dict[int, str] = {}
    for problem in error.problems:
        for index, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            if begin <= problem.where.line < end:
                refused.setdefault(index, problem.message)
    if not refused or len(refused) == len(draft.tests):
        return False
    for index, reason in refused.items():
        test = draft.tests[index]
        parts = [test.description, test.code.rstrip("\n")]
        if test.stdout is not None:
            parts.append(f"expected output: {test.stdout}")
        draft.notes.append((f"test {test.id}", "\n".join(part for part in parts if part)))
        draft.remarks.append(
            f"test '{test.id}' cannot be said in the format ({reason}); it is kept as a note"
        )
    draft.tests = [test for index, test in enumerate(draft.tests) if index not in refused]
    return True


def load_if_valid(path: Path) -> Exercise | None:
    """Load a written exercise, or return None if it is invalid."""
    try:
        return load_exercise_file(path)
    except (DefinitionError, UsageError):
        return None
