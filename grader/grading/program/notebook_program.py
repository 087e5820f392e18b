"""Programs of several parts: the cells of a notebook, joined in the sandbox, or several files.

Sentences name a line by its number in its part.
"""

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from grader.definitions.program_files import NAME, join_files, mark_in, split_files
from grader.grading.feedback import outcome_sentences
from grader.grading.results.verdict import Diagnosis
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import (
    Answer,
    Cause,
    ChildGoneError,
    Raised,
    Returned,
    read_failed_cells,
)
from grader.sandbox.interface import Child
from grader.sandbox.printable import printable

_LINE: Final = re.compile(r"\b([Ll]ine|lines) ([0-9]+(?:, [0-9]+)*(?: and [0-9]+)?)\b")
_ERROR_TYPE: Final = re.compile(r"\b\w*(?:Error|Exception|Warning|Interrupt|Exit|Iteration): ")
_AT: Final = re.compile(r"\(line [0-9]+(?:, [^()]*)?\)\.")  # the place after an error's message
_HELPER: Final = re.compile(r"The mistake is in your `[^`]*` \(line [0-9]+\)")
# Omitted lines, and characters of each, that are read from an answer, as in `in_child.cells`.
_MAX_LEFT_OUT: Final = 100
_MAX_LINE_LENGTH: Final = 80
_THE_FILE: Final = ""


@dataclass(frozen=True, slots=True)
class PartLines:
    """The mapping from a program's lines to the cells or files that it is made of.

    Attributes:
        numbers: The numbers of the cells in the notebook, counted from 1.
        ends: The last line of each cell in the program.
        files: The name of each file, the line of the comment before it, and its last line.
        is_exported: Whether the notebook was exported to one Python file. Then `numbers` holds the
            first line of each cell in that file.
    """

    numbers: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    files: tuple[tuple[str, int, int], ...] = ()
    is_exported: bool = False

    @classmethod
    def of_submission(cls, submission: Submission) -> "PartLines":
        """Return the mapping for a submission; it is empty for a single file."""
        counts = (source.count("\n") + 1 for _, source in submission.cells)
        numbers = tuple(number for number, _ in submission.cells)
        ends = tuple(itertools.accumulate(counts))
        begin = ends[-1] if ends else 0
        lines = (submission.helpers if ends else submission.source).split("\n")
        marks = [(n, mark[1]) for n, line in enumerate(lines, begin + 1) if (mark := mark_in(line))]
        lasts = [*(number - 1 for number, _ in marks[1:]), begin + len(lines)]
        files = tuple(
            (name, first, last) for (first, name), last in zip(marks, lasts, strict=False)
        )
        return cls(numbers, ends, files, is_exported=bool(numbers) and not submission.is_notebook)

    @property
    def is_one_file(self) -> bool:
        """True if a line number alone identifies a place."""
        return not self.numbers and not self.files

    def line(self, line: int | None) -> int | None:
        """Return the number of a line in the main file; None in a notebook or in another file."""
        if line is None or self.is_one_file:
            return line
        place = self.locate(line)
        main = self.files[0][0] if self.files and not self.numbers else _THE_FILE
        return place[1] if place and place[0] == main else None

    def sentence(self, text: str) -> str:
        """Return a sentence with its line numbers replaced by lines of cells or files.

        The message of an exception stays unchanged, since the learner may have written it. The
        message of a syntax error comes from Python, so its lines are replaced too.
        """
        if self.is_one_file:
            return text
        words = None if text.startswith("Python cannot read") else _ERROR_TYPE.search(text)
        end = words.start() if words else len(text)
        after = _AT.sub(lambda match: _LINE.sub(self._places, match[0]), text[end:])
        return _LINE.sub(self._places, text[:end]) + after

    def diagnosis(self, original: Diagnosis | None) -> Diagnosis | None:
        """Return a diagnosis with lines of the parts; an author's own text stays unchanged."""
        if original is None or self.is_one_file:
            return original
        if original.kind in ("repair", "expression"):
            return replace(original, feedback=self.sentence(original.feedback))
        feedback = _HELPER.sub(lambda match: self.sentence(match[0]), original.feedback, count=1)
        return replace(original, feedback=feedback)

    def locate(self, line: int) -> tuple[int | str, int] | None:
        """Return the cell number or file name of a line, and the line's number in that part.

        For an exported notebook, which is a single file, the name is empty.
        """
        for name, first, last in self.files:
            if first < line <= last:
                return name, line - first
        begin = 0
        for number, end, next_number in zip(
            self.numbers, self.ends, [*self.numbers[1:], None], strict=True
        ):
            if begin < line <= end:
                if not self.is_exported:
                    return number, line - begin
                in_file = number + line - begin - 1
                return _THE_FILE, min(in_file, next_number - 1) if next_number else in_file
            begin = end
        return None

    def cell(self, number: int) -> str:
        """Return the phrase that names a cell in a sentence."""
        return f"the cell at line {number}" if self.is_exported else f"cell {number}"

    def _places(self, match: re.Match[str]) -> str:
        word, lines = match.groups()
        places = [self.locate(int(number)) for number in re.findall("[0-9]+", lines)]
        if None in places:
            return match[0]
        cell_names = [
            f"line {line}"
            + (f" of {part if isinstance(part, str) else f'cell {part}'}" if part else "")
            for part, line in filter(None, places)
        ]
        cell_names[0] = word[0] + cell_names[0][1:]
        return (
            cell_names[0]
            if len(cell_names) == 1
            else f"{', '.join(cell_names[:-1])} and {cell_names[-1]}"
        )


