"""`etude list`: what there is to learn, and how far one has come."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli import arguments, options
from grader.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from grader.definitions.collection import Collection
    from grader.definitions.exercise import Exercise, ExerciseId
    from grader.progress.status import ExerciseStatus

    Known = Mapping[ExerciseId, ExerciseStatus]

_STYLES = {"passed": "green", "tried": "yellow", "given up": "dim", "new": ""}


@click.command("list", short_help="List tracks and exercises.")
@click.argument("tracks", nargs=-1, metavar="[TRACK]...", shell_complete=arguments.complete_track)
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True,
    help="How to print the list.",
)  # fmt: skip
@options.exercises_option
def command(tracks: tuple[str, ...], form: str, exercises: Path | None) -> None:
    """List every exercise, or those of each TRACK: its state, XP, and what it builds on.

    An exercise is new, tried, passed or given up. What it builds on is named as long as you have
    not done it; nothing keeps you from starting anywhere.

    \b
    Examples:
      etude list
      etude list attention
      etude list --format json
    """
    options.prefer_own_output()
    from grader.cli.progress_record import read_history
    from grader.definitions.collection import Collection
    from grader.progress.status import standings

    collection = Collection.load(options.collection_folder(exercises))
    chosen = _chosen(collection, tracks)
    known = standings(read_history())
    if form == "json":
        click.echo(json.dumps([_data(*each, known) for each in chosen], indent=2))
        return
    from rich.console import Console

    console = Console(highlight=False)
    for number, (name, title, listed) in enumerate(chosen):
        if number:
            console.print()
        _print(console, f"{title} ({name})" if name else title, listed, known)


def _chosen(
    collection: "Collection", names: Sequence[str]
) -> "list[tuple[str, str, tuple[Exercise, ...]]]":
    """Return id, title and exercises of each track that is meant; what is in none comes last."""
    from grader.definitions.wording import did_you_mean

    tracks = {str(track.definition.id): track for track in collection.tracks}
    for name in names:
        if name not in tracks:
            raise UsageError(f"no track '{name}'{did_you_mean(name, tracks)}")
    found = [
        (name, track.definition.title, track.exercises)
        for name, track in tracks.items()
        if not names or name in names
    ]
    if collection.standalone and not names:
        found.append(("", "In no track", collection.standalone))
    if not found:
        raise UsageError(f"there are no exercises in {collection.folder}")
    return found


def _print(
    console: "Console", heading: str, listed: "tuple[Exercise, ...]", known: "Known"
) -> None:
    from rich.text import Text

    states = [_state(each, known) for each in listed]
    earned = sum(known[each.id].earned for each in listed if each.id in known)
    total = sum(each.xp for each in listed)
    console.print(Text(heading, style="bold"))
    done = f"{states.count('passed')} of {len(listed)} passed, {earned} of {total} XP"
    console.print(done, markup=False)
    longest = max(len(each.id) for each in listed)
    for exercise, state in zip(listed, states, strict=True):
        line = Text.assemble(
            (f"{state:8}  ", _STYLES[state]),
            f"{exercise.id:{longest}}  ",
            (f"{exercise.difficulty:12}  ", "dim"),
            f"{exercise.xp:3} XP",
            (_builds_on(exercise, known), "dim"),
        )
        console.print(line, soft_wrap=True)  # a line each, for grep


def _state(exercise: "Exercise", known: "Known") -> str:
    return known[exercise.id].state if exercise.id in known else "new"


def _builds_on(exercise: "Exercise", known: "Known") -> str:
    missing = _missing(exercise, known)
    return f"  after {', '.join(missing)}" if missing and _state(exercise, known) == "new" else ""


def _missing(exercise: "Exercise", known: "Known") -> list[str]:
    return [name for name in exercise.requires if name not in known or not known[name].closed]


def _data(name: str, title: str, listed: "tuple[Exercise, ...]", known: "Known") -> dict[str, Any]:
    return {
        "track": name or None,
        "title": title,
        "exercises": [
            {
                "id": each.id,
                "title": each.title,
                "kind": each.kind,
                "difficulty": each.difficulty,
                "state": _state(each, known),
                "xp": each.xp,
                "earned": known[each.id].earned if each.id in known else 0,
                "requires": list(each.requires),
                "missing": _missing(each, known),
            }
            for each in listed
        ],
    }
