"""Notebooks without marks: definitions are answers, and assertions after them are tests."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from grader.authoring.sources import notebook_cells
from grader.authoring.sources.answer_cells import AnswerReader
from grader.authoring.sources.notebook_cells import NotebookCell
from grader.authoring.sources.program_parts import ParsedProgram, join, read_program


class PlainReader(AnswerReader):
    """A reader that makes a draft from each unmarked answer that later lines or cells check."""

    def _read_cell(self, cell: NotebookCell) -> None:
        program = read_program(cell.source) if cell.kind == "code" else None
        if program is None:
            self._add_other(cell)
            return
        for role, source in _split(program):
            part = replace(cell, source=source)
            if role == "answer":
                name = [*(read_program(source) or program).list_definitions()][-1]
                self._add_answer(part, name)
            elif role == "test":
                self._add_test(part, {})
            else:
                self._add_other(part)

    def _close_question(self) -> None:
        question = self._question
        if question is not None and not question.draft.tests:  # the code is for later questions
            self._context.append(join(question.solution))
            self._question, self._prose = None, [*question.prose, *self._prose]
        super()._close_question()


def _split(program: ParsedProgram) -> Iterator[tuple[str, str]]:
    """Yield each run of lines with its role: "answer" if it defines names, "test", or ""."""
    tests = {
        statement.node.name
        for statement in program.statements
        if isinstance(statement.node, ast.FunctionDef)
        and statement.node.name.startswith(("test", "check"))
        and notebook_cells.has_assertion(statement.source)
    }
    runs: list[tuple[str, list[str]]] = []
    before: list[str] = []  # lines that belong to the following ones
    for statement in program.statements:
        before.append(statement.source)
        is_check = bool(statement.sets & tests) or (
            not statement.is_definition
            and (bool(statement.needs & tests) or notebook_cells.has_assertion(statement.source))
        )
        if not is_check and not statement.is_definition:
            continue
        role = "test" if is_check else "answer"
        if not runs or runs[-1][0] != role:
            runs.append((role, []))
        runs[-1][1].extend(before)
        before = []
    if before:
        runs.append(("", before))
    called = frozenset[str]().union(*(statement.needs for statement in program.statements))
    for role, texts in runs:
        calls = [f"{name}()" for name in sorted(tests - called)] if role == "test" else []
        yield role, join([*texts, *calls])
