"""`etude start`: write the starter file of an exercise."""

import contextlib
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.definitions.exercise import Exercise


@click.command("start")
@options.exercise_argument
@click.argument("file", type=options.PATH, required=False)
@options.exercises_option
def command(id_or_path: str, file: Path | None, exercises: tuple[Path, ...]) -> None:
    """Write the starter of EXERCISE to FILE, or to <exercise>.py in this folder.

    A file that is there already is never changed. An exercise of several files gets a folder.

    \b
    Examples:
      etude start attention-weights
      etude start attention-weights homework/week3.py
    """
    from grader.cli.progress_record import exercises_suffix, read_history
    from grader.progress.status import compute_statuses

    exercise = options.resolve_exercise(id_or_path, exercises)
    if file is None:
        path = starter_path(exercise, Path())
    elif exercise.files_to_submit:
        path = file / exercise.files_to_submit[0]
    else:
        path = starter_path(exercise, file) if file.is_dir() else file
    done = write_starter(exercise, path)
    statuses = compute_statuses(read_history())
    done_before = {name for name, status in statuses.items() if status.is_done}
    missing = [name for name in exercise.requires if name not in done_before]
    click.echo(f"{path}: {done}.")
    if missing:
        click.echo(f"It builds on what you have not done yet: {', '.join(missing)}.")
    click.echo(f"Read:  etude show {id_or_path}{exercises_suffix(exercises)}")
    check = f"etude check {id_or_path} {shlex.quote(str(path))}{exercises_suffix(exercises)}"
    click.echo(f"Check: {check}")


def starter_path(exercise: "Exercise", folder: Path) -> Path:
    """Return the path for an exercise's starter in a folder; of several files, the main one's."""
    files = exercise.files_to_submit
    return folder / exercise.id / files[0] if files else folder / exercise.file_name


def write_starter(exercise: "Exercise", path: Path) -> str:
    """Write the starter and its accompanying files; return a sentence that says so.

    Raises:
        UsageError: A different file exists, or the file cannot be written.
    """
    from grader.definitions.program_files import split_files

    if exercise.files_to_submit:
        path.parent.mkdir(parents=True, exist_ok=True)
        for name, text in split_files(exercise.starter).items():
            _write_new(path.with_name(name), text)
        done = f"written, with {', '.join(exercise.files_to_submit[1:])}"
    else:
        is_new = _write_new(path, exercise.starter)
        done = "written" if is_new else "there already, and still the starter"
    for name, content in exercise.data.items():
        target = path.with_name(name)
        if not target.exists():
            target.write_bytes(content)
            click.echo(f"{target}: written.")
    return done


def _write_new(path: Path, starter: str) -> bool:
    """Write a new file; return False if a file with the same content exists.

    Raises:
        UsageError: A different file exists, or the file cannot be written.
    """
    try:
        # O_EXCL creates the file in this call or not at all, so no other process can interfere.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        with contextlib.suppress(OSError):
            if path.is_file() and path.read_bytes() == starter.encode():
                return False
        raise UsageError(f"{path} is there already and stays as it is; name another FILE") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be written: {_error_text(error)}") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(starter)
    except OSError as error:
        # Half a starter would block the next try.
        path.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {_error_text(error)}") from None
    return True


def _error_text(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
