"""Rules about a track as a whole."""

from collections.abc import Iterator
from statistics import median
from typing import Final, get_args

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import TrackSubject
from grader.definitions.exercise import Difficulty
from grader.definitions.wording import quote
from grader.errors import Problem

_DIFFICULTIES: Final[tuple[Difficulty, ...]] = get_args(Difficulty)


@rule("ETU108", "xp-out-of-order", "warning")
def xp_out_of_order(track: TrackSubject) -> Iterator[Problem]:
    """An exercise earns less than easier ones of its track usually do."""
    easier: dict[Difficulty, float] = {}
    for difficulty in _DIFFICULTIES:
        here = [each for each in track.exercises if each.difficulty == difficulty]
        for exercise in here:
            more = [name for name, usual in easier.items() if exercise.xp < usual]
            if more:
                message = (
                    f"xp: {exercise.xp} for an exercise of difficulty {difficulty}; those of "
                    f"difficulty {more[-1]} usually earn {easier[more[-1]]:g} in this track"
                )
                yield Problem(track.documents[exercise.id].node("xp").where, message)
        if here:
            easier[difficulty] = median(each.xp for each in here)


@rule("ETU109", "unmentioned-exercise", "warning")
def unmentioned_exercise(track: TrackSubject) -> Iterator[Problem]:
    """A lesson never mentions an exercise that it leads into."""
    exercises = {exercise.id: exercise for exercise in track.exercises}
    for index, lesson in enumerate(track.definition.lessons):
        result = track.lessons.get(lesson.id)
        text = "" if result is None else result.text.lower()
        for number, name in enumerate(lesson.exercises):
            if result is None or name not in exercises:
                continue
            exercise = exercises[name]
            phrases = [exercise.id, exercise.title, *exercise.defines]
            if not any(phrase.lower() in text for phrase in phrases):
                where = track.document.node("lessons", index, "exercises", number).where
                message = f"exercises: the lesson never mentions {quote(name)}"
                yield Problem(where, f"{message}, by id, title or defined name")


TRACK_RULES = (xp_out_of_order, unmentioned_exercise)
