"""Folders with one problem: a description, a starter, a solution, and a list of tests in JSON.

    <folder>/description.md            or instructions.md, README.md
    <folder>/starter_code.py           or starter.py; derived from the solution if missing
    <folder>/solution.py
    <folder>/tests.json                [{"test": "print(f(1))", "expected_output": "2"}, ...]
    <folder>/meta.json                 title, difficulty, category, tags; optional
    <folder>/example.json, learn.md    an example and an explanation; optional

A `test` is code that prints, or an object with arguments by name; then `expected_output` is the
value that the only function returns. The public collection of deep-ml.com has this layout, one
folder per problem.
"""

import os
from pathlib import Path
from typing import Any, Final

from grader.authoring.sources.draft import Draft, DraftTest, SourceDrafts, make_slug
from grader.authoring.sources.program_parts import read_program, with_empty_bodies
from grader.authoring.sources.source_files import (
    UnreadableError,
    entries,
    find_path_inside,
    parse_json,
    printable_name,
    read_first_text,
    read_text_inside,
)

_TESTS: Final = "tests.json"
_SOLUTION: Final = "solution.py"
_FILES: Final = frozenset(
    {
        _TESTS, _SOLUTION, "starter_code.py", "starter.py", "description.md", "instructions.md",
        "README.md", "meta.json", "example.json", "learn.md",
    }
)  # fmt: skip
_CODE_KEYS: Final = ("test", "code", "input")
_OUTPUT_KEYS: Final = ("expected_output", "expected", "output")
_MAX_TESTS: Final = 500  # bounds the size of an imported file


def is_problem(folder: Path) -> bool:
    """Return whether a folder has the file names of a problem."""
    return all(os.path.lexists(folder / name) for name in (_TESTS, _SOLUTION))


def read_problem(folder: Path) -> SourceDrafts:
    """Make a draft from a folder.

    Raises:
        UnreadableError: The tests or the solution cannot be read.
    """
    count, _, rest = folder.name.partition("_")
    draft = Draft(origin=f"{folder.name}/", id=rest if count.isdigit() and rest else folder.name)
    draft.solution = read_text_inside(folder, _SOLUTION)
    draft.starter = read_first_text(folder, "starter_code.py", "starter.py")
    if not draft.starter.strip():
        draft.starter = with_empty_bodies(draft.solution)
        draft.remarks.append("there is no starter; it was made of the solution, its bodies emptied")
    draft.instructions = read_first_text(folder, "description.md", "instructions.md", "README.md")
    draft.explanation = read_first_text(folder, "learn.md")
    _read_meta(draft, folder)
    _add_example(draft, folder)
    tests = parse_json(read_text_inside(folder, _TESTS), _TESTS)
    if isinstance(tests, dict):
        lists = [value for value in tests.values() if isinstance(value, list)]
        tests = lists[0] if len(lists) == 1 else None
    if not isinstance(tests, list):
        raise UnreadableError(f"{_TESTS} is not a list of tests")
    if len(tests) > _MAX_TESTS:
        raise UnreadableError(f"{_TESTS} has {len(tests):,} tests; {_MAX_TESTS} are allowed")
    for number, test_data in enumerate(tests, 1):
        test = _make_test(draft, test_data, number) if isinstance(test_data, dict) else None
        if test is None:
            _note(draft, f"{_TESTS}[{number}]", test_data)
        else:
            draft.tests.append(test)
    for entry in entries(folder):
        if entry.name in _FILES or entry.name.startswith((".", "__pycache__")):
            continue
        try:
            kind = "the file" if find_path_inside(folder, entry.name).is_file() else "the folder"
        except UnreadableError as error:
            draft.remarks.append(str(error))
            continue
        draft.remarks.append(
            f"{kind} {printable_name(entry.name)} has no place in the format; left out"
        )
    return SourceDrafts([draft])


def _read_meta(draft: Draft, folder: Path) -> None:
    text = read_first_text(folder, "meta.json")
    meta = parse_json(text, "meta.json") if text else {}
    if not isinstance(meta, dict):
        draft.notes.append(("meta.json", text))
        draft.remarks.append("meta.json holds no object; it is kept as a note")
        return
    for key, value in meta.items():
        match key, value:
            case "title", str():
                draft.title = " ".join(value.split())
            case "difficulty", str():
                draft.difficulty = value
            case "category", str() if make_slug(value):
                draft.concepts.append(make_slug(value))
            case "tags", list() if all(isinstance(tag, str) for tag in value):
                draft.concepts += filter(None, map(make_slug, value))
            case _, "" | None | [] | {}:
                pass  # nothing to keep
            case _:
                _note(draft, f"meta.json: {key}", value)
    draft.concepts = list(dict.fromkeys(draft.concepts))


def _note(draft: Draft, key: str, value: object) -> None:
    draft.notes.append((key, value if isinstance(value, str) else repr(value)[:2000]))
    draft.remarks.append(f"the format has no {printable_name(key)!r}; it is kept as a note")


def _add_example(draft: Draft, folder: Path) -> None:
    text = read_first_text(folder, "example.json")
    if not text:
        return
    example = parse_json(text, "example.json")
    if not isinstance(example, dict):
        _note(draft, "example.json", text)
        return
    lines = ["", "## Example", ""]
    for key, value in example.items():
        written = value if isinstance(value, str) else repr(value)[:4000]
        indented = "\n".join(f"    {line}" for line in written.split("\n"))
        lines += [f"{str(key).capitalize()}:", "", indented, ""]
    draft.instructions = "\n".join([draft.instructions.rstrip("\n"), *lines]).lstrip("\n")
    draft.remarks.append("example.json was put at the end of the instructions")


def _make_test(draft: Draft, entry: dict[str, Any], number: int) -> DraftTest | None:
    code = next((entry[key] for key in _CODE_KEYS if key in entry), None)
    key = next((key for key in _OUTPUT_KEYS if key in entry), None)
    if key is None or not isinstance(code, (str, dict)):
        return None
    expected = entry[key]
    name = f"test-{number}"
    if isinstance(code, dict):
        # The function that the starter leaves open, or the last one defined.
        programs = map(read_program, (draft.starter, draft.solution))
        names = (list(program.list_definitions()) for program in programs if program is not None)
        function = next((group[-1] for group in names if group), "")
        if not function or not all(isinstance(arg, str) and arg.isidentifier() for arg in code):
            return None
        call = f"{function}({', '.join(f'{arg}={arg}' for arg in code)})"
        test = DraftTest(name, "call", call, given=dict(code), expect=expected)
    else:
        printed = expected if isinstance(expected, str) else repr(expected)[:4000]
        test = DraftTest(name, "run", code.strip("\n") + "\n", stdout=printed)
    for other, value in entry.items():
        if other == "description" and isinstance(value, str):
            test.description = " ".join(value.split())
        elif other == "hidden" and isinstance(value, bool):
            test.is_hidden = value
        elif other != key and value is not code:
            _note(draft, f"{_TESTS}[{number}].{other}", value)
    return test
