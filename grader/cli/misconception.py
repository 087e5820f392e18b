"""`etude misconception`: turn submissions with a mistake into misconceptions."""

from pathlib import Path

import click

from grader.authoring.add_entry import add_misconception
from grader.cli import options
from grader.course.failures import group_failures
from grader.course.grades import read_results
from grader.course.statistics import make_rows
from grader.definitions.collection import load_exercise
from grader.errors import UsageError


@click.group("misconception")
def command() -> None:
    """Turn mistakes that students made into misconceptions of an exercise.

    \b
    Examples:
      etude misconception add softmax submissions/ada/softmax.py
      etude misconception add softmax 1 --results results.jsonl
    """


@command.command("add")
@options.exercise_argument
@click.argument("submission", metavar="FILE|GROUP")
@options.path_option(
    "--results",
    "The results that GROUP is a number in, as `etude stats` prints it; may be repeated.",
    multiple=True,
)
@click.option("--says", metavar="TEXT", help="The sentence for learners; asked for otherwise.")
@click.option("--id", "name", metavar="ID", help="Its id; otherwise the first words of TEXT.")
@options.exercises_option
def add(
    id_or_path: str,
    submission: str,
    results: tuple[Path, ...],
    says: str | None,
    name: str | None,
    exercises: tuple[Path, ...],
) -> None:
    """Add a misconception to EXERCISE: the program of a submission, and the sentence for it.

    The submission is a FILE, or the first of a GROUP of `etude stats`. Comments are left out, since
    they may name a student.

    \b
    Examples:
      etude misconception add softmax ada/softmax.py --says "You forgot to subtract the maximum."
      etude misconception add softmax 1 --results results.jsonl
    """
    exercise = load_exercise(id_or_path, *options.collection_for((id_or_path,), exercises))
    path = submission
    if submission.isdecimal():  # the number of a group, which stands for its first file
        number = int(submission)
        if not results:
            raise UsageError(f"{number} is a group in results: name them with --results FILE")
        groups = group_failures(make_rows(read_results(results)))
        if not 1 <= number <= len(groups):
            raise UsageError(f"there is no group {number}; `etude stats` lists {len(groups)}")
        group = groups[number - 1]
        if group.exercise.replace("_", "-") != exercise.id:
            raise UsageError(
                f"group {number} is of exercise '{group.exercise}', not of '{exercise.id}'"
            )
        path = group.files[0]
    if says is None:
        says = click.prompt("What unlocks it, in one or two sentences", err=True)
    name_added, line = add_misconception(exercise, Path(path), says, name)
    click.echo(f"{exercise.where.path}:{line}: misconception '{name_added}' is added.")
    click.echo(f"Prove it: etude verify {exercise.where.path}")
