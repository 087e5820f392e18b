"""The concepts that exercises train, across all tracks."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sitegen.cards import ExerciseCard, LessonCard, TrackCard

_OTHER: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class InTrack:
    """The lessons and exercises of one track about a concept."""

    track: TrackCard
    lessons: tuple[LessonCard, ...]
    exercises: tuple[ExerciseCard, ...]


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept, with the lessons and exercises about it."""

    name: str
    anchor: str
    places: tuple[InTrack, ...]

    @property
    def exercises(self) -> int:
        """The number of exercises that train the concept."""
        return sum(len(in_track.exercises) for in_track in self.places)


def anchor(concept: str) -> str:
    """Return the HTML id of a concept on its page, in characters that are safe in any address."""
    slug = _OTHER.sub("-", concept.lower()).strip("-")
    return f"concept-{slug or hashlib.sha256(concept.encode()).hexdigest()[:8]}"


def find_concepts(tracks: Sequence[TrackCard]) -> tuple[Concept, ...]:
    """Return every concept in alphabetical order, merging names that differ in punctuation."""
    names: dict[str, str] = {}
    trained: defaultdict[str, list[InTrack]] = defaultdict(list)
    for track in tracks:
        by_anchor: defaultdict[str, list[ExerciseCard]] = defaultdict(list)
        for exercise in track.exercises:
            for concept in dict.fromkeys(exercise.concepts):
                names.setdefault(anchor(concept), concept)
                by_anchor[anchor(concept)].append(exercise)
        for anchor_id, exercises in by_anchor.items():
            lessons = {
                lesson.path: lesson
                for exercise in exercises
                if (lesson := track.lesson_of.get(exercise.id)) is not None
            }
            trained[anchor_id].append(
                InTrack(track, tuple(lessons.values()), tuple(dict.fromkeys(exercises)))
            )
    return tuple(
        Concept(names[anchor_id].replace("-", " "), anchor_id, tuple(trained[anchor_id]))
        for anchor_id in sorted(trained, key=lambda anchor: (names[anchor].lower(), anchor))
    )
