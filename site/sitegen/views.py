"""What the templates print: the public definitions with their texts, code and values rendered."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markupsafe import Markup

from grader.definitions.public import PublicExercise, PublicTest, PublicTrack, TestKind
from sitegen.highlight import highlight
from sitegen.lessons import NO_LESSONS, BlockView, Lessons, TrackLesson, view_blocks
from sitegen.links import exercise_path, lesson_path, track_path
from sitegen.markdown import render_markdown
from sitegen.values import Block, Shown, shorten, show


@dataclass(frozen=True, slots=True)
class TestView:
    """A visible test; its values are in the form in which they are shown."""

    test: PublicTest
    given: tuple[tuple[str, Shown], ...]
    code: Markup
    does: str  # what the code is: "Call"
    must: str  # what heads the expected value
    expected: Shown | None
    holds: str  # a property in words, in place of an expected value


@dataclass(frozen=True, slots=True)
class RequirementView:
    """An exercise to have passed before; without a page when no track of the site has it."""

    title: str
    path: str | None


@dataclass(frozen=True, slots=True)
class ExerciseView:
    """An exercise with everything that its page shows."""

    exercise: PublicExercise
    number: int  # its place in the track, from one
    path: str
    instructions: Markup
    starter: Markup
    hints: tuple[Markup, ...]
    tests: tuple[TestView, ...]
    requires: tuple[RequirementView, ...]

    @property
    def title(self) -> str:
        """The exercise's title."""
        return self.exercise.title


@dataclass(frozen=True, slots=True)
class LessonView:
    """A lesson with everything that its page shows."""

    title: str
    number: int  # its place in the track, from one
    path: str
    blocks: tuple[BlockView, ...]
    exercises: tuple[ExerciseView, ...]

    @property
    def xp(self) -> int:
        """What its exercises earn together."""
        return sum(view.exercise.xp for view in self.exercises)


@dataclass(frozen=True, slots=True)
class TrackView:
    """A track with everything that its pages show."""

    track: PublicTrack
    path: str
    description: Markup
    lessons: tuple[LessonView, ...]
    by_id: Mapping[str, ExerciseView]  # every exercise, in order
    lesson_of: Mapping[str, LessonView]  # by the ids of the exercises that it leads into

    @property
    def exercises(self) -> tuple[ExerciseView, ...]:
        """Every exercise, in order."""
        return tuple(self.by_id.values())

    def pick(self, names: Iterable[str]) -> tuple[ExerciseView, ...]:
        """Return some of the exercises, by their ids."""
        return tuple(self.by_id[name] for name in names)

    @property
    def others(self) -> tuple[ExerciseView, ...]:
        """The exercises that no lesson leads into."""
        return tuple(view for name, view in self.by_id.items() if name not in self.lesson_of)


def view_tracks(
    tracks: Sequence[PublicTrack], lessons: Lessons = NO_LESSONS
) -> tuple[TrackView, ...]:
    """Render every text, code and value of the tracks, and of their lessons.

    Raises:
        DefinitionError: A text cannot be shown; the error names track, exercise and field.
    """
    return tuple(
        _view_track(track, _requirements(tracks, nearest=track), lessons.get(track.id, ()))
        for track in tracks
    )


def _requirements(
    tracks: Iterable[PublicTrack], *, nearest: PublicTrack
) -> Mapping[str, RequirementView]:
    """Where a required exercise is found: in this track rather than in another."""
    return {
        exercise.id: RequirementView(exercise.title, exercise_path(track.id, exercise.id))
        for track in (*tracks, nearest)
        for exercise in track.exercises
    }


def _view_track(
    track: PublicTrack, known: Mapping[str, RequirementView], lessons: Sequence[TrackLesson]
) -> TrackView:
    where = Path(track.id)
    exercises: dict[str, ExerciseView] = {
        each.id: _view_exercise(track, each, number, known)
        for number, each in enumerate(track.exercises, start=1)
    }
    views = tuple(
        _view_lesson(track, lesson, number, exercises)
        for number, lesson in enumerate(lessons, start=1)
    )
    return TrackView(
        track=track,
        path=track_path(track.id),
        description=render_markdown(track.description, where=where / "description", top=3),
        lessons=views,
        by_id=exercises,
        lesson_of={each.exercise.id: view for view in views for each in view.exercises},
    )


def _view_lesson(
    track: PublicTrack, lesson: TrackLesson, number: int, known: Mapping[str, ExerciseView]
) -> LessonView:
    return LessonView(
        title=lesson.title,
        number=number,
        path=lesson_path(track.id, lesson.id),
        blocks=view_blocks(lesson, known),
        exercises=tuple(known[each] for each in lesson.exercises),
    )


def _view_exercise(
    track: PublicTrack, exercise: PublicExercise, number: int, known: Mapping[str, RequirementView]
) -> ExerciseView:
    where = Path(track.id, exercise.id)
    hints = enumerate(exercise.hints, start=1)
    return ExerciseView(
        exercise=exercise,
        number=number,
        path=exercise_path(track.id, exercise.id),
        instructions=render_markdown(exercise.instructions, where=where / "instructions"),
        starter=highlight(exercise.starter),
        hints=tuple(render_markdown(hint, where=where / f"hint {n}", top=3) for n, hint in hints),
        tests=tuple(map(_view_test, exercise.tests)),
        requires=tuple(known.get(each, RequirementView(each, None)) for each in exercise.requires),
    )


_DOES: Final[dict[TestKind, str]] = {
    "call": "Call",
    "output": "Run",
    "property": "Call",
    "pytest": "Test",
    "answer": "Your answer",
}
_MUST: Final[dict[TestKind, str]] = {
    "call": "Must return",
    "output": "Must print",
    "property": "",
    "pytest": "",
    "answer": "",
}
_HOLDS: Final[dict[str, str]] = {
    "rows_sum_to_one": "No value is negative, and each row adds up to 1.",
    "shift_invariant": "A constant added to the inputs changes nothing.",
    "causal": "What comes later changes nothing before it.",
    "permutation_equivariant": "Reordering the inputs reorders the result in the same way.",
    "permutation_invariant": "The order of the inputs does not matter.",
    "unchanged_inputs": "The inputs are as they were.",
    "finite_at_large_values": "Large inputs give finite numbers too.",
    "gradient": "The result agrees with finite differences.",
    "idempotent": "Applied to its own result, it changes nothing more.",
    "deterministic": "The same inputs give the same result.",
    "cached_equals_uncached": "With the cache the result is the same as without.",
}


def _view_test(test: PublicTest) -> TestView:
    return TestView(
        test=test,
        given=tuple((name, show(value, shaded=False)) for name, value in test.given.items()),
        code=highlight(test.code),
        does=_DOES[test.kind],
        must=_MUST[test.kind],
        expected=_view_expected(test),
        holds=_HOLDS[test.holds] if test.holds else "",
    )


def _view_expected(test: PublicTest) -> Shown | None:
    if test.kind == "output":
        return Block("", shorten(str(test.expected)))
    return show(test.expected, shaded=True) if test.kind == "call" else None
