"""`etude collect`: convert a platform's download to the layout that `etude grade` expects."""

import functools
from pathlib import Path

import click

from grader.cli import options
from grader.cli.main import EXIT_USAGE
from grader.course.platform_download import collect
from grader.course.roster_file import read_names
from grader.definitions.collection import load_exercise_file
from grader.definitions.files import all_exercise_files, id_in_name
from grader.definitions.wording import plural
from grader.errors import UsageError
from grader.grading.submissions.submission_time import FileDate
from grader.grading.submissions.submitted_files import match_exercise
from grader.sandbox.printable import printable


@click.command("collect")
@click.argument("source", type=options.EXISTING_PATH)
@options.path_option("--into", "The folder for the submissions.", options.FOLDER, required=True)
@options.path_option(
    "--roster",
    "A CSV with a column 'student', the names of the folders, and 'id' or 'name', what the "
    "platform calls them.",
)
@click.option(
    "--exercise", "only", metavar="ID",
    help="SOURCE is of this exercise: it is meant by files that are named after none.",
)  # fmt: skip
@options.exercises_option
def command(
    source: Path, into: Path, roster: Path | None, only: str | None, exercises: tuple[Path, ...]
) -> None:
    """Write the submissions of SOURCE, a zip or a folder, to DIR/<student>/<exercise>.py or .ipynb.

    The files of an exercise that asks for several go to DIR/<student>/<exercise>/.

    SOURCE is what Canvas or Moodle hand out, or has a folder for each student. Files keep their
    dates, and DIR/times.csv says when each was submitted and where that is from. What is there
    already is replaced by what is newer. Where no file is sure to count, or no folder is sure to be
    a student's, none is taken. What could not be placed is named, and the exit status is 1; it is 2
    if a file could not be read.

    \b
    Examples:
      etude collect submissions.zip --into submissions/
      etude collect moodle.zip --into submissions/ --roster roster.csv
    """
    paths = all_exercise_files(*options.collection_folders(exercises))
    ids = [id_in_name(path) for path in paths]
    if only is not None and only not in ids:
        raise UsageError(f"there is no exercise {only!r}")
    exercise_of = functools.partial(match_exercise, ids)
    names = None if roster is None else read_names(roster)
    texts = ((path, path.read_bytes()) for path in paths)
    asking_exercises = [
        load_exercise_file(path) for path, text in texts if b"files_to_submit:" in text
    ]
    files_by_exercise = {
        str(exercise.id): exercise.files_to_submit
        for exercise in asking_exercises
        if exercise.files_to_submit
    }
    result = collect(source, into, exercise_of, names, files_by_exercise, only)
    click.echo(f"{plural(len(result.times), 'submission')} in {printable(str(into))}")
    if any(time.source == FileDate.CLONE for time in result.times.values()):
        click.echo("files of a git clone have its date: their times are unknown")
    elif result.are_dates_equal:
        click.echo("all files have one date, that of the download: their times are unknown")
    elif any(time.source == "Canvas" for time in result.times.values()):
        late = sum(time.is_late for time in result.times.values())
        click.echo(f"{late} marked late by Canvas, whose files do not say when they came")
    if number := len(result.unchanged - result.times.keys()):
        click.echo(f"{plural(number, 'submission')} in it from before")
    for path, reason in sorted(result.left_out.items()):
        click.echo(f"left out: {printable(path)}: {printable(reason)}")
    raise click.exceptions.Exit(EXIT_USAGE if result.is_damaged else 1 if result.left_out else 0)
