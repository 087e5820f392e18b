"""nbgrader notebooks, whose answers and tests are cells with metadata or marks."""

import re
from typing import Any, Final

from grader.authoring.sources.answer_cells import AnswerReader
from grader.authoring.sources.notebook_cells import NotebookCell

_MARK: Final = re.compile(r"^\s*#+\s*BEGIN SOLUTION\b", re.MULTILINE)
MARKS: Final = re.compile(
    r"^\s*#+\s*(?:BEGIN (?:SOLUTION|HIDDEN TESTS?)|(?:HASHED )?AUTOTEST)\b", re.MULTILINE
)
"""nbgrader's marks in the code of a cell."""
_TEST_MARK: Final = re.compile(r"^\s*#+\s*BEGIN HIDDEN TESTS?\b", re.MULTILINE)


class NbgraderReader(AnswerReader):
    """A reader that makes a draft from each answer cell and the test cells after it."""

    def _read_cell(self, cell: NotebookCell) -> None:
        metadata = cell.metadata.get("nbgrader")
        data = metadata if isinstance(metadata, dict) else {}
        has_tests = bool(_TEST_MARK.search(cell.source))
        solution = bool(data.get("solution")) or bool(_MARK.search(cell.source))
        test = bool(data.get("grade")) or has_tests
        is_written = cell.kind == "markdown" and bool(solution or data.get("task"))
        is_code = cell.kind == "code"
        if is_written or (is_code and solution and data.get("grade") and not has_tests):
            self._leave_out(cell, data)
        elif is_code and solution:
            self._add_answer(cell, str(data.get("grade_id") or ""))
        elif is_code and test:
            self._add_test(cell, data)
        else:
            self._add_other(cell)

    def _leave_out(self, cell: NotebookCell, data: dict[str, Any]) -> None:
        self._close_question()
        self._prose = []
        if cell.kind == "code":
            self._add_given_code(cell)  # later answers may depend on it
        name = str(data.get("grade_id") or cell.where)[:80]
        message = f"{cell.where}: {name!r} is graded by hand; it was left out"
        self._result.failures.append(message)
