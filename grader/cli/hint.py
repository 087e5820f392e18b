"""`etude hint`: one hint at a time, its price said before."""

import sys
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from grader.definitions.exercise import Exercise


@click.command("hint", short_help="Show the next hint.")
@options.exercise_argument
@click.option("--again", is_flag=True, help="Show the hints you have taken already.")
@click.option("--yes", "-y", is_flag=True, help="Agree to the price beforehand.")
@options.exercises_option
def command(exercise: str, again: bool, yes: bool, exercises: "Path | None") -> None:
    """Show the next hint of EXERCISE.

    What it costs of the exercise's XP is said before, and asked for. Once an exercise is passed,
    or given up, its hints are free.

    \b
    Examples:
      etude hint attention-weights
      etude hint attention-weights --yes
      etude hint attention-weights --again
    """
    options.prefer_own_output()
    from grader.cli.progress_record import keep, read_history
    from grader.definitions.collection import resolve
    from grader.progress.history import HintTaken, History, local_now
    from grader.progress.status import standing

    found = resolve(exercise, options.collection_folder(exercises))
    if not found.hints:
        raise UsageError(f"'{found.id}' has no hints")
    now = standing(read_history(), found.id)
    if again:
        if not now.hints:
            click.echo(f"You have taken none of the {len(found.hints)} hints.")
        for number in range(1, min(now.hints, len(found.hints)) + 1):
            _print(found, number)
    elif now.hints >= len(found.hints):
        click.echo(f"You have seen all of them, {len(found.hints)}; --again shows them.")
    else:
        number = now.hints + 1
        price = 0 if now.closed else found.hints[number - 1].price
        if price and not yes:
            worth = now.worth(found.xp)
            offer = (
                f"Hint {number} of {len(found.hints)} costs {price} XP: "
                f"a pass then earns {max(0, worth - price)} instead of {worth}."
            )
            try:
                agreed = click.confirm(f"{offer} Show it?")
            except click.Abort:
                if sys.stdin is not None and sys.stdin.isatty():
                    raise
                click.echo()
                raise UsageError("nobody is there to agree to the price; --yes does it") from None
            if not agreed:
                click.echo("Not shown.")
                return
        # Recorded first: what was seen is paid, even if the terminal closes.
        keep(History(hints=(HintTaken(found.id, number, price, local_now()),)), "this hint")
        _print(found, number)


def _print(exercise: "Exercise", number: int) -> None:
    from rich.console import Console

    from grader.reports.terminal_markdown import print_markdown

    console = Console(highlight=False)
    console.print(f"Hint {number} of {len(exercise.hints)}", style="bold")
    print_markdown(console, exercise.hints[number - 1].text)
