"""The input of a site's builder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from grader.definitions.public import PublicTrack
from grader.lessons.blocks import Block
from grader.lessons.figure import Figure

PLATFORM: Final = "Etude"
"""The name of a site whose exercises belong to no course of another name."""


@dataclass(frozen=True, slots=True)
class OtherWay:
    """Another right program, and when to take it."""

    code: str
    when: str  # Markdown


@dataclass(frozen=True, slots=True)
class Solution:
    """A model answer; a builder that must not publish it is never given one."""

    code: str
    explanation: str  # Markdown
    others: Sequence[OtherWay] = ()


@dataclass(frozen=True, slots=True)
class Runnable:
    """An exercise that runs in the browser."""

    engine: Callable[[], str]  # makes what the Python in the page is given; nothing else reads it
    feedback: Mapping[str, str] = field(default_factory=dict)  # Markdown by misconception's id
    solution: Solution | None = None
    for_practice: bool = False  # the engine runs the hidden tests too
    asks: Mapping[str, Sequence[str]] = field(default_factory=dict)  # answers by test, for practice
    programs: Mapping[str, str] = field(default_factory=dict)  # to break, the simplest first
    breaks: Callable[[], str] = str  # makes what the Python in the page judges calls by


@dataclass(frozen=True, slots=True)
class OwnGpt:
    """The model that writes with the functions of a track."""

    model: str  # JSON for `grader.browser.own_gpt`
    record: Callable[[], str]  # makes JSON of what it wrote with the reference's functions
    mistakes: Mapping[str, Mapping[str, str]]  # Markdown of mistakes by exercise, for practice


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """A wrong answer to an exercise, and what the grader says of it."""

    exercise: str
    code: str
    message: str  # Markdown, as the next one
    diagnosis: str


Runnables: TypeAlias = Mapping[str, Runnable]
"""The data for the browser, by the exercises' ids."""


@dataclass(frozen=True, slots=True)
class TrackLesson:
    """A lesson of a track, run; nothing of it is hidden."""

    id: str
    title: str
    exercises: tuple[str, ...]  # the ids of those that it leads into
    path: Path
    blocks: Sequence[Block]
    digest: str = ""  # SHA-256 of its file and its data files
    minutes: int = 0  # to read it
    figures: tuple[Figure, ...] = ()  # as in its blocks, but known before it is run
    packages: tuple[str, ...] = ()  # that its page loads
    needs: tuple[str, ...] = ()  # packages that its cells import and its page lacks
    data: Mapping[str, bytes] = field(default_factory=dict)  # files for its cells, by name


Lessons: TypeAlias = Mapping[str, Sequence[TrackLesson]]
"""The lessons of each track in order, by the track's id."""


@dataclass(frozen=True, slots=True)
class Content:
    """Tracks, and what goes with them.

    Args:
        tracks: In the order in which the index shows them.
        lessons: Those of each track that were run, in order, by the track's id.
        runnable: The exercises that run in the browser, by their ids.
        notebooks: The exercises as notebooks, by their ids.
        data: The data files that learners get, by the exercises' ids and their names.
        python: A zip archive of the modules that a page's Python imports.
        for_practice: Whether pages run the hidden tests too.
        wrong_answer: Makes what the home page shows of checks, for practice.
        own_gpt: The model, where a track has all its functions with their solutions.
    """

    tracks: Sequence[PublicTrack] = ()
    lessons: Lessons = field(default_factory=dict)
    runnable: Runnables = field(default_factory=dict)
    notebooks: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    python: bytes = b""
    for_practice: bool = False
    title: str = PLATFORM
    own_gpt: OwnGpt | None = None
    wrong_answer: Callable[[], WrongAnswer] | None = None

    @property
    def packages(self) -> frozenset[str]:
        """The packages beside NumPy that pages load."""
        of_pages = [exercise.packages for track in self.tracks for exercise in track.exercises]
        of_pages += [lesson.packages for lessons in self.lessons.values() for lesson in lessons]
        return frozenset(name for names in of_pages for name in names)
