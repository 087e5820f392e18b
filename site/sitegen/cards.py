"""Short descriptions of exercises, lessons and tracks for other pages.

A page is built from its own exercise or lesson, and otherwise only from cards: a track's page from
all of its cards, the others from an outline, which contains the few cards that they show.
"""

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from markupsafe import Markup

from grader.definitions.public_exercise import PublicExercise, PublicTrack, estimated_minutes
from grader.errors import DefinitionError, Location, Problem
from sitegen.content import Lessons, TrackLesson
from sitegen.links import exercise_path, lesson_path, track_path
from sitegen.markdown import render_markdown


@dataclass(frozen=True, slots=True)
class Requirement:
    """A required exercise; its path is None if no track of the site contains it."""

    id: str
    title: str
    path: str | None


@dataclass(frozen=True, slots=True)
class ExerciseCard:
    """An exercise as an entry of a list."""

    id: str
    title: str
    kind: str
    difficulty: str
    xp: int
    concepts: tuple[str, ...]
    requires: tuple[Requirement, ...]
    number: int  # its number in the track, from one
    path: str
    minutes: int  # estimated time to solve it
    defines: tuple[str, ...] = ()  # names that a submission must define


@dataclass(frozen=True, slots=True)
class LessonCard:
    """A lesson as an entry of a list, with the exercises that it introduces."""

    id: str
    title: str
    number: int  # its number in the track, from one
    path: str
    minutes: int  # reading time without the exercises
    exercises: tuple[ExerciseCard, ...]

    @property
    def xp(self) -> int:
        """The XP of all its exercises together."""
        return sum(exercise.xp for exercise in self.exercises)


@dataclass(frozen=True, slots=True)
class OutlineLesson:
    """A lesson as an entry in its track's outline, with the ids of its exercises."""

    title: str
    number: int
    path: str
    exercises: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The part of a track that a page shows: the lessons, and the exercises of the open one."""

    id: str
    title: str
    path: str
    ids: tuple[str, ...]  # ids of all exercises in order
    lessons: tuple[OutlineLesson, ...]
    open: OutlineLesson | None
    rows: tuple[ExerciseCard, ...]  # exercises of the open lesson, or those without a lesson


@dataclass(frozen=True, slots=True)
class TrackCard:
    """A track with the cards of all its lessons and exercises."""

    id: str
    title: str
    description: Markup
    xp: int
    path: str
    lessons: tuple[LessonCard, ...]
    by_id: Mapping[str, ExerciseCard]  # every exercise, in order
    # The lesson that introduces each exercise.
    lesson_of: Mapping[str, LessonCard] = field(repr=False)

    @property
    def exercises(self) -> tuple[ExerciseCard, ...]:
        """Every exercise, in order."""
        return tuple(self.by_id.values())

    @property
    def minutes(self) -> int:
        """The estimated time for all lessons and exercises, in minutes."""
        lessons = sum(lesson.minutes for lesson in self.lessons)
        return lessons + sum(exercise.minutes for exercise in self.exercises)

    @property
    def others(self) -> tuple[ExerciseCard, ...]:
        """The exercises that no lesson introduces."""
        return tuple(card for name, card in self.by_id.items() if name not in self.lesson_of)

    @property
    def outlines(self) -> Mapping[str, Outline]:
        """The outline for each open lesson, by the lesson's path; by "" with no lesson open."""
        lessons = {
            lesson.path: OutlineLesson(
                lesson.title,
                lesson.number,
                lesson.path,
                tuple(card.id for card in lesson.exercises),
            )
            for lesson in self.lessons
        }
        rows = {"": self.others} | {lesson.path: lesson.exercises for lesson in self.lessons}
        closed = Outline(
            self.id, self.title, self.path, tuple(self.by_id), tuple(lessons.values()), None, ()
        )
        return {
            path: replace(closed, open=lessons.get(path), rows=cells)
            for path, cells in rows.items()
        }

    @property
    def course(self) -> dict[str, object]:
        """The track's data for scripts, as JSON types, with paths from the site's root."""
        exercises = [
            {
                "id": card.id,
                "title": card.title,
                "path": card.path,
                "requires": [requirement.id for requirement in card.requires],
                "lesson": self.lesson_of[name].title if name in self.lesson_of else "",
            }
            for name, card in self.by_id.items()
        ]
        return {"title": self.title, "exercises": exercises}


def make_cards(tracks: Sequence[PublicTrack], lessons: Lessons) -> tuple[TrackCard, ...]:
    """Make the cards of every track.

    Raises:
        DefinitionError: A description cannot be shown, or a lesson names an exercise that its track
            lacks.
    """
    anywhere = _list_requirements(tracks)
    track_cards = []
    for track in tracks:
        # A requirement is looked up in the same track first.
        requirements = ChainMap(_list_requirements([track]), anywhere)
        by_id: dict[str, ExerciseCard] = {
            exercise.id: _make_card(track.id, exercise, number, requirements)
            for number, exercise in enumerate(track.exercises, start=1)
        }
        cards = []
        for number, lesson in enumerate(lessons.get(track.id, ()), start=1):
            check_exercises(lesson, lesson.exercises, by_id)
            exercises = tuple(by_id[exercise] for exercise in lesson.exercises)
            path = lesson_path(track.id, lesson.id)
            cards.append(
                LessonCard(lesson.id, lesson.title, number, path, lesson.minutes, exercises)
            )
        where = Path(track.id, "description")
        card = TrackCard(
            id=track.id,
            title=track.title,
            description=render_markdown(track.description, where=where, top=3),
            xp=track.xp,
            path=track_path(track.id),
            lessons=tuple(cards),
            by_id=by_id,
            lesson_of={exercise.id: card for card in cards for exercise in card.exercises},
        )
        track_cards.append(card)
    return tuple(track_cards)


def check_exercises(lesson: TrackLesson, names: Iterable[str], ids: Mapping[str, object]) -> None:
    """Check that the track contains the exercises that a lesson names.

    Raises:
        DefinitionError: An exercise is missing.
    """
    problems = [
        Problem(Location(lesson.path), f"no exercise '{name}' in this track")
        for name in dict.fromkeys(names)
        if name not in ids
    ]
    if problems:
        raise DefinitionError(problems)


def _list_requirements(tracks: Iterable[PublicTrack]) -> dict[str, Requirement]:
    return {
        exercise.id: Requirement(exercise.id, exercise.title, exercise_path(track.id, exercise.id))
        for track in tracks
        for exercise in track.exercises
    }


def _make_card(
    track: str, exercise: PublicExercise, number: int, requirements: Mapping[str, Requirement]
) -> ExerciseCard:
    return ExerciseCard(
        id=exercise.id,
        title=exercise.title,
        kind=exercise.kind,
        difficulty=exercise.difficulty,
        xp=exercise.xp,
        concepts=exercise.concepts,
        requires=tuple(
            requirements.get(required, Requirement(required, required, None))
            for required in exercise.requires
        ),
        number=number,
        path=exercise_path(track, exercise.id),
        minutes=estimated_minutes(exercise),
        defines=exercise.defines,
    )
