"""Notebooks of nbgrader or without marks, in which each answer comes before its tests."""

import re
from typing import Any, Final

from grader.authoring.sources import notebook_cells
from grader.authoring.sources.notebook_cells import NotebookCell
from grader.authoring.sources.program_parts import join, parse_or_none, read_program

_AUTOTEST: Final = re.compile(r"[\s#]*#\s*(?:HASHED\s+)?AUTOTEST\s+(\S.*)$")
_MAX_LINE_LENGTH: Final = 1_000  # characters; bounds the time of regular expressions


class AnswerReader(notebook_cells.QuestionReader):
    """A reader that makes a draft from each answer and the tests after it."""

    def __init__(self) -> None:
        super().__init__()
        self._prose: list[str] = []

    def _add_answer(self, cell: NotebookCell, name: str) -> None:
        if self._question is not None and self._question.draft.tests:
            self._close_question()
        question = self._question
        if question is None:
            question = self._open_question(name or f"question {self._count + 1}", cell.where)
            question.prose, self._prose = self._prose, []
        source = notebook_cells.remove_magics(cell.source, question.draft.remarks, cell.where)
        starter, answer, _ = notebook_cells.split_solution(source)
        question.starter.append(starter)
        question.solution.append(answer)

    def _add_test(self, cell: NotebookCell, data: dict[str, Any]) -> None:
        question = self._question
        if question is None:
            message = f"{cell.where}: a test without an answer in a cell before it; left out"
            self._result.failures.append(message)
            return
        remarks = question.draft.remarks
        source = notebook_cells.remove_magics(cell.source, remarks, cell.where)
        points = notebook_cells.read_points(data.get("points"), remarks, cell.where)
        name = str(data.get("grade_id") or f"test-{len(question.draft.tests) + 1}")
        lines: list[str] = []
        printing: list[str] = []  # calls in `### AUTOTEST f(3); g(4)`
        for line in source.split("\n"):
            match = _AUTOTEST.match(line[:_MAX_LINE_LENGTH])
            expressions = [part.strip() for part in match[1].split(";")] if match else []
            if match and all(parse_or_none(expression) is not None for expression in expressions):
                printing += [f"print(repr({part}))" for part in expressions if part]
            else:
                lines.append(line)
        source = "\n".join(lines)
        if printing and not notebook_cells.has_assertion(source):
            source = join([source, "\n".join(printing)])
        elif printing:
            code = join([_join_setup(source), "\n".join(printing)])
            question.add_test(f"{name}-printed", code, cell, points=points)
        visible, hidden = notebook_cells.split_hidden(source)
        has_hidden = notebook_cells.has_statement(hidden)
        has_both = has_hidden and notebook_cells.has_statement(visible)
        if has_both or not has_hidden:
            question.add_test(name, visible, cell, points=points)
        if has_both:
            remarks.append(
                f"{cell.where}: its hidden lines are a test of their own, worth as much as the rest"
            )
            setup = _join_setup(visible)
            hidden = join([setup, hidden]) if setup else hidden
        if has_hidden:
            label = f"{name}-hidden" if has_both else name
            question.add_test(label, hidden, cell, points=points, hidden=True)

    def _add_other(self, cell: NotebookCell) -> None:
        """Process a cell that is neither an answer nor a test."""
        if cell.kind == "markdown":
            # Prose after the tests belongs to the next question, if there is one.
            is_own = self._question is not None and not self._question.draft.tests
            target = self._question.prose if self._question and is_own else self._prose
            target.append(cell.source)
        elif cell.kind == "code":
            self._add_given_code(cell)
        elif cell.source.strip():
            self._result.remarks.append(f"{cell.where}: a {cell.kind} cell; it is left out")


def _join_setup(code: str) -> str:
    """Return the setup lines of a test, on which hidden lines may depend."""
    program = read_program(code)
    if program is None:
        return ""
    return join(statement.source for statement in program.statements if statement.sets)
