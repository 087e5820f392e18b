"""`etude solution`: the model answer, for those who passed or gave up."""

from pathlib import Path

import click

from grader.cli import options
from grader.errors import UsageError


@click.command("solution", short_help="Show the solution, after passing.")
@options.exercise_argument
@click.option("--give-up", is_flag=True, help="Show it now, and earn no XP with this exercise.")
@options.exercises_option
def command(exercise: str, give_up: bool, exercises: Path | None) -> None:
    """Show the solution of EXERCISE and why it is right.

    It is shown after you passed, or with --give-up: then the exercise earns no XP any more.
    A student edition has no solutions.

    \b
    Examples:
      etude solution attention-weights
      etude solution attention-weights --give-up
    """
    options.prefer_own_output()
    from grader.cli.progress_record import keep, read_history
    from grader.definitions.collection import resolve
    from grader.progress.history import GivenUp, History, local_now
    from grader.progress.status import standing

    found = resolve(exercise, options.collection_folder(exercises))
    if not found.solution:
        raise UsageError(f"there is no solution of '{found.id}' here: this is a student edition")
    now = standing(read_history(), found.id)
    if not now.closed:
        if not give_up:
            price = f"for the {now.worth(found.xp)} XP that it would earn"
            raise UsageError(
                f"you have not passed '{found.id}' yet; --give-up shows its solution, {price}"
            )
        keep(History(given_up=(GivenUp(found.id, local_now()),)), "giving up")
        click.echo(f"Given up: this exercise earns no XP now ({now.worth(found.xp)} are lost).\n")
    from rich.console import Console

    from grader.reports.terminal_markdown import print_code, print_markdown

    console = Console(highlight=False)
    console.print(found.title, style="bold", markup=False)
    console.print()
    print_code(console, found.solution)
    if found.explanation:
        console.print()
        print_markdown(console, found.explanation)
    for other in found.also_right:
        if other.when:
            console.print("\nAnother right way", style="bold", markup=False)
            print_markdown(console, other.when)
            print_code(console, other.code)
