"""`etude hint`: show one hint at a time, after naming its price."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.definitions.exercise import Exercise
    from grader.progress.status import ExerciseStatus


@click.command("hint")
@options.exercise_argument
@click.option("--again", is_flag=True, help="Show the hints you have taken already.")
@click.option("--yes", "-y", is_flag=True, help="Agree to the price beforehand.")
@options.exercises_option
def command(id_or_path: str, again: bool, yes: bool, exercises: tuple[Path, ...]) -> None:
    """Show the next hint of EXERCISE.

    What it costs of the exercise's XP is said before, and asked for. Once an exercise is passed,
    or given up, its hints are free.

    \b
    Examples:
      etude hint attention-weights
      etude hint attention-weights --yes
      etude hint attention-weights --again
    """
    from grader.cli.progress_record import read_history
    from grader.progress.status import compute_status

    exercise = options.resolve_exercise(id_or_path, exercises)
    status = compute_status(read_history(), exercise.id)
    if again and exercise.hints:
        if not status.hints:
            click.echo(f"You have taken none of the {len(exercise.hints)} hints.")
        for number in range(1, min(status.hints, len(exercise.hints)) + 1):
            _print_hint(exercise, number)
        return
    if status.hints >= len(exercise.hints) > 0:
        click.echo(f"You have seen all of them, {len(exercise.hints)}; --again shows them.")
        return
    if (price := describe_hint_price(exercise, status)) and not yes:
        try:
            is_accepted = click.confirm(f"{price} Show it?")
        except click.Abort:
            if sys.stdin is not None and sys.stdin.isatty():
                raise
            click.echo()
            raise UsageError("nobody is there to agree to the price; --yes does it") from None
        if not is_accepted:
            click.echo("Not shown.")
            return
    _print_hint(exercise, take_hint(exercise, status))


def describe_hint_price(exercise: "Exercise", status: "ExerciseStatus") -> str:
    """Return a sentence with the price of the next hint, or "" if it is free.

    Raises:
        UsageError: There are no more hints.
    """
    hints = exercise.hints
    if not hints:
        raise UsageError(f"'{exercise.id}' has no hints")
    if status.hints >= len(hints):
        raise UsageError(f"you have seen all hints, {len(hints)}")
    price = status.hint_price(hints)
    worth = status.available_xp(exercise.xp)
    return (
        f"Hint {status.hints + 1} of {len(hints)} costs {price} XP: "
        f"a pass then earns {max(0, worth - price)} instead of {worth}."
        if price
        else ""
    )


def take_hint(exercise: "Exercise", status: "ExerciseStatus") -> int:
    """Record that the next hint is taken at its price, and return its number."""
    from grader.cli.progress_record import add_to_record
    from grader.progress.history import History, TakenHint, local_now

    number = status.hints + 1
    price = status.hint_price(exercise.hints)
    # Recorded before it is shown, so that a hint seen is paid even if the terminal closes.
    add_to_record(History(hints=(TakenHint(exercise.id, number, price, local_now()),)), "this hint")
    return number


def _print_hint(exercise: "Exercise", number: int) -> None:
    from rich.console import Console

    from grader.reports.terminal_markdown import print_markdown

    console = Console(highlight=False)
    console.print(f"Hint {number} of {len(exercise.hints)}", style="bold")
    print_markdown(console, exercise.hints[number - 1].text)