@dataclass(frozen=True, slots=True)
class NotebookProgram:
    """A submission whose source can be run, with notes about the code that was left out."""

    submission: Submission
    lines: PartLines = field(default_factory=PartLines)
    failed: tuple[tuple[int, Raised], ...] = ()  # numbers and errors of cells that cannot be parsed
    notes: tuple[Callable[[], str], ...] = ()


def join_cells(child: Child, submission: Submission) -> NotebookProgram:
    """Make the source of a notebook in a child that has not run any code yet.

    Raises:
        ChildGoneError: The child ended.
    """
    answer = child.ask(
        "join_cells", [list(cell) for cell in submission.cells], list(submission.names)
    )
    match answer:
        case Returned(
            value={"source": str(source), "left_out": list(entries), "numbers": list(kept)} as facts
        ):
            cells = tuple(cell for cell in submission.cells if cell[0] in kept)
            submission = replace(submission, cells=cells)
            lines = PartLines.of_submission(submission)
        case _:
            raise ChildGoneError(Cause.PROTOCOL, "no program of cells")
    left_out = []
    for entry in entries[:_MAX_LEFT_OUT]:
        match entry:
            case [int(number), str(text)]:
                left_out.append((lines.cell(number), printable(text[:_MAX_LINE_LENGTH])))
    failed = tuple((n, error) for n, error in read_failed_cells(facts) if n in lines.numbers)
    notes = (partial(outcome_sentences.left_out_note, left_out),) if left_out else ()
    if written := _modules(facts):
        submission = replace(
            submission, helpers=join_files({**written, **split_files(submission.helpers)})
        )
        lines = PartLines.of_submission(submission)
    if submission.helpers:
        source = f"{source}\n{submission.helpers}"
    return NotebookProgram(replace(submission, source=source), lines, failed, notes)


def _modules(facts: Mapping[str, object]) -> dict[str, str]:
    """Return the Python files that cells of a notebook write, by name."""
    match facts.get("modules"):
        case dict(texts):
            return {
                f"{name}.py": text
                for name, text in texts.items()
                if isinstance(text, str) and NAME.fullmatch(f"{name}.py")
            }
    return {}


def load_cells(
    child: Child, program: NotebookProgram, names: list[str]
) -> tuple[Answer, tuple[Callable[[], str], ...]]:
    """Run the cells; return the answer and a note for each cell that failed."""
    lines = program.lines
    # The number 0 makes warnings name the line of the exported file.
    numbers = (0,) * len(lines.numbers) if lines.is_exported else lines.numbers
    cell_ends = [list(each) for each in zip(numbers, lines.ends, strict=True)]
    answer = child.ask("load_cells", program.submission.source, names, cell_ends)
    facts = answer.value if isinstance(answer, Returned) else None
    ran = [(lines.numbers[n], e) for n, e in read_failed_cells(facts) if n < len(lines.numbers)]
    failed = sorted([*program.failed, *ran], key=lambda each: each[0])

    def note(number: int, error: Raised) -> str:
        place = lines.locate(error.frames[0][0]) if error.frames else None
        line = place[1] if place else None
        sentence = outcome_sentences.failed_cell_note(lines.cell(number), line, error)
        return lines.sentence(sentence) if error.line else sentence

    return answer, tuple(partial(note, *each) for each in failed)
