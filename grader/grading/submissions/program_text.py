"""The text of a program, whose lines belong to cells of a notebook or to several files."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from grader.definitions.program_files import mark_in
from grader.definitions.wording import join_words
from grader.grading.submissions.submission import Submission

_LINE: Final = re.compile(r"\bline ([0-9]+)\b")
_THE_FILE: Final = ""


@dataclass(frozen=True, slots=True)
class ProgramText:
    """The text of a program, with the cells or files that its lines belong to.

    Attributes:
        source: The code.
        numbers: The numbers of the cells in the notebook, counted from 1.
        ends: The last line of each cell in the program.
        files: The name of each file, the line of the comment before it, and its last line.
        is_exported: Whether the notebook was exported to one Python file. Then `numbers` holds the
            first line of each cell in that file.
    """

    source: str = ""
    numbers: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    files: tuple[tuple[str, int, int], ...] = ()
    is_exported: bool = False

    @classmethod
    def from_submission(cls, submission: Submission) -> "ProgramText":
        """Return the text of a submission. The source of a notebook is made later."""
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
        is_exported = bool(numbers) and not submission.is_notebook
        return cls(submission.source, numbers, ends, files, is_exported)

    @property
    def is_one_file(self) -> bool:
        """True if a line number alone identifies a place."""
        return not self.numbers and not self.files

    def main_line(self, line: int | None) -> int | None:
        """Return the number of a line in the main file; None in a notebook or in another file."""
        if line is None or self.is_one_file:
            return line
        place = self.locate(line)
        main = self.files[0][0] if self.files and not self.numbers else _THE_FILE
        return place[1] if place and place[0] == main else None

    def name_line(self, line: int) -> str:
        """Return the phrase that names a line in a sentence, such as "line 2 of cell 3"."""
        return self.name_lines([line])

    def begin_with(self, line: int) -> str:
        """Return the phrase that names a line at the beginning of a sentence."""
        name = self.name_line(line)
        return f"{name[0].upper()}{name[1:]}"

    def name_lines(self, lines: Sequence[int]) -> str:
        """Return the phrase that names several lines, such as "lines 2 and 5"."""
        places = [self.locate(line) for line in lines]
        if None in places:
            word = "line" if len(lines) == 1 else "lines"
            return f"{word} {join_words(map(str, lines), 'and')}"
        phrases = []
        for part, line in filter(None, places):
            of = f" of {part if isinstance(part, str) else f'cell {part}'}" if part else ""
            phrases.append(f"line {line}{of}")
        return join_words(phrases, "and")

    def in_message(self, message: str) -> str:
        """Return the message of a syntax error, in which Python may name a line, with its place."""
        return _LINE.sub(lambda match: self.name_line(int(match[1])), message)

    def locate(self, line: int) -> tuple[int | str, int] | None:
        """Return the cell number or file name of a line, and the line's number in that part.

        For an exported notebook, which is a single file, the name is empty.
        """
        for name, first, last in self.files:
            if first < line <= last:
                return name, line - first
        begin = 0
        for number, end, next_number in zip(
            self.numbers, self.ends, [*self.numbers[1:], None], strict=False
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


NO_TEXT: Final = ProgramText()
"""The text of a program that is not at hand."""
