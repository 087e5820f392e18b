"""`etude solution`: the model solution, after a pass or giving up."""

from pathlib import Path

import click

from grader.cli import options
from grader.errors import UsageError


@click.command("solution")
@options.exercise_argument
@click.option("--give-up", is_flag=True, help="Show it now, and earn no XP with this exercise.")
@options.exercises_option
def command(id_or_path: str, give_up: bool, exercises: tuple[Path, ...]) -> None:
    """Show the solution of EXERCISE and why it is right.

    It is shown after you passed, or with --give-up: then the exercise earns no XP any more.
    A student edition has no solutions.

    \b
    Examples:
      etude solution attention-weights
      etude solution attention-weights --give-up
    """
    from grader.cli.progress_record import add_to_record, read_history
    from grader.progress.history import History, Surrender, local_now
    from grader.progress.status import compute_status

    exercise = options.resolve_exercise(id_or_path, exercises)
    if not exercise.solution:
        raise UsageError(f"there is no solution of '{exercise.id}' here: this is a student edition")
    now = compute_status(read_history(), exercise.id)
    if not now.is_done:
        available = now.available_xp(exercise.xp)
        if not give_up:
            price = f"for the {available} XP that it would earn"
            raise UsageError(
                f"you have not passed '{exercise.id}' yet; --give-up shows its solution, {price}"
            )
        add_to_record(History(given_up=(Surrender(exercise.id, local_now()),)), "giving up")
        click.echo(f"Given up: this exercise earns no XP now ({available} are lost).\n")
    from rich.console import Console

    from grader.reports.terminal_markdown import print_code, print_markdown

    console = Console(highlight=False)
    console.print(exercise.title, style="bold", markup=False)
    console.print()
    print_code(console, exercise.solution)
    if exercise.explanation:
        console.print()
        print_markdown(console, exercise.explanation)
    for other in exercise.also_right:
        if other.when:
            console.print("\nAnother right way", style="bold", markup=False)
            print_markdown(console, other.when)
            print_code(console, other.code)
