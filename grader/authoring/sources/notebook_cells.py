"""Notebook cells, their marks, and questions that span several cells."""

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from grader.authoring.sources.draft import Draft, DraftTest, SourceDrafts
from grader.authoring.sources.program_parts import (
    ParsedProgram,
    find_kind,
    free_names,
    join,
    parse_or_none,
    read_program,
    with_empty_bodies,
)
from grader.definitions.rules.program_rules import judges

_BEGIN: Final = re.compile(r"(\s*)#+\s*BEGIN SOLUTION(\s+NO PROMPT)?\s*$")
_END: Final = re.compile(r"\s*#+\s*END SOLUTION\s*$")
_LINE: Final = re.compile(r"(.*?)\s*#\s*SOLUTION(\s+NO PROMPT)?\s*$")
_ASSIGNMENT: Final = re.compile(r"(\s*)([^=()\[\]'\"#]+?)\s*=(?!=)")
_PROMPT: Final = re.compile(r"""\s*(?:\"{3}|'{3})\s*;?\s*#\s*(BEGIN|END) PROMPT\s*$""")
_HIDDEN: Final = re.compile(r"\s*#+\s*(BEGIN|END) HIDDEN TESTS?\s*$")
_MAX_LINE_LENGTH: Final = 1_000  # characters; bounds the time of regular expressions
_MAGIC: Final = re.compile(r"\s*(?:%|!|\?)")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$")
_PRESET_NAMES: Final = frozenset({"np", "pytest"})  # available in the body of every pytest test


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """One cell; `output` is its recorded output, or None."""

    kind: str  # code, markdown or raw
    source: str
    metadata: dict[str, Any]
    output: str | None
    where: str  # for example "lab.ipynb: cell 3"
    has_attachments: bool = False


@dataclass(slots=True)
class Question:
    """A draft in progress with the cells of its question; `context` is the code that ran before."""

    draft: Draft
    context: list[str]
    answers: dict[str, str]  # the earlier question that defines each name
    prose: list[str] = field(default_factory=list)
    starter: list[str] = field(default_factory=list)
    solution: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)  # code between the answer and the tests
    points: int | None = None  # total over all tests
    is_graded_by_hand: bool = False

    def add_test(
        self,
        name: str,
        code: str,
        cell: NotebookCell,
        *,
        points: int | None,
        hidden: bool = False,
        output: str | None = None,
    ) -> None:
        """Add a test; the code it needs is added when the question is complete."""
        test = DraftTest(
            name, "pytest", code, output, is_hidden=hidden, points=points or None, where=cell.where
        )
        self.draft.tests.append(test)


class QuestionReader(ABC):
    """A reader of cells in order, which makes a draft from each question of a notebook."""

    def __init__(self) -> None:
        self._result = SourceDrafts()
        self._question: Question | None = None
        self._context: list[str] = []  # code before the question
        self._answers: dict[str, str] = {}  # the question that defines each name
        self._count = 0

    def read(self, cells: Iterable[NotebookCell]) -> SourceDrafts:
        """Return the drafts of all questions."""
        for cell in cells:
            if cell.has_attachments:
                self._result.remarks.append(f"{cell.where}: its attachments are not kept")
            self._read_cell(cell)
        self._close_question()
        return self._result

    @abstractmethod
    def _read_cell(self, cell: NotebookCell) -> None:
        """Process one cell."""

    def _close_question(self) -> None:
        """Complete the draft of the open question."""
        question, self._question = self._question, None
        if question is None:
            return
        draft, answer = question.draft, join(question.solution)
        program = read_program(answer)
        if program is not None:
            self._context.append(answer)
            self._answers |= dict.fromkeys(program.sets, draft.id)
        self._context += question.after
        if not answer or not draft.tests:
            lacking = "tests" if answer else "code for an answer"
            reason = "is graded by hand" if question.is_graded_by_hand else f"has no {lacking}"
            self._result.failures.append(
                f"{draft.origin}: question {draft.id!r} {reason}; it was left out"
            )
            return
        _complete(question, answer)
        self._result.drafts.append(draft)
        if question.points is None or any(test.points is not None for test in draft.tests):
            return
        # The question's points are divided among the tests without points of their own.
        share, remainder = divmod(question.points, len(draft.tests))
        if share and not remainder:
            for test in draft.tests:
                test.points = share
        else:
            draft.remarks.append(
                f"its {question.points} points cannot be shared evenly among {len(draft.tests)} "
                "tests; each has 1"
            )

    def _open_question(self, name: str, where: str) -> Question:
        """Open a question, with the code before it as context."""
        self._count += 1
        draft = Draft(where, id=name or f"q{self._count}")
        self._question = Question(draft, [*self._context], dict(self._answers))
        return self._question

    def _add_given_code(self, cell: NotebookCell) -> None:
        """Keep given code, for later questions or for the tests of the open one."""
        context = self._context if self._question is None else self._question.after
        source = remove_magics(cell.source, self._result.remarks, cell.where)
        if read_program(source) is None:
            self._result.remarks.append(f"{cell.where}: not Python; it is left out")
        elif source.strip():
            context.append(source)


