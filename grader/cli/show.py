"""`etude show`: an exercise for reading in the terminal."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.definitions.wording import plural, shorten

if TYPE_CHECKING:
    from rich.console import Console

    from grader.definitions.exercise import Exercise, TestCase

_MAX_CHARACTERS = 1200  # longest shown value, in characters
_MAX_ARRAY_SIZE = 60  # largest array that is shown in full, in numbers
_KINDS = {
    "write": "write it",
    "fix": "repair the starter",
    "predict": "answer without running",
    "test": "write tests",
}


@click.command("show")
@options.exercise_argument
@options.exercises_option
def command(id_or_path: str, exercises: tuple[Path, ...]) -> None:
    """Show the instructions of EXERCISE and the tests that are not secret.

    Nothing is run: inputs that are made by Python are shown as Python.

    \b
    Examples:
      etude show attention-weights
      etude show attention-weights | less
    """
    from rich.console import Console

    from grader.cli.progress_record import exercises_suffix, read_history
    from grader.progress.status import compute_status
    from grader.reports.terminal_markdown import print_markdown

    exercise = options.resolve_exercise(id_or_path, exercises)
    command_arguments = f"{id_or_path}{exercises_suffix(exercises)}"  # used in commands to copy
    now = compute_status(read_history(), exercise.id)
    with options.pager(Console(highlight=False)) as console:
        _print_line(console, exercise.title, "bold")
        facts = f"{exercise.difficulty}, {exercise.xp} XP, {_KINDS[exercise.kind]}; {now.state}"
        _print_line(console, facts, "dim")
        if exercise.requires:
            _print_line(console, f"builds on {', '.join(exercise.requires)}", "dim")
        console.print()
        print_markdown(console, exercise.instructions)
        if exercise.forbid is not None:
            console.print()
            print_markdown(console, exercise.forbid.sentence)
        _print_tests(console, exercise)
        console.print()
        _print_line(console, f"Begin with: etude start {command_arguments}")
        if now.hints < len(exercise.hints):
            number = f"{now.hints} of {len(exercise.hints)} taken"
            _print_line(console, f"Hints ({number}): etude hint {command_arguments}")


def _print_tests(console: "Console", exercise: "Exercise") -> None:
    visible = [test for test in exercise.tests if not test.hidden]
    hidden = len(exercise.tests) - len(visible) + exercise.hidden_elsewhere
    console.print()
    _print_line(console, "Tests", "bold")
    for test in visible:
        points = plural(test.points, "point")
        _print_line(console, f"- {test.description or test.id} ({points})")
        for line in _test_lines(exercise, test):
            _print_line(console, f"    {line}".rstrip(), "dim" if line.startswith("#") else "")
    if hidden:
        more = "one more is" if hidden == 1 else f"{hidden} more are"
        _print_line(console, f"{'- ' if visible else ''}{more} hidden")


def _test_lines(exercise: "Exercise", test: "TestCase") -> Iterator[str]:
    """Yield a visible test as Python, with its expected value unless that is the exercise."""
    from grader.definitions.exercise import Seeded

    if isinstance(test.given, Seeded):
        yield from _code_lines(test.given.code)
        if test.seeds > 1:
            yield f"# drawn {test.seeds} times"
    else:
        for name, value in test.given.values.items():
            before = f"{name} = "
            first, *others = _value_text(value).splitlines() or [""]
            yield before + first
            yield from (" " * len(before) + line for line in others)
    yield from _code_lines(test.code)
    if test.holds is not None:
        yield f"# {test.holds.replace('_', ' ')}"
    elif not exercise.is_prediction:
        from grader.definitions.exercise import FromExpression, LiteralValue

        if isinstance(test.expect, LiteralValue):
            yield "# gives"
            yield from (f"#   {line}" for line in _value_text(test.expect.value).splitlines())
        elif isinstance(test.expect, FromExpression):
            yield f"# gives the same as {' '.join(test.expect.code.split())}"
        elif test.expect is not None:
            yield "# is compared with a right answer"
        elif test.stdout is not None:
            yield "# prints"
            yield from (f"#   {line}" for line in test.stdout.rstrip().splitlines())


def _value_text(value: object) -> str:
    import pprint

    import numpy as np

    if isinstance(value, np.ndarray):
        text = np.array2string(value, separator=", ", threshold=_MAX_ARRAY_SIZE, edgeitems=2)
    else:
        text = pprint.pformat(value, width=70, sort_dicts=False)
    return shorten(text, _MAX_CHARACTERS, " ...")


def _code_lines(code: str) -> list[str]:
    return code.strip("\n").rstrip().splitlines()


def _print_line(console: "Console", text: str, style: str = "") -> None:
    from grader.sandbox.printable import printable

    console.print(printable(text), style=style or None, markup=False, soft_wrap=True)
