"""`etude break`: find a call on which a wrong program is wrong."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.main import NOT_PASSED
from grader.errors import EtudeError, UsageError
from grader.sandbox.printable import printable

if TYPE_CHECKING:
    from grader.definitions.exercise import Exercise
    from grader.grading.results.verdict import Verdict


@click.command("break", short_help="Find a call that shows a program to be wrong.")
@options.exercise_argument
@click.argument("number", type=click.IntRange(1), required=False)
@click.argument("call", required=False)
@options.exercises_option
@options.unsafe_option
def command(
    exercise: str, number: int | None, call: str | None, exercises: Path | None, unsafe: bool
) -> None:
    """Break a wrong program of EXERCISE, after you passed: find a CALL with a wrong result.

    Without a NUMBER it lists the programs that there are to break, the simplest first. A CALL has
    plain data and NumPy's constructors only. It counts if the task allows it, and the result
    differs from what a right program gives.

    \b
    Examples:
      etude break stable-softmax
      etude break stable-softmax 1
      etude break stable-softmax 1 "softmax(np.array([[1.0, 2.0]]))"
    """
    options.prefer_own_output()
    from grader.cli.progress_record import read_history
    from grader.definitions.collection import resolve
    from grader.progress.breaks import offers
    from grader.progress.status import standing

    definition = resolve(exercise, options.collection_folder(exercises))
    history = read_history()
    status = standing(history, definition.id)
    if status.state != "passed":  # who gave up has seen what is right, and earns nothing
        raise UsageError(
            f"pass '{definition.id}' first: then there are wrong programs of it to break"
        )
    programs = offers(definition, history)
    if not programs:
        raise UsageError(f"'{definition.id}' has no wrong program to break")
    if number is None:
        for place, each in enumerate(programs, start=1):
            click.echo(f"{place}  {'broken' if each.id in status.broken else 'to break, 1 XP'}")
        click.echo(f"Begin: etude break {definition.id} 1")
        return
    if number > len(programs):
        raise UsageError(f"'{definition.id}' has {len(programs)} programs to break, not {number}")
    program = programs[number - 1]
    if call := call or _ask_for_call(definition, number, program.code):
        _say(definition, program.id, call, unsafe=unsafe, earns=program.id not in status.broken)


def _ask_for_call(exercise: "Exercise", number: int, code: str) -> str:
    """Show a wrong program and return a call; an empty one if no one is there to answer."""
    from rich.console import Console

    from grader.reports.terminal_markdown import print_code

    click.echo("This program is wrong. Find a call on which its result is wrong.\n")
    print_code(Console(highlight=False), code)
    if sys.stdin is None or not sys.stdin.isatty():
        click.echo(f'\nAnswer: etude break {exercise.id} {number} "CALL"')
        return ""
    return str(click.prompt("\nCall"))


def _say(exercise: "Exercise", program: str, call: str, *, unsafe: bool, earns: bool) -> None:
    """Say whether a call breaks a program, and record it if it does."""
    verdict = _judge(exercise, program, call, unsafe=unsafe)
    example = verdict.example
    if example is None:
        click.echo(printable(f"Not broken. {verdict.message}"))
        raise click.exceptions.Exit(NOT_PASSED)
    click.echo(f"Broken: {example.code}")
    if example.result.expected and example.result.got:
        click.echo(f"Right:\n{example.result.expected.text}\nWrong:\n{example.result.got.text}")
    elif example.result.message:
        click.echo(example.result.message)
    if earns:
        _record(exercise, program, call)


def _judge(exercise: "Exercise", program: str, call: str, *, unsafe: bool) -> "Verdict":
    from grader.api import break_job
    from grader.cli.check import open_pool

    with open_pool(unsafe=unsafe, many=False) as pool:
        ((_, result),) = pool.grade([break_job(exercise, program, call)])
    if isinstance(result, EtudeError):
        raise result
    return result


def _record(exercise: "Exercise", program: str, call: str) -> None:
    from grader.cli.progress_record import keep
    from grader.progress.history import Broken, History, local_now

    text = printable(" ".join(call.split()))
    if keep(History(broken=(Broken(exercise.id, program, text, local_now()),)), "this break"):
        click.echo("+1 XP.")
