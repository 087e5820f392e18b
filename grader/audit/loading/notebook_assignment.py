"""Conversion of nbgrader and Otter notebooks with solutions to a module and a test file.

The module holds the code that the answers need, in cell order; each test cell becomes a test.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from grader.audit.loading.written_tests import WrittenTests
from grader.authoring.sources.assignment import Assignment
from grader.authoring.sources.draft import Draft, DraftTest
from grader.authoring.sources.notebook_cells import has_statement
from grader.authoring.sources.notebook_reader import read_notebook
from grader.authoring.sources.program_parts import join, read_program
from grader.authoring.sources.python_parsing import error_in, parse
from grader.authoring.sources.source_files import (
    NotJsonError,
    UnreadableError,
    printable_name,
    read_text,
    read_text_inside,
)
from grader.definitions.imports import walk_imports
from grader.errors import UsageError
from grader.notebook_files import MAX_NOTEBOOK

_MODULE: Final = "solution"
_OTTER: Final = re.compile(r"BEGIN QUESTION")
_NOSE: Final = re.compile(r"^(\s*from nose)\.(tools import )", re.MULTILINE)
_NOSE_TOOLS: Final = '''\
"""The assertions of nose, which no current Python runs, as those of unittest."""

import re
import unittest

_case = unittest.TestCase()
_case.maxDiff = None
for _name in dir(_case):
    if _name.startswith("assert"):
        _snake = re.sub("([A-Z])", lambda found: "_" + found[1].lower(), _name)
        globals()[_snake] = getattr(_case, _name)
ok_ = assert_true
eq_ = assert_equal
'''


def load_notebook(path: Path) -> Assignment:
    """Read a notebook.

    Raises:
        DefinitionError: The notebook cannot be read, or has no answer with tests.
        UsageError: The notebook is not valid JSON.
    """
    try:
        questions = read_notebook(path)
        is_otter = bool(_OTTER.search(read_text(path, MAX_NOTEBOOK)))
    except NotJsonError as error:
        raise UsageError(f"{printable_name(path.parent)}/{error}") from error
    except UnreadableError as error:
        raise error_in(path, str(error)) from error
    if not questions.drafts and questions.failures:
        raise error_in(path, f"no answer of it can be audited: {questions.failures[0]}")
    if not questions.drafts:
        raise error_in(path, "there is no answer with tests in it, as nbgrader or Otter mark them")
    sources: dict[str, None] = {}  # distinct sources of statements, in order
    for draft in questions.drafts:
        parse(draft.solution, path)
        program = read_program(draft.solution)
        sources |= dict.fromkeys(
            statement.source for statement in (program.statements if program else ())
        )
    solution = join(sources)
    notes = list(questions.failures)
    tests = _write_tests(questions.drafts, solution, notes)
    if not tests.files:
        raise error_in(path, "no cell of it checks an answer: there is no assert in it")
    modules = {f"{_MODULE}.py": solution, **tests.files}
    imports = {
        module.parts[0] for text in modules.values() for module in walk_imports(parse(text, path))
    }
    if any(map(_NOSE.search, modules.values())):
        modules = {name: _NOSE.sub(r"\1_\2", text) for name, text in modules.items()}
        modules["nose_tools.py"] = _NOSE_TOOLS
        notes.append("the assertions of nose.tools, which is not installed, are unittest's here")
    for name in imports:
        if (path.parent / f"{name}.py").is_file():
            modules[f"{name}.py"] = read_text_inside(path.parent, f"{name}.py")
    return Assignment(
        name=path.stem,
        kind="otter" if is_otter else "nbgrader",
        solution=f"{_MODULE}.py",
        modules=modules,
        tests={"test_notebook.py": tests.module()},
        starter=_starter(questions.drafts),
        notes=tuple(dict.fromkeys(notes)),
        source=path.as_posix(),
    )


def _starter(drafts: Sequence[Draft]) -> str:
    """Return the starter: for each question only its own cells, without other answers."""
    names = {name for draft in drafts for name in draft.defines}
    parts: dict[str, None] = {}
    for draft in drafts:
        program = read_program(draft.starter)
        for statement in program.statements if program else ():
            if statement.is_import or not statement.sets & (names - draft.defines.keys()):
                parts.setdefault(statement.source)
    return join(parts)


def _write_tests(drafts: Sequence[Draft], solution: str, notes: list[str]) -> WrittenTests:
    program = read_program(solution)
    sources = {statement.source for statement in (program.statements if program else ())}
    tests = WrittenTests(_MODULE, shares_names=True)
    for draft in drafts:
        for test in draft.tests:
            label = test.id if test.id.startswith(("test", draft.id)) else f"{draft.id}_{test.id}"
            if test.key == "run" and test.stdout is None:
                notes.append(f"{printable_name(label)} has no assert: it fails if it raises")
            code = _own(test, sources)
            if has_statement(code):
                tests.add(label, code, test.stdout)
    return tests


def _own(test: DraftTest, sources: set[str]) -> str:
    """Return a test's code without the statements that the module already has."""
    program = read_program(test.code)
    if program is None:
        return ""
    own = [
        statement.source
        for statement in program.statements
        if statement.source not in sources or not statement.sets
    ]
    return test.code if len(own) == len(program.statements) else join(own)
