"""Rules about a track: its exercises, their order, and its lessons."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.definitions.exercise import Exercise, ExerciseId
from grader.definitions.files import LESSONS, id_in_name
from grader.definitions.rules.base import Step, slug, unique
from grader.definitions.track import TrackDefinition
from grader.definitions.wording import did_you_mean, quote
from grader.definitions.yaml_source import Document
from grader.errors import Location, Problem


@dataclass(frozen=True, slots=True)
class Found:
    """A track's file, and the files that are beside it."""

    track: TrackDefinition
    document: Document
    exercises: Mapping[ExerciseId, Exercise | None]  # None is one that is not valid
    paths: Mapping[ExerciseId, Path]
    lessons: Mapping[str, Path]  # by the ids in their names


def check_track(found: Found) -> Iterator[Problem]:
    """Yield what is wrong with a track."""
    for rule in _RULES:
        yield from rule(found)


def lessons_by_id(paths: list[Path]) -> tuple[dict[str, Path], list[Problem]]:
    """Return lesson files by the ids in their names, and what is wrong with these."""
    lessons: dict[str, Path] = {}
    problems = []
    for path in paths:
        name = id_in_name(path)
        if name in lessons:
            message = f"lesson {quote(name)} is already in {lessons[name]}"
            problems.append(Problem(Location(path), message))
        lessons.setdefault(name, path)
    return lessons, problems


def _id(found: Found) -> Iterator[Problem]:
    yield from slug(found.document, "id")
    folder = found.document.path.absolute().parent.name
    if found.track.id != folder:
        message = f"id: {quote(found.track.id)} is not the folder's name, {quote(folder)}"
        yield Problem(found.document.node("id").where, message)


def _exercises(found: Found) -> Iterator[Problem]:
    first: dict[ExerciseId, Location] = {}
    for index, name in enumerate(found.track.exercises):
        where = found.document.node("exercises", index).where
        if name in first:
            yield Problem(where, f"exercises: {quote(name)} is already at {first[name]}")
        elif name not in found.exercises:
            message = f"exercises: no exercise {quote(name)} in this folder"
            yield Problem(where, message + did_you_mean(name, found.exercises))
        first.setdefault(name, where)
    for name in found.exercises.keys() - first.keys():
        message = f"exercise {quote(name)} is not listed in {found.document.path}"
        yield Problem(Location(found.paths[name]), message)


def _order(found: Found) -> Iterator[Problem]:
    places = {name: index for index, name in reversed(list(enumerate(found.track.exercises)))}
    for name, index in places.items():
        exercise = found.exercises.get(name)
        for required in exercise.requires if exercise else ():
            if places.get(required, -1) > index:
                message = f"{quote(name)} comes before {quote(required)}, which it requires"
                yield _problem(found, message, "exercises", index)


def _lessons(found: Found) -> Iterator[Problem]:
    lessons = found.track.lessons
    for index, lesson in enumerate(lessons):
        yield from slug(found.document, "lessons", index, "id")
        if lesson.id not in found.lessons:
            message = f"no file {LESSONS}/<number>-{lesson.id}.md beside this one"
            hint = did_you_mean(lesson.id, found.lessons)
            yield _problem(found, message + hint, "lessons", index, "id")
    ids = ((lesson.id, ("lessons", index, "id")) for index, lesson in enumerate(lessons))
    yield from unique(found.document, ids)
    for name in found.lessons.keys() - {lesson.id for lesson in lessons}:
        message = f"lesson {quote(name)} is not listed in {found.document.path}"
        yield Problem(Location(found.lessons[name]), message)


def _led_into(found: Found) -> Iterator[Problem]:
    """Yield what is wrong with the exercises of lessons; each has one lesson that leads into it."""
    steps: list[tuple[ExerciseId, tuple[Step, ...]]] = [
        (name, ("lessons", index, "exercises", number))
        for index, lesson in enumerate(found.track.lessons)
        for number, name in enumerate(lesson.exercises)
    ]
    known = set(found.track.exercises)
    for name, place in steps:
        if name not in known:
            message = f"no exercise {quote(name)} in this track"
            yield _problem(found, message + did_you_mean(name, found.track.exercises), *place)
    yield from unique(found.document, steps)


def _xp(found: Found) -> Iterator[Problem]:
    stated = found.track.xp
    exercises = [found.exercises.get(name) for name in dict.fromkeys(found.track.exercises)]
    total = sum(exercise.xp for exercise in exercises if exercise is not None)
    if stated is not None and None not in exercises and stated != total:
        yield _problem(found, f"the exercises earn {total} together, not {stated}", "xp")


def _problem(found: Found, message: str, *steps: Step) -> Problem:
    label = next(step for step in reversed(steps) if isinstance(step, str))
    return Problem(found.document.node(*steps).where, f"{label}: {message}")


_RULES: Final = (_id, _exercises, _order, _lessons, _led_into, _xp)
