"""Lessons as they are read: prose, cells of Python, and exercises.

A lesson is CommonMark with `$maths$`. Etude adds:

    ```python          a cell: it is run, and its output and displays are shown below it
    ```python hidden   a cell whose code is not shown
    ```python details TITLE    a cell whose code is folded under a title
    ```exercise        the ids of exercises to solve at this place, one on each line
    ```files           data files for all cells: paths below the course's folder, one on each line
    ```figure KIND     an interactive figure, set up by `key: value` lines; see `figure.py`
    ```question KIND   a question, a choice or a number, with reasons; see `tasks.py`
    ```try             a change to the cell above, with a guess at its effect; see `tasks.py`
    ```details TITLE   Markdown that a page folds under its title, such as a derivation
    ```break ID WRONG  a wrong program of an exercise, for which a reader finds a breaking call
    `= expression`     in prose: the value of an expression after the cells above
"""

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

from grader.definitions.exercise import Exercise, ExerciseId
from grader.definitions.files import course_folder, data_digests, read_data_files, read_file
from grader.definitions.wording import did_you_mean
from grader.errors import DefinitionError, Location, Problem
from grader.lessons.blocks import Block, BreakTask, Cell, Exercises, Prose
from grader.lessons.computed_text import Text
from grader.lessons.fence import Fence
from grader.lessons.figure import Figure, read_figure
from grader.lessons.tasks import read_break, read_experiment, read_question

# Estimates of a reader's speed. Technical prose is read more slowly than a novel.
_WORDS_A_MINUTE: Final = 180
_LINES_A_MINUTE: Final = 12
_MINUTES_A_MATRIX: Final = 0.3
# A question, an experiment and a program to break count as much as a figure.
_MINUTES_A_FIGURE: Final = 1.0
_SHOWS: Final = re.compile(r"\b(?:heatmap|table)\(")


@dataclass(frozen=True, slots=True)
class _DataFiles:
    """The data files that cells read."""

    paths: tuple[tuple[str, Location], ...]  # as the author wrote them, with their places


_READERS: Final[Mapping[str, Callable[[Fence], Block]]] = {
    "figure": read_figure,
    "question": read_question,
    "try": read_experiment,
    "break": read_break,
}


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson's file, split into blocks."""

    path: Path
    blocks: Sequence[Block]
    data: Mapping[str, bytes] = field(default_factory=dict)  # contents of data files, by name
    digest: str = ""  # SHA-256 of the lesson's file and its data files

    @property
    def exercises(self) -> tuple[ExerciseId, ...]:
        """The ids of the lesson's exercises, in order."""
        return tuple(i for block in self.blocks if isinstance(block, Exercises) for i in block.ids)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The lesson's figures, in order."""
        return tuple(block for block in self.blocks if isinstance(block, Figure))

    def check_breaks(self, exercises: Iterable[Exercise]) -> None:
        """Check that the lesson's *break it* tasks are about programs that these exercises have.

        Raises:
            DefinitionError: An exercise or a misconception is missing.
        """
        by_id = {exercise.id: exercise for exercise in exercises}
        problems = []
        for block in self.blocks:
            if not isinstance(block, BreakTask):
                continue
            exercise, name = by_id.get(block.exercise), block.misconception
            if exercise is None:
                close = did_you_mean(block.exercise, by_id)
                message = f"no exercise '{block.exercise}' in this track{close}"
                problems.append(Problem(block.where, message))
            elif exercise.edition == "full":  # the student edition lacks the wrong programs
                ids = [misconception.id for misconception in exercise.breakable_misconceptions]
                if name not in ids:
                    problem = f"'{exercise.id}' has no misconception '{name}' to break"
                    problems.append(Problem(block.where, problem + did_you_mean(name, ids)))
        if problems:
            raise DefinitionError(problems)

    @property
    def reading_minutes(self) -> int:
        """The minutes that reading the lesson takes, without its exercises, rounded up."""
        minutes = 0.0
        for block in self.blocks:
            match block:
                case Prose(text=text):
                    words = sum(len(p.split()) if isinstance(p, str) else 1 for p in text.parts)
                    minutes += words / _WORDS_A_MINUTE
                case Cell(code=code, hidden=hidden):
                    lines = 0 if hidden else sum(bool(line.strip()) for line in code.splitlines())
                    minutes += lines / _LINES_A_MINUTE
                    minutes += len(_SHOWS.findall(code)) * _MINUTES_A_MATRIX
                case Exercises():
                    pass
                case _:
                    minutes += _MINUTES_A_FIGURE
        return max(1, math.ceil(minutes))


def read_lesson(path: Path) -> Lesson:
    """Read a lesson.

    Raises:
        UsageError: There is no such file.
        DefinitionError: The file is a symbolic link, is not text, is too long, or has an unknown
            fence or a data file that cannot be read.
    """
    data = read_file(path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DefinitionError.at(Location(path, line), "this is not UTF-8") from None
    lines = text.splitlines(keepends=True)
    blocks: list[Block | _DataFiles] = []
    done = 0
    for token in _parser().parse(text):
        # A fence in a list or a quotation is shown like any Markdown, not run.
        if token.type == "fence" and token.level == 0 and token.info.strip() not in ("", "text"):
            assert token.map is not None  # every fence has one
            begin, end = token.map
            blocks += _prose(path, lines, done, begin)
            blocks.append(_block(Fence(path, begin + 1, tuple(token.info.split()), token.content)))
            done = end
    blocks += _prose(path, lines, done, len(lines))
    listed = [
        ("files", path, where)
        for block in blocks
        if isinstance(block, _DataFiles)
        for path, where in block.paths
    ]
    course = course_folder(path.absolute())
    contents = read_data_files(course, listed, Location(path)) if listed else {}
    visible = tuple(block for block in blocks if not isinstance(block, _DataFiles))
    digests = [hashlib.sha256(data).hexdigest(), *data_digests(contents)]
    digest = hashlib.sha256("\n".join(digests).encode()).hexdigest()
    return Lesson(path, visible, contents, digest if contents else digests[0])


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").disable("inline")  # only the fences matter here


def _block(fence: Fence) -> Block | _DataFiles:
    """Read the block in a fence, whose first word names the kind of block."""
    match fence.info_words:
        case ("python",) | ("python", "hidden"):
            return Cell(fence.first_line, fence.content, hidden=len(fence.info_words) > 1)
        case ("python", "details", *title) if title:
            return Cell(fence.first_line, fence.content, hidden=False, title=" ".join(title))
        case ("exercise",):
            ids = tuple(ExerciseId(name) for name in fence.content.split())
            return Exercises(fence.first_line, ids)
        case ("files",):
            lines = enumerate(fence.content.splitlines(), start=fence.line + 1)
            paths = [(line.strip(), Location(fence.path, number)) for number, line in lines]
            return _DataFiles(tuple((path, where) for path, where in paths if path))
        case ("details", _, *_):
            text = Text.read(fence.content, fence.first_line)
            return Prose(fence.first_line, text, " ".join(fence.info_words[1:]))
        case (kind, *_) if kind in _READERS:
            return _READERS[kind](fence)
    kinds = (
        "python, python hidden, python details TITLE, exercise, files, figure, question, try, "
        "break, details TITLE, text"
    )
    actual = " ".join(fence.info_words)
    raise fence.error(f"expected one of {kinds} after the fence, found '{actual:.40}'")


def _prose(path: Path, lines: list[str], begin: int, end: int) -> Iterator[Prose]:
    text = "".join(lines[begin:end])
    if text.strip():
        where = Location(path, begin + 1)
        yield Prose(where, Text.read(text, where))
