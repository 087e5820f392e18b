"""Lessons: prose, cells of Python, and the exercises that they lead into.

A lesson is CommonMark with `$maths$`. These things in it are Etude's:

    ```python          a cell: it is run, and what it prints and shows stands below it
    ```python hidden   likewise, but the code itself is left out
    ```exercise        the ids of exercises, one a line, to be solved at this place
    ```files           data files for all cells, one a line: paths below the course's folder
    ```figure KIND     a figure to play with, set up by `key: value` lines; see `figure.py`
    ```question KIND   a question, a choice or a number, with reasons; see `question.py`
    ```try             a change of the cell above, with a guess at its effect; see `experiment.py`
    `= expression`     in prose: the value of an expression after the cells above
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

from grader.definitions.exercise import ExerciseId
from grader.definitions.files import course_folder, read_data_files, read_file
from grader.errors import DefinitionError, Location, Problem
from grader.lessons.computed_text import ComputedText, split_values
from grader.lessons.experiment import Experiment, read_experiment
from grader.lessons.fence import Fence
from grader.lessons.figure import Figure, read_figure
from grader.lessons.question import Question, read_question


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown between cells."""

    where: Location
    parts: ComputedText


@dataclass(frozen=True, slots=True)
class Cell:
    """Python that is run."""

    where: Location  # of its first line of code
    code: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class Exercises:
    """The place for exercises."""

    where: Location
    ids: tuple[ExerciseId, ...]


@dataclass(frozen=True, slots=True)
class _DataFiles:
    """The data files that cells read."""

    listed: tuple[tuple[str, str, Location], ...]  # see `read_data_files`


Block: TypeAlias = Prose | Cell | Exercises | Figure | Question | Experiment


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson's file, cut into blocks in their order."""

    path: Path
    blocks: tuple[Block, ...]
    data: Mapping[str, bytes] = field(default_factory=dict)  # files for its cells, by name

    @property
    def exercises(self) -> tuple[ExerciseId, ...]:
        """The exercises it leads into, in order."""
        return tuple(i for block in self.blocks if isinstance(block, Exercises) for i in block.ids)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Its figures, in order."""
        return tuple(block for block in self.blocks if isinstance(block, Figure))


def read_lesson(path: Path) -> Lesson:
    """Read a lesson.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It is a symbolic link, is not text, is too long, or has a fence that is not
            known, or a data file that cannot be read.
    """
    data = read_file(path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DefinitionError([Problem(Location(path, line), "this is not UTF-8")]) from None
    blocks = tuple(_blocks(path, text))
    listed = [each for block in blocks if isinstance(block, _DataFiles) for each in block.listed]
    course = course_folder(path.absolute())
    contents = read_data_files(course, listed, Location(path)) if listed else {}
    shown = tuple(block for block in blocks if not isinstance(block, _DataFiles))
    return Lesson(path, shown, contents)


def _blocks(path: Path, text: str) -> Iterator[Block | _DataFiles]:
    lines = text.splitlines(keepends=True)
    done = 0
    for fence in _fences(text):
        assert fence.map is not None  # noqa: S101  every fence has one
        begin, end = fence.map
        yield from _prose(path, lines, done, begin)
        yield _fenced(path, fence, begin)
        done = end
    yield from _prose(path, lines, done, len(lines))


def _fences(text: str) -> Iterator[Token]:
    """Yield the fences that stand by themselves; one in a list or a quotation is only shown."""
    for token in _parser().parse(text):
        if token.type == "fence" and token.level == 0 and token.info.strip() not in ("", "text"):
            yield token


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").disable("inline")  # what a paragraph says does not matter


def _fenced(path: Path, token: Token, line: int) -> Block | _DataFiles:
    fence = Fence(path, line + 1, tuple(token.info.split()), token.content)
    read = _FENCES.get(fence.words[0])
    if read is None:
        raise _unknown(fence)
    return read(fence)


def _cell(fence: Fence) -> Cell:
    if fence.words[1:] not in ((), ("hidden",)):
        raise _unknown(fence)
    return Cell(fence.first_line, fence.content, hidden=len(fence.words) > 1)


def _exercises(fence: Fence) -> Exercises:
    if len(fence.words) > 1:
        raise _unknown(fence)
    return Exercises(fence.first_line, tuple(ExerciseId(each) for each in fence.content.split()))


def _files(fence: Fence) -> _DataFiles:
    if len(fence.words) > 1:
        raise _unknown(fence)
    first = fence.first_line
    lines = enumerate(fence.content.splitlines(), start=first.line)
    listed = ((text.strip(), Location(first.path, line)) for line, text in lines if text.strip())
    return _DataFiles(tuple(("files", written, where) for written, where in listed))


def _unknown(fence: Fence) -> DefinitionError:
    known = ", ".join(("python", "python hidden", *list(_FENCES)[1:], "text"))
    found = " ".join(fence.words)
    return fence.error(f"expected one of {known} after the fence, found '{found:.40}'")


# The blocks that are Etude's, by the first word after the fence.
_FENCES: Final[dict[str, Callable[[Fence], Block | _DataFiles]]] = {
    "python": _cell,
    "exercise": _exercises,
    "files": _files,
    "figure": read_figure,
    "question": read_question,
    "try": read_experiment,
}


def _prose(path: Path, lines: list[str], begin: int, end: int) -> Iterator[Prose]:
    text = "".join(lines[begin:end])
    if not text.strip():
        return
    yield Prose(Location(path, begin + 1), split_values(text, path, begin + 1))
