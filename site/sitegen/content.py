"""The input of a site's builder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from grader.definitions.public import PublicTrack
from sitegen.lessons import Lessons
from sitegen.runnable import Runnables

PLATFORM: Final = "Etude"
"""The name of a site whose exercises belong to no course of another name."""


@dataclass(frozen=True, slots=True)
class Content:
    """Tracks, and what goes with them.

    Args:
        tracks: In the order in which the index shows them.
        lessons: Those of each track that were run, in order, by the track's id.
        runnable: The exercises that run in the browser, by their ids.
        notebooks: The exercises as notebooks, by their ids.
        python: A zip archive of the modules that a page's Python imports.
        for_practice: Whether pages run the hidden tests too.
        title: The name of the course.
    """

    tracks: Sequence[PublicTrack] = ()
    lessons: Lessons = field(default_factory=dict)
    runnable: Runnables = field(default_factory=dict)
    notebooks: Mapping[str, str] = field(default_factory=dict)
    python: bytes = b""
    for_practice: bool = False
    title: str = PLATFORM

    @property
    def packages(self) -> frozenset[str]:
        """The packages beside NumPy that pages load."""
        of_pages = [each.packages for track in self.tracks for each in track.exercises]
        of_pages += [each.packages for lessons in self.lessons.values() for each in lessons]
        return frozenset(name for names in of_pages for name in names)
