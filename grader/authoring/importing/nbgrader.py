"""Notebooks of nbgrader: answers and tests are cells with metadata, or have marks in them."""

import re
from typing import Any, Final

from grader.authoring.importing import notebook_cells as parts
from grader.authoring.importing.notebook_cells import NotebookCell, Question, TestPart
from grader.authoring.importing.top_level import join, parsed, read_program

_MARK: Final = re.compile(r"^\s*#+\s*BEGIN SOLUTION\b", re.MULTILINE)
_AUTOTEST: Final = re.compile(r"[\s#]*#\s*(?:HASHED\s+)?AUTOTEST\s+(\S.*)$")
_LONGEST_LINE: Final = 1_000
_TEST_MARK: Final = re.compile(r"^\s*#+\s*BEGIN HIDDEN TESTS?\b", re.MULTILINE)


class NbgraderReader(parts.QuestionReader):
    """Makes a draft of each answer cell, with the tests after it."""

    def __init__(self) -> None:
        super().__init__()
        self._prose: list[str] = []

    def _take(self, cell: NotebookCell) -> None:
        result = cell.metadata.get("nbgrader")
        data = result if isinstance(result, dict) else {}
        has_tests = bool(_TEST_MARK.search(cell.source))
        solution = bool(data.get("solution")) or bool(_MARK.search(cell.source))
        test = bool(data.get("grade")) or has_tests
        if cell.kind == "markdown" and (solution or data.get("task")):
            self._by_hand(cell, data)
        elif cell.kind == "markdown":
            # Prose after the tests belongs to the next question, if another one comes.
            is_own = self._question is not None and not self._question.tests
            target = self._question.prose if self._question and is_own else self._prose
            target.append(cell.source)
        elif cell.kind == "code" and solution and data.get("grade") and not has_tests:
            self._by_hand(cell, data)
        elif cell.kind == "code" and solution:
            if self._question is not None and self._question.tests:
                self._finish()
            question = self._question
            if question is None:
                self._count += 1
                name = str(data.get("grade_id") or f"question {self._count}")
                question = self._begin(name, cell.where)
                question.prose, self._prose = self._prose, []
            source = parts.without_magic(cell.source, question.remarks, cell.where)
            starter, answer, _ = parts.split_solution(source)
            question.starter.append(starter)
            question.solution.append(answer)
        elif cell.kind == "code" and test:
            self._test(cell, data)
        elif cell.kind == "code":
            self._keep_code(cell)
        elif cell.source.strip():
            self._result.remarks.append(f"{cell.where}: a {cell.kind} cell; it is left out")

    def _lacks(self, question: Question, _answer: str) -> str:
        return "" if question.tests else "tests"

    def _test(self, cell: NotebookCell, data: dict[str, Any]) -> None:
        question = self._question
        if question is None:
            self._result.failures.append(f"{cell.where}: a test without an answer; left out")
            return
        source = parts.without_magic(cell.source, question.remarks, cell.where)
        points = parts.whole_points(data.get("points"), question.remarks, cell.where)
        name = str(data.get("grade_id") or f"test-{len(question.tests) + 1}")
        lines: list[str] = []
        printing: list[str] = []  # the calls of `### AUTOTEST f(3); g(4)`
        for line in source.split("\n"):
            match = _AUTOTEST.match(line[:_LONGEST_LINE])
            expressions = [each.strip() for each in match[1].split(";")] if match else []
            if match and all(parsed(each) is not None for each in expressions):
                printing += [f"print(repr({each}))" for each in expressions if each]
            else:
                lines.append(line)
        source = "\n".join(lines)
        if printing and not parts.checks_something(source):
            source, printing = join([source, "\n".join(printing)]), []
        if printing:
            code = join([_setup(source), "\n".join(printing)])
            part = TestPart(f"{name}-printed", code, hidden=False, points=points, where=cell.where)
            question.tests.append(part)
        shown, hidden = parts.split_hidden(source)
        says_hidden = parts.says_something(hidden)
        both = says_hidden and parts.says_something(shown)
        if both or not says_hidden:
            part = TestPart(name, shown, hidden=False, points=points, where=cell.where)
            question.tests.append(part)
        if both:  # they are worth the cell's points together
            question.remarks.append(
                f"{cell.where}: its hidden lines are a test of their own, worth as much as the rest"
            )
            setup = _setup(shown)
            hidden = join([setup, hidden]) if setup else hidden
        if says_hidden:
            label = f"{name}-hidden" if both else name
            part = TestPart(label, hidden, hidden=True, points=points, where=cell.where)
            question.tests.append(part)

    def _by_hand(self, cell: NotebookCell, data: dict[str, Any]) -> None:
        self._finish()
        self._prose = []
        if cell.kind == "code":
            self._keep_code(cell)  # later answers may build on it
        name = str(data.get("grade_id") or cell.where)[:80]
        message = f"{cell.where}: {name!r} is graded by hand; it was left out"
        self._result.failures.append(message)


def _setup(code: str) -> str:
    """Return the lines of a test that prepare something, which hidden lines may build on."""
    program = read_program(code)
    if program is None:
        return ""
    return join(each.source for each in program.statements if each.sets)
