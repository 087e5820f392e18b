"""A notebook as a program: its cells joined in the sandbox, and sentences with cells' lines."""

import itertools
import re
from dataclasses import dataclass, field, replace
from typing import Final

from grader.grading.feedback import sentences
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Diagnosis
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
_WORDS: Final = re.compile(r"\b\w*(?:Error|Exception|Warning|Interrupt|Exit|Iteration): ")
_AT: Final = re.compile(r"\(line [0-9]+(?:, [^()]*)?\)\.")  # what is said after the words
_HELPER: Final = re.compile(r"The mistake is in your `[^`]*` \(line [0-9]+\)")
_MOST_LEFT_OUT: Final = 100
_LONGEST: Final = 80


@dataclass(frozen=True, slots=True)
class CellLines:
    """The places of a program's lines in the cells that it is made of.

    Attributes:
        numbers: of the cells in the notebook, from 1.
        ends: the last line of each, in the program.
    """

    numbers: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    @classmethod
    def of(cls, submission: Submission) -> "CellLines":
        """Return the places of a submission's lines; none if it is no notebook."""
        counts = (source.count("\n") + 1 for _, source in submission.cells)
        numbers = tuple(number for number, _ in submission.cells)
        return cls(numbers, tuple(itertools.accumulate(counts)))

    def line(self, line: int | None) -> int | None:
        """Return a line of a file; None in a notebook, where a line alone says nothing."""
        return None if self.numbers else line

    def sentence(self, said: str) -> str:
        """Return a sentence with the lines that it names as lines of cells.

        The words of an exception are the learner's: they stay as they are.
        """
        if not self.numbers:
            return said
        words = _WORDS.search(said)
        end = words.start() if words else len(said)
        after = _AT.sub(lambda match: _LINE.sub(self._places, match[0]), said[end:])
        return _LINE.sub(self._places, said[:end]) + after

    def diagnosis(self, found: Diagnosis | None) -> Diagnosis | None:
        """Return a diagnosis with lines of cells, but an author's words as they are."""
        if found is None or not self.numbers:
            return found
        if found.kind in ("repair", "unused", "expression"):
            return replace(found, feedback=self.sentence(found.feedback))
        feedback = _HELPER.sub(lambda match: self.sentence(match[0]), found.feedback, count=1)
        return replace(found, feedback=feedback)

    def place(self, line: int) -> tuple[int, int] | None:
        """Return the cell of a line, and its line in that cell."""
        begin = 0
        for number, end in zip(self.numbers, self.ends, strict=True):
            if begin < line <= end:
                return number, line - begin
            begin = end
        return None

    def _places(self, match: re.Match[str]) -> str:
        word, lines = match.groups()
        places = [self.place(int(each)) for each in re.findall("[0-9]+", lines)]
        if None in places:
            return match[0]
        said = [f"line {line} of cell {cell}" for cell, line in filter(None, places)]
        said[0] = word[0] + said[0][1:]
        return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


@dataclass(frozen=True, slots=True)
class NotebookProgram:
    """A submission with a source that can be run, and what had to be left out of it."""

    submission: Submission
    lines: CellLines = field(default_factory=CellLines)
    failed: tuple[tuple[int, Raised], ...] = ()  # cells that Python cannot read
    notes: tuple[str, ...] = ()


def join_cells(child: Child, submission: Submission) -> NotebookProgram:
    """Make the source of a notebook in a child that has run nothing yet.

    Raises:
        ChildGoneError: the child ended over it.
    """
    lines = CellLines.of(submission)
    answer = child.program(submission.cells)
    match answer:
        case Returned(value={"source": str(source), "left_out": list(entries)} as facts):
            pass
        case _:
            raise ChildGoneError(Cause.PROTOCOL, "no program of cells")
    left_out = []
    for entry in entries[:_MOST_LEFT_OUT]:
        match entry:
            case [int(number), str(text)]:
                left_out.append((number, printable(text[:_LONGEST])))
    failed = tuple((n, error) for n, error in read_failed_cells(facts) if n in lines.numbers)
    notes = (sentences.left_out(left_out),) if left_out else ()
    return NotebookProgram(replace(submission, source=source), lines, failed, notes)


def load_cells(
    child: Child, program: NotebookProgram, names: list[str]
) -> tuple[Answer, tuple[str, ...]]:
    """Run the cells; return the answer, and a note for each cell that failed."""
    lines = program.lines
    places = list(zip(lines.numbers, lines.ends, strict=True))
    answer = child.load_cells(program.submission.source, names, places)
    facts = answer.value if isinstance(answer, Returned) else None
    ran = [(lines.numbers[n], e) for n, e in read_failed_cells(facts) if n < len(lines.numbers)]
    failed = sorted([*program.failed, *ran], key=lambda each: each[0])
    return answer, tuple(_note(lines, number, error) for number, error in failed)


def _note(lines: CellLines, number: int, error: Raised) -> str:
    place = lines.place(error.frames[0][0]) if error.frames else None
    said = sentences.cell_failed(number, place[1] if place else None, error)
    return lines.sentence(said) if error.line else said
