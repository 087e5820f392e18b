"""The input of the site's builder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from grader.definitions.public_exercise import PublicTrack
from grader.disk_cache import Cache
from grader.lessons.blocks import Block
from grader.lessons.figure import Figure
from sitegen.own_gpt_page import GptDefinition

PLATFORM: Final = "Etude"
"""The name of a site whose exercises belong to no course."""


@dataclass(frozen=True, slots=True)
class OtherWay:
    """Another right program, and a sentence on when to choose it."""

    code: str
    when: str  # Markdown


@dataclass(frozen=True, slots=True)
class Solution:
    """A model solution; a builder that must not publish it never receives one."""

    code: str
    explanation: str  # Markdown
    others: Sequence[OtherWay] = ()


@dataclass(frozen=True, slots=True)
class Runnable:
    """The data for running an exercise in the browser."""

    # Makes the input of the Python in the page, which nothing else reads.
    grading_data: Callable[[], str]
    # Markdown by the id of the misconception.
    feedback: Mapping[str, str] = field(default_factory=dict)
    solution: Solution | None = None
    for_practice: bool = False  # True if the page runs the hidden tests, too
    # Answers by test, for practice.
    asks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Programs to break, the simplest first.
    programs: Mapping[str, str] = field(default_factory=dict)
    # Makes the data with which the Python in the page judges calls.
    breaks: Callable[[], str] = str


@dataclass(frozen=True, slots=True)
class OwnGpt:
    """The model that writes text with the functions of a track."""

    definition: GptDefinition
    model: str  # JSON for `grader.browser.own_gpt`
    record: Callable[[], str]  # makes JSON of the text written with the reference's functions
    mistakes: Mapping[str, Mapping[str, str]]  # Markdown on mistakes, by exercise, for practice


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """A wrong answer to an exercise, and the grader's reaction."""

    exercise: str
    code: str
    message: str  # Markdown, as is the diagnosis
    diagnosis: str


Runnables: TypeAlias = Mapping[str, Runnable]
"""The browser data, by exercise id."""


@dataclass(frozen=True, slots=True)
class TrackLesson:
    """A lesson of a track after its run; no part of it is hidden."""

    id: str
    title: str
    exercises: tuple[str, ...]  # ids of the exercises that the lesson introduces
    path: Path
    blocks: Sequence[Block]
    digest: str = ""  # SHA-256 of the lesson's file and data files
    minutes: int = 0  # reading time
    figures: tuple[Figure, ...] = ()  # the figures in its blocks, known before the run
    packages: tuple[str, ...] = ()  # packages that its page loads
    needs: tuple[str, ...] = ()  # packages that its cells import but its page lacks
    data: Mapping[str, bytes] = field(default_factory=dict)  # files for its cells, by name


Lessons: TypeAlias = Mapping[str, Sequence[TrackLesson]]
"""The lessons of each track in order, by the track's id."""


@dataclass(frozen=True, slots=True)
class Content:
    """The tracks of a site, with everything that belongs to them.

    Args:
        tracks: In the order of the index.
        lessons: The lessons of each track after their run, in order, by the track's id.
        runnable: The exercises that run in the browser, by id.
        notebooks: Makes the exercises as notebooks, by id.
        data: The data files for learners, by exercise id and file name.
        python: A zip archive of the modules that a page's Python imports.
        for_practice: True if pages run the hidden tests, too.
        wrong_answer: Makes the example of a check on the home page, for practice.
        cache: The cache of the pages of tracks.
        fingerprints: By the track's id, the inputs of a track's pages besides its card.
        own_gpt: The model, if a track has one and the site all its functions with their solutions.
        warm_up: The id of the track that the first one requires, for those new to NumPy.
    """

    tracks: Sequence[PublicTrack] = ()
    lessons: Lessons = field(default_factory=dict)
    runnable: Runnables = field(default_factory=dict)
    notebooks: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    data: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    python: bytes = b""
    for_practice: bool = False
    title: str = PLATFORM
    cache: Cache = field(default_factory=lambda: Cache(None, ""))
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    own_gpt: OwnGpt | None = None
    wrong_answer: Callable[[], WrongAnswer] | None = None
    warm_up: str = ""

    @property
    def packages(self) -> frozenset[str]:
        """The packages other than NumPy that pages load."""
        of_pages = [exercise.packages for track in self.tracks for exercise in track.exercises]
        of_pages += [lesson.packages for lessons in self.lessons.values() for lesson in lessons]
        return frozenset(name for names in of_pages for name in names)