def _complete(question: Question, answer: str) -> None:
    """Complete a question's draft, and give its programs and tests the context that they need."""
    draft = question.draft
    draft.instructions = "\n\n".join(text.strip("\n") for text in question.prose if text.strip())
    draft.instructions += "\n" if draft.instructions else ""
    lines = [line[:_MAX_LINE_LENGTH] for text in question.prose for line in text.split("\n")]
    heading = next(filter(None, map(_HEADING.match, reversed(lines))), None)
    name = draft.id.replace("_", " ").replace("-", " ").strip().capitalize()
    draft.title = heading[1].replace("*", "") if heading else name
    solution = read_program(answer)
    context = read_program(join(question.context)) or ParsedProgram(())
    starter = join(question.starter)
    # The names that the tests use from the answer, or else all its definitions.
    if solution is not None:
        used = frozenset[str]().union(*(free_names(test.code) for test in draft.tests))
        used -= solution.imported_names
        names = [name for part in solution.statements for name in sorted(part.sets & used)]
        names = names or list(solution.list_definitions())
        draft.defines = {name: find_kind(solution, name) for name in names}
    needs = free_names(answer) | free_names(starter)
    front = context.select_for(needs - draft.defines.keys())
    draft.starter, draft.solution = front.prepend_to(starter), front.prepend_to(answer)
    if solution is not None:
        _complete_starter(draft, solution)
    earlier = {question.answers[name] for name in front.sets if name in question.answers}
    for name in sorted(earlier - {draft.id}):
        draft.remarks.append(
            f"it builds on question {name!r}, so the answer to that is part of the starter"
        )
    if question.after:
        context = read_program(join([*question.context, *question.after])) or context
    for test in draft.tests:
        there = draft.defines.keys() | _PRESET_NAMES
        if (tree := parse_or_none(test.code)) is not None and not judges(tree):
            _run_and_compare(test, tree, draft)
            there |= solution.sets if solution else set()  # the test runs after the answer
        else:
            test.stdout = None
        front = context.select_for(free_names(test.code) - there, with_effects=True)
        lines = [
            statement.source
            for statement in front.statements
            if test.key == "run" or not statement.sets or not statement.sets <= _PRESET_NAMES
        ]
        test.code = join([*lines, test.code])


def _complete_starter(draft: Draft, program: ParsedProgram) -> None:
    """Add empty definitions for names that a starter must define but lacks."""
    starter = read_program(draft.starter)
    missing = draft.defines.keys() - starter.sets if starter else ()
    if not missing:
        return
    lines = [
        draft.starter.replace("...", "", 1) if draft.starter.strip() == "..." else draft.starter
    ]
    for statement in program.statements:
        if statement.is_definition and statement.sets & missing:
            lines.append(with_empty_bodies(statement.source))
        else:
            lines += [f"{name} = ..." for name in sorted(statement.sets & missing)]
    draft.starter = join(lines)
    names = ", ".join(f"`{name}`" for name in sorted(missing))
    draft.remarks.append(f"the starter does not define {names}; it does now, without an answer")


