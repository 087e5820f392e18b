"""`etude progress`: the learner's progress, with export and import of the record."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from grader.cli import options
from grader.cli.progress_record import exercises_suffix, find_next_exercise
from grader.definitions.collection import Collection
from grader.definitions.exercise import Exercise, ExerciseId
from grader.definitions.wording import plural
from grader.errors import UsageError
from grader.progress.exchange import MAX_BYTES, from_json, read_programs, to_json
from grader.progress.history import local_now
from grader.progress.status import ExerciseStatus, compute_statuses, compute_streak
from grader.progress.store import Store

_BAR_LENGTH = 20  # length of a bar, in characters


@click.group("progress", invoke_without_command=True)
@options.exercises_option
@click.pass_context
def command(context: click.Context, exercises: tuple[Path, ...]) -> None:
    """Show what you have passed in each track, your XP, your streak, and what is next.

    A streak is a run of days, by your own calendar, on each of which something was passed. The
    record is kept on this machine alone, in the folder that `etude progress where` names.

    \b
    Examples:
      etude progress
      etude progress export backup.json
      etude progress import backup.json
    """
    if context.invoked_subcommand is None:
        # A bar would disturb grep and readers of saved output.
        click.echo("\n".join(progress_lines(exercises, with_bars=sys.stdout.isatty())))


@command.command("export", short_help="Write the record as JSON.")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
def export(file: Path, force: bool) -> None:
    """Write all that is recorded to FILE as JSON, with the programs that passed.

    For - it is the standard output. A page puts the programs into its editors.

    \b
    Examples:
      etude progress export backup.json
      etude progress export - | gzip > backup.json.gz
    """
    store = Store()
    history = store.read()
    text = to_json(history, store.read_programs())
    if str(file) == "-":
        click.echo(text, nl=False)
        return
    if file.exists() and not force:
        raise UsageError(f"{file} is there already; --force replaces it")
    options.write_file(file, text)
    click.echo(f"{plural(len(history.attempts), 'attempt')} in {file}")


@command.command("import", short_help="Add a record from another machine.")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
def import_(file: Path) -> None:
    """Add what `etude progress export` wrote to FILE; what is recorded already is not doubled.

    \b
    Examples:
      etude progress import backup.json
      gunzip < backup.json.gz | etude progress import -
    """
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{file}: it cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{file}: it has more than {MAX_BYTES >> 20} MiB")
    try:
        text = data.decode("utf-8-sig")
        history, programs = from_json(text), read_programs(text)
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: it is not UTF-8: {error.reason}") from None
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None
    number = Store().add(history, imported=programs)
    click.echo(f"{number} of {plural(len(history), 'entry', 'entries')} were new")


@command.command("where", short_help="Name the file of the record.")
def print_path() -> None:
    """Print the path of the file that the record is kept in; ETUDE_DATA names another folder.

    \b
    Example:
      etude progress where
    """
    click.echo(str(Store().path))


def progress_lines(exercises: tuple[Path, ...], *, with_bars: bool = False) -> Iterator[str]:
    """Yield the lines of `etude progress`."""
    collection = Collection.load(*options.collection_folders(exercises))
    history = Store().read()
    standing = compute_statuses(history)
    groups = [(track.definition.title, track.exercises) for track in collection.tracks]
    if collection.standalone:
        groups.append(("In no track", collection.standalone))
    for title, group in groups:
        yield from _track_lines(title, group, standing, with_bars=with_bars)
    running = compute_streak(history, local_now().date())
    days = plural(running.current, "day")
    longest = f", the longest had {running.longest}" if running.longest > running.current else ""
    xp = sum(status.total for status in standing.values())
    yield ""
    yield f"{xp} XP in all. Streak: {days}{longest}."
    claimed = sum(status.self_reported for status in standing.values())
    if claimed:
        yield f"{claimed} passed in the browser alone; `etude check` grades in a sandbox."
    step, suffix = find_next_exercise(collection, history), exercises_suffix(exercises)
    if step is None:
        yield "All exercises are done."
    elif step.is_started:
        yield f"Next: go on with {step.exercise}: etude show {step.exercise}{suffix}"
    else:
        yield f"Next: etude start {step.exercise}{suffix}"


def _track_lines(
    title: str,
    exercises: tuple[Exercise, ...],
    standing: Mapping[ExerciseId, ExerciseStatus],
    *,
    with_bars: bool,
) -> Iterator[str]:
    standings = [standing[exercise.id] for exercise in exercises if exercise.id in standing]
    passed = sum(status.state == "passed" for status in standings)
    earned, total = sum(each.earned for each in standings), sum(each.xp for each in exercises)
    bar = ""
    if with_bars:
        full = round(_BAR_LENGTH * passed / len(exercises)) if exercises else 0
        bar = "\u2588" * full + "\u2591" * (_BAR_LENGTH - full) + "  "
    yield title
    yield f"  {bar}{passed} of {len(exercises)} passed, {earned} of {total} XP"
