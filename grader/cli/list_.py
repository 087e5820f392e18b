"""`etude list`: the exercises, and the learner's progress in them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli import options
from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from grader.definitions.exercise import Exercise, ExerciseId
    from grader.definitions.track import LessonDefinition
    from grader.progress.status import ExerciseStatus

    Standings = Mapping[ExerciseId, ExerciseStatus]

_STYLES = {"passed": "green", "tried": "yellow", "given up": "dim", "new": ""}
_BESIDE_ID = 34  # width of the columns for mark, state, difficulty and XP


@click.command("list")
@click.argument("tracks", nargs=-1, metavar="[TRACK]...", shell_complete=options.complete_track)
@options.format_option("text", "json")
@options.exercises_option
def command(tracks: tuple[str, ...], form: str, exercises: tuple[Path, ...]) -> None:
    """List every exercise, or those of each TRACK: its state, XP, and what it builds on.

    An exercise is new, tried, passed or given up; `>` marks the next one. It stands below the
    lesson that leads into it. What it builds on is named as long as you have not done it, if the
    line has room; nothing keeps you from starting anywhere. The easiest track comes first, unless
    a track requires another.

    \b
    Examples:
      etude list
      etude list attention
      etude list --format json
    """
    from grader.cli.progress_record import find_next_exercise, read_history
    from grader.definitions.collection import Collection
    from grader.definitions.files import folder_list
    from grader.definitions.wording import did_you_mean
    from grader.progress.status import compute_statuses

    collection = Collection.load(*options.collection_folders(exercises))
    known_tracks = {str(track.definition.id): track for track in collection.learning_order}
    for name in tracks:
        if name not in known_tracks:
            raise UsageError(f"no track '{name}'{did_you_mean(name, known_tracks)}")
    groups = [
        _ExerciseGroup(name, track.definition.title, track.exercises, track.definition.lessons)
        for name, track in known_tracks.items()
        if not tracks or name in tracks
    ]
    if collection.standalone and not tracks:
        groups.append(_ExerciseGroup("", "In no track", collection.standalone))
    if not groups:
        raise UsageError(f"there are no exercises in {folder_list(collection.folders)}")
    history = read_history()
    standing = compute_statuses(history)
    next_exercise = find_next_exercise(collection, history)
    next_id = None if next_exercise is None else next_exercise.exercise
    if form == "json":
        click.echo(
            json.dumps([_json_object(group, standing, next_id) for group in groups], indent=2)
        )
        return
    from rich.console import Console

    with options.pager(Console(highlight=False)) as console:
        for number, group in enumerate(groups):
            if number:
                console.print()
            _print_group(console, group, standing, next_id)


@dataclass(frozen=True, slots=True)
class _ExerciseGroup:
    """A track, or the exercises outside of all tracks."""

    name: str
    title: str
    exercises: "tuple[Exercise, ...]"
    lessons: "tuple[LessonDefinition, ...]" = ()

    @property
    def lessons_by_exercise(self) -> "dict[ExerciseId, LessonDefinition]":
        """The introductory lesson of each exercise."""
        return {exercise: lesson for lesson in self.lessons for exercise in lesson.exercises}


def _print_group(
    console: "Console", track: _ExerciseGroup, standing: "Standings", next_id: "ExerciseId | None"
) -> None:
    from rich.text import Text

    listed, lessons_by_exercise = track.exercises, track.lessons_by_exercise
    heading = f"{track.title} ({track.name})" if track.name else track.title
    states = [_state_name(exercise, standing) for exercise in listed]
    earned = sum(standing[exercise.id].earned for exercise in listed if exercise.id in standing)
    total = sum(exercise.xp for exercise in listed)
    console.print(Text(heading, style="bold"))
    done = f"{states.count('passed')} of {len(listed)} passed, {earned} of {total} XP"
    console.print(done, markup=False)
    longest = max(len(exercise.id) for exercise in listed)
    missing = [_missing_requirements(exercise, standing) for exercise in listed]
    needs = [
        f"  after {', '.join(names)}" if names and state == "new" else ""
        for names, state in zip(missing, states, strict=True)
    ]
    if longest + _BESIDE_ID + max(map(len, needs)) > console.width:
        needs = [""] * len(needs)
    before = None
    for exercise, state, requirement in zip(listed, states, needs, strict=True):
        lesson = lessons_by_exercise.get(exercise.id)
        if lesson is not before and lesson is not None:
            console.print(Text(f"{lesson.title} (lesson {lesson.id})", style="italic"))
        before = lesson
        line = Text.assemble(
            ("> " if exercise.id == next_id else "  ", "bold"),
            (f"{state:8}  ", _STYLES[state]),
            f"{exercise.id:{longest}}  ",
            (f"{exercise.difficulty:12}  ", "dim"),
            f"{exercise.xp:3} XP",
            (requirement, "dim"),
        )
        console.print(line, soft_wrap=True)  # one line each, so that grep works


def _state_name(exercise: "Exercise", standing: "Standings") -> str:
    return standing[exercise.id].state if exercise.id in standing else "new"


def _missing_requirements(exercise: "Exercise", standing: "Standings") -> list[str]:
    return [
        name for name in exercise.requires if name not in standing or not standing[name].is_done
    ]


def _json_object(
    track: _ExerciseGroup, standing: "Standings", next_id: "ExerciseId | None"
) -> dict[str, Any]:
    lessons = track.lessons_by_exercise
    return {
        "track": track.name or None,
        "title": track.title,
        "exercises": [
            {
                "id": exercise.id,
                "title": exercise.title,
                "kind": exercise.kind,
                "difficulty": exercise.difficulty,
                "state": _state_name(exercise, standing),
                "xp": exercise.xp,
                "earned": standing[exercise.id].earned if exercise.id in standing else 0,
                "requires": list(exercise.requires),
                "missing": _missing_requirements(exercise, standing),
                "lesson": lessons[exercise.id].id if exercise.id in lessons else None,
                "next": exercise.id == next_id,
            }
            for exercise in track.exercises
        ],
    }