def _run_and_compare(test: DraftTest, tree: ast.Module, draft: Draft) -> None:
    """Turn code without asserts into a test that compares its output and last value."""
    test.key = "run"
    match tree.body[-1:]:
        case [ast.Expr(value=ast.Call(func=ast.Name(id="print")))]:
            pass
        case [ast.Expr() as last]:
            # A notebook displays the last value.
            lines = test.code.split("\n")
            begin, end = last.lineno - 1, last.end_lineno or last.lineno
            text = ast.get_source_segment(test.code, last.value) or "\n".join(lines[begin:end])
            test.code = "\n".join([*lines[:begin], f"print(repr({text}))", *lines[end:]])
    if test.stdout is None:
        draft.remarks.append(
            f"{test.where}: no output was recorded, so what the solution prints is expected"
        )


def split_solution(source: str) -> tuple[str, str, bool]:
    """Split an answer cell at its marks.

    Returns:
        The learners' version, the answer without marks, and True if there were marks. Without marks
        the learners' version is the cell with every body emptied.
    """
    starter: list[str] = []
    solution: list[str] = []
    inside = prompt = marked = False
    for line in source.split("\n"):
        # Longer lines never contain a mark, and searching them would be slow.
        mark = line if len(line) <= _MAX_LINE_LENGTH else ""
        if begin := _BEGIN.match(mark):
            inside = marked = True
            starter += [] if begin[2] else [f"{begin[1]}..."]
        elif _END.match(mark):
            inside = False
        elif edge := _PROMPT.match(mark):
            prompt = edge[1] == "BEGIN"
        elif solution_line := _LINE.match(mark):
            marked = True
            solution.append(solution_line[1])
            assigned = _ASSIGNMENT.match(solution_line[1])
            margin = " " * (len(solution_line[1]) - len(solution_line[1].lstrip()))
            blank = f"{assigned[1]}{assigned[2]} = ..." if assigned else f"{margin}..."
            starter += [] if solution_line[2] else [blank]
        else:
            starter += [] if inside else [line]
            solution += [] if prompt else [line]
    answer = "\n".join(solution)
    return ("\n".join(starter) if marked else with_empty_bodies(answer)), answer, marked


def split_hidden(source: str) -> tuple[str, str]:
    """Split a test cell's code into its visible and its hidden part."""
    visible: list[str] = []
    hidden: list[str] = []
    inside = False
    for line in source.split("\n"):
        if match := _HIDDEN.match(line[:_MAX_LINE_LENGTH]):
            inside = match[1] == "BEGIN"
        else:
            (hidden if inside else visible).append(line)
    return "\n".join(visible), "\n".join(hidden)


def remove_magics(source: str, remarks: list[str], where: str) -> str:
    """Remove notebook-only syntax, with a remark."""
    code_lines = []
    for line in source.split("\n"):
        if _MAGIC.match(line) and parse_or_none(line.strip()) is None:
            remarks.append(f"{where}: {line.strip()[:60]!r} only works in a notebook; left out")
        else:
            code_lines.append(line)
    return "\n".join(code_lines)


def has_statement(code: str) -> bool:
    """Return whether code contains a statement."""
    tree = parse_or_none(code)
    return bool(code.strip()) if tree is None else bool(tree.body)


def has_assertion(code: str) -> bool:
    """Return whether code contains an assertion."""
    tree = parse_or_none(code)
    return tree is not None and judges(tree)


def read_points(value: object, remarks: list[str], where: str) -> int | None:
    """Read points as an integer, which the format requires."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1e6:  # noqa: PLR2004  more cannot be points
        return None
    if value != int(value):
        remarks.append(f"{where}: {value} points are rounded up; the format has whole points")
    return int(-(-value // 1))


def parse_settings(lines: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Parse lines of `key: value`; return the settings and the other lines."""
    settings: dict[str, str] = {}
    others: list[str] = []
    for line in lines:
        key, colon, value = line.partition(":")
        if colon and re.fullmatch(r"\w+", key) and value.strip():
            settings[key] = value.strip().strip("'\"")
        elif line.strip():
            others.append(line)
    return settings, others
