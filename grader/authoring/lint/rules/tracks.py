"""Rules about a track as a whole."""

from collections.abc import Iterator
from statistics import median, median_low
from typing import Final, get_args

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import TrackSubject
from grader.definitions.exercise import Difficulty
from grader.definitions.wording import quote
from grader.errors import Problem

_MAX_TIMES: Final = 20  # multiple of the track's typical XP
_MAX_XP: Final = 1000
_DIFFICULTIES: Final[tuple[Difficulty, ...]] = get_args(Difficulty)


@rule("ETU108", "warning")
def xp_out_of_order(track: TrackSubject) -> Iterator[Problem]:
    """An exercise earns less than easier ones of its track usually do, or far more than any."""
    usual = median_low([exercise.xp for exercise in track.exercises] or [0])
    for exercise in track.exercises:
        if exercise.xp > min(_MAX_TIMES * usual, _MAX_XP) > 0:
            message = f"xp: {exercise.xp} is far more than others earn; 5 to 50 is usual"
            yield Problem(track.documents[exercise.id].node("xp").where, message)
    easier: dict[Difficulty, float] = {}
    for difficulty in _DIFFICULTIES:
        here = [exercise for exercise in track.exercises if exercise.difficulty == difficulty]
        for exercise in here:
            harder = [name for name, usual in easier.items() if exercise.xp < usual]
            if harder:
                message = (
                    f"xp: {exercise.xp} for an exercise of difficulty {difficulty}; those of "
                    f"difficulty {harder[-1]} usually earn {easier[harder[-1]]:g} in this track"
                )
                yield Problem(track.documents[exercise.id].node("xp").where, message)
        if here:
            easier[difficulty] = median(exercise.xp for exercise in here)


@rule("ETU109", "warning")
def unmentioned_exercise(track: TrackSubject) -> Iterator[Problem]:
    """A lesson never mentions an exercise that it leads into."""
    exercises = {exercise.id: exercise for exercise in track.exercises}
    for index, lesson in enumerate(track.definition.lessons):
        document = track.lessons.get(lesson.id)
        text = "" if document is None else document.text.lower()
        for number, name in enumerate(lesson.exercises):
            if document is None or name not in exercises:
                continue
            exercise = exercises[name]
            phrases = [exercise.id, exercise.title, *exercise.defines]
            if not any(phrase.lower() in text for phrase in phrases):
                where = track.document.node("lessons", index, "exercises", number).where
                message = f"exercises: the lesson never mentions {quote(name)}"
                yield Problem(where, f"{message}, by id, title or defined name")
