"""The subjects of rules: a file, prose, an exercise, a track."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias, cast

from grader.authoring.lint.python import SolvedFunction, find_functions, normalize
from grader.definitions.exercise import Exercise, Seeded
from grader.definitions.rules.subject import CheckedExercise, Mode, Step
from grader.definitions.track import TrackDefinition
from grader.definitions.yaml_source import Document, Scalar
from grader.errors import Location, Problem

FileKind: TypeAlias = Literal["exercise", "track"]


@dataclass(frozen=True, slots=True)
class File:
    """A definition's file; `document` is None if it is not valid YAML."""

    path: Path
    kind: FileKind
    document: Document | None

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without line ends."""
        return [] if self.document is None else self.document.text.splitlines()


@dataclass(frozen=True, slots=True)
class LoadProblems:
    """The problems of definitions that cannot be loaded, and of what they name."""

    problems: Sequence[Problem]


@dataclass(frozen=True, slots=True)
class ProseText:
    """Markdown that learners read, and its source."""

    label: str
    text: str
    source: Path | tuple[Document, Scalar]

    @property
    def path(self) -> Path:
        """The file that contains the text."""
        return self.source if isinstance(self.source, Path) else self.source[0].path

    def problem(self, message: str, line: int, column: int = 1) -> Problem:
        """Return a problem at a line and column of the text, both from one."""
        if isinstance(self.source, Path):
            return Problem(Location(self.source, line, column), message)
        document, scalar = self.source
        return Problem(document.locate(scalar, line, column), f"{self.label}: {message}")


@dataclass(frozen=True, slots=True)
class PageText:
    """A piece of prose, and the problems that keep a page from showing it."""

    prose: ProseText
    unshowable: Sequence[Problem]  # their lines and columns are those of the text


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The exercises around the linted ones, and their places in the tracks."""

    exercises: Mapping[str, Exercise]
    places: Mapping[str, tuple[str, int]]  # the track and the number in it
    # The ids in the collection around each track's folder, from file names.
    ids_around: Mapping[Path, frozenset[str]]

    def count_concepts(self) -> Counter[str]:
        """Return the number of exercises that have each concept, in order of first use."""
        counts: Counter[str] = Counter()
        for exercise in self.exercises.values():
            counts.update(dict.fromkeys(exercise.concepts, 1))
        return counts

    def find_requirements(self, name: str) -> frozenset[str]:
        """Return the direct and indirect requirements of an exercise."""
        required: set[str] = set()
        waiting = [name]
        while waiting:
            exercise = self.exercises.get(waiting.pop())
            new = set(exercise.requires) - required if exercise else set()
            required |= new
            waiting.extend(new)
        return frozenset(required)


class LintedExercise(CheckedExercise):
    """An exercise with its file, its Python and its neighbours."""

    def __init__(self, exercise: Exercise, document: Document, neighbours: Neighbours) -> None:
        super().__init__(exercise, document)
        self.neighbours = neighbours
        self._shapes: dict[tuple[Step, ...], str | None] = {}

    def missing(self, message: str, key: str) -> Problem:
        """Return a problem at a key, or at the whole file if the key is missing."""
        return Problem(self.document.key(key), f"{key}: {message}")

    def text(self, *steps: Step) -> Scalar:
        """Return the scalar at a place that the decoder has already validated."""
        return cast("Scalar", self.document.node(*steps))

    def list_programs(self) -> Iterator[tuple[Step, ...]]:
        """Yield the places of multi-line Python."""
        yield from ((key,) for key in ("starter", "solution") if self.document.has(key))
        for index in range(len(self.exercise.misconceptions)):
            yield "misconceptions", index, "code"
        for index in range(len(self.exercise.also_right)):
            yield self.document.text_steps("code", "also_right", index)
        for index in range(len(self.exercise.tests)):
            for key in ("given", "run", "pytest"):
                if self.document.has("tests", index, key) and isinstance(
                    self.document.node("tests", index, key), Scalar
                ):
                    yield "tests", index, key

    def list_python(self, index: int) -> Iterator[tuple[Mode, tuple[Step, ...]]]:
        """Yield the mode and place of each piece of Python in a test."""
        test = self.exercise.tests[index]
        if isinstance(test.given, Seeded):
            yield "exec", ("tests", index, "given")
        for mode, keys in test.python:
            yield mode, ("tests", index, *keys)

    def walk_nodes(self, mode: Mode, *steps: Step) -> Iterator[ast.AST]:
        """Return the nodes of the Python at a place, or none if it is invalid."""
        tree = self.tree(mode, *steps)
        return iter(()) if tree is None else ast.walk(tree)

    def prose(self) -> Iterator[ProseText]:
        """Yield the Markdown of the exercise."""
        places: list[tuple[Step, ...]] = [
            (key,) for key in ("instructions", "explanation") if self.document.has(key)
        ]
        places += [self.hint(index) for index in range(len(self.exercise.hints))]
        places += [
            ("also_right", index, "when")
            for index, program in enumerate(self.exercise.also_right)
            if program.when
        ]
        places += [
            ("misconceptions", index, "feedback")
            for index in range(len(self.exercise.misconceptions))
        ]
        for steps in places:
            scalar = self.text(*steps)
            label = next(step for step in reversed(steps) if isinstance(step, str))
            yield ProseText(label, scalar.text, (self.document, scalar))

    def hint(self, index: int) -> tuple[Step, ...]:
        """Return the place of a hint's text."""
        return self.document.text_steps("text", "hints", index)

    @cached_property
    def solved_functions(self) -> list[SolvedFunction]:
        """The functions of the solution that a submission must define, with their values."""
        tree = self.tree("exec", "solution")
        try:
            return (
                find_functions(tree, self.exercise.solution, self.exercise.defines) if tree else []
            )
        except RecursionError:
            return []  # nested too deeply to walk

    def shape(self, *steps: Step) -> str | None:
        """Return the normal form of the program at a place, without its layout.

        Returns None if there is no program, or none that can be parsed.
        """
        if steps not in self._shapes:
            tree = self.tree("exec", *steps)
            try:
                self._shapes[steps] = normalize(tree) if tree else None
            except RecursionError:
                self._shapes[steps] = None
        return self._shapes[steps]

    @cached_property
    def words(self) -> str:
        """All texts and code of the task, in lower case."""
        exercise = self.exercise
        parts = [exercise.title, exercise.instructions, exercise.starter, exercise.solution]
        parts += [exercise.explanation, *(hint.text for hint in exercise.hints)]
        return "\n".join(parts).lower()


@dataclass(frozen=True, slots=True)
class TrackSubject:
    """A track's file, its valid exercises, and its lessons."""

    definition: TrackDefinition
    document: Document
    exercises: Sequence[Exercise]
    documents: Mapping[str, Document]  # the files of the exercises, by id
    lessons: Mapping[str, ProseText]  # lesson texts by id

    def prose(self) -> Iterator[ProseText]:
        """Yield the Markdown of the track: its description and its lessons."""
        node = self.document.node("description")
        if isinstance(node, Scalar):
            yield ProseText("description", node.text, (self.document, node))
        yield from self.lessons.values()
