"""Otter Assign notebooks: questions between cells with `# BEGIN ...` and `# END ...`.

The older notation is also read: a question's settings in a block quote of a Markdown cell, and its
tests in code cells that begin with `# TEST` or `# HIDDEN TEST`.
"""

import ast
import html
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from grader.authoring.sources import notebook_cells
from grader.authoring.sources.notebook_cells import NotebookCell, Question
from grader.authoring.sources.program_parts import join, read_program

_BLOCK: Final = re.compile(r"\s*#\s*(BEGIN|END)\s+(QUESTION|PROMPT|SOLUTION|TESTS)\s*(?:\n|\Z)")
_QUOTED: Final = re.compile(
    r"(?:```|\"\"\")[^\n]{0,20}\n\s*BEGIN QUESTION\s*\n(.*?)(?:```|\"\"\"|\Z)", re.DOTALL
)
_CONFIG: Final = re.compile(
    r"\s*(?:\"{3}|'{3})\s*#\s*BEGIN TEST CONFIG\s*\n(.*?)"
    r"(?:\"{3}|'{3})\s*;?\s*#\s*END TEST CONFIG[^\n]*\n?",
    re.DOTALL,
)
_LABEL: Final = re.compile(r"\s*#+\s*(HIDDEN(?:\s+TEST)?|TEST)\s*#*\s*(?:\n|\Z)", re.IGNORECASE)
_IN_HTML: Final = re.compile(r"<pre>(.*?)</pre>", re.DOTALL)
_IGNORED: Final = re.compile(r"\s*#\s*(BEGIN|END) IGNORE\s*$")
_ASSIGNMENT: Final = re.compile(r"\s*#\s*ASSIGNMENT CONFIG\s*\n")


def has_questions(cells: Sequence[NotebookCell]) -> bool:
    """Return whether a notebook has Otter's marks."""
    return any(
        (
            cell.kind in ("raw", "markdown")
            and (match := _BLOCK.match(_mark_text(cell)))
            and match[2] == "QUESTION"
        )
        or (cell.kind == "markdown" and _QUOTED.search(cell.source))
        for cell in cells
    )


def _mark_text(cell: NotebookCell) -> str:
    """Return the text of a cell that may be a mark; a raw cell may contain it in HTML."""
    match = _IN_HTML.search(cell.source) if cell.kind == "raw" else None
    return html.unescape(match[1]).strip() + "\n" if match else cell.source


class OtterReader(notebook_cells.QuestionReader):
    """A reader that makes a draft from the cells between each question's marks."""

    def __init__(self) -> None:
        super().__init__()
        self._block = ""
        self._is_old = False

    def _read_cell(self, cell: NotebookCell) -> None:
        text = _mark_text(cell) if cell.kind in ("raw", "markdown") else ""
        if match := _BLOCK.match(text):
            is_begin, rest = match[1] == "BEGIN", text[match.end() :]
            if match[2] == "QUESTION":
                self._close_question()
                if is_begin:
                    self._begin_question(rest, cell)
                return
            self._block = match[2] if is_begin else ""
            if rest.strip():
                self._result.remarks.append(f"{cell.where}: {rest.strip()[:60]!r} is left out")
        elif cell.kind == "markdown" and (quoted := _QUOTED.search(cell.source)):
            self._close_question()
            self._begin_question(quoted[1], cell)
            self._is_old = True
            self._prose(cell.source[: quoted.start()] + cell.source[quoted.end() :])
        elif cell.kind == "code":
            self._code(cell)
        elif cell.kind == "markdown":
            if self._question is not None and self._is_old and self._question.draft.tests:
                self._close_question()
            self._prose(cell.source)
        elif cell.source.strip():
            is_settings = _ASSIGNMENT.match(cell.source)
            reason = (
                "the settings of the assignment are"
                if is_settings
                else f"a {cell.kind} cell; it is"
            )
            self._result.remarks.append(f"{cell.where}: {reason} left out")

    def _close_question(self) -> None:
        self._block = ""
        super()._close_question()

    def _begin_question(self, text: str, cell: NotebookCell) -> None:
        settings, others = notebook_cells.parse_settings(text.split("\n"))
        question = self._open_question(settings.get("name", ""), cell.where)
        remarks, points = question.draft.remarks, settings.get("points")
        question.points = notebook_cells.read_points(points, remarks, cell.where)
        self._is_old = False
        if settings.get("manual", "").lower() == "true":
            question.is_graded_by_hand = True
            remarks.append("it is graded by hand in part")
        if rest := _format_rest(settings, others, ("name", "points")):
            question.draft.notes.append(("question settings", rest))
            remarks.append(f"{cell.where}: settings of the question kept as a note")

    def _prose(self, text: str) -> None:
        if self._question is not None and self._block in ("", "PROMPT"):
            self._question.prose.append(text)
        elif self._question is not None and text.strip():
            draft, block = self._question.draft, self._block.lower()
            draft.notes.append((block, text))
            draft.remarks.append(f"prose among the {block} is kept as a note")

    def _code(self, cell: NotebookCell) -> None:
        question = self._question
        if question is None:
            self._add_given_code(cell)
            return
        source = notebook_cells.remove_magics(cell.source, question.draft.remarks, cell.where)
        code_lines: list[str] = []
        ignored = False
        # Otter removes some lines from every version.
        for line in source.split("\n"):
            if match := _IGNORED.match(line):
                ignored = match[1] == "BEGIN"
            elif not ignored and not line.rstrip().endswith("# IGNORE"):
                code_lines.append(line)
        source = "\n".join(code_lines)
        if self._block == "TESTS" or (self._is_old and _LABEL.match(source)):
            self._add_test(question, source, cell)
        elif self._block == "PROMPT":
            question.starter.append(source)
        elif self._is_old and question.draft.tests:
            self._close_question()
            self._code(cell)
        else:
            starter, solution, marked = notebook_cells.split_solution(source)
            question.solution.append(solution)
            if marked or not question.starter:
                question.starter.append(starter)

    def _add_test(self, question: Question, source: str, cell: NotebookCell) -> None:
        hidden = False
        points = None
        draft = question.draft
        name = f"test-{len(draft.tests) + 1}"
        if config := _CONFIG.match(source):
            settings, others = notebook_cells.parse_settings(config[1].split("\n"))
            source = source[config.end() :]
            hidden = settings.get("hidden", "").lower() == "true"
            points = notebook_cells.read_points(settings.get("points"), draft.remarks, cell.where)
            name = settings.get("name", name)
            if rest := _format_rest(settings, others, ("hidden", "points", "name")):
                draft.notes.append((f"settings of {name}", rest))
                draft.remarks.append(f"{cell.where}: settings of the test kept as a note")
        if label := _LABEL.match(source):
            hidden = hidden or "hidden" in label[1].lower()
            source = source[label.end() :]
        # Call each test function with the names that its parameters ask for.
        program = read_program(source)
        calls = [
            f"{statement.node.name}({', '.join(arg.arg for arg in statement.node.args.args)})"
            for statement in (program.statements if program else ())
            if isinstance(statement.node, ast.FunctionDef)
            and statement.node.name.startswith("test")
        ]
        source = join([source, "\n".join(calls)]) if calls else source
        if notebook_cells.has_statement(source):
            question.add_test(name, source, cell, points=points, hidden=hidden, output=cell.output)


def _format_rest(settings: Mapping[str, str], others: Sequence[str], read: Collection[str]) -> str:
    """Return the lines of settings that are not supported here."""
    unread = (f"{key}: {value}" for key, value in settings.items() if key not in read)
    return "\n".join([*unread, *others])
