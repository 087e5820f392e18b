"""`etude break`: find a call for which a wrong program gives a wrong result."""

import sys
from pathlib import Path

import click
from rich.console import Console

from grader.cli import options
from grader.cli.check import grade_job, open_pool
from grader.cli.main import EXIT_NOT_PASSED
from grader.cli.progress_record import add_to_record, exercises_suffix, read_history
from grader.definitions.exercise import Exercise, Misconception
from grader.definitions.wording import did_you_mean
from grader.errors import UsageError
from grader.grading.results.verdict import Verdict
from grader.progress.breaks import break_job, earns_xp, list_offers
from grader.progress.history import BrokenProgram, History, local_now
from grader.progress.status import compute_status
from grader.reports.terminal_markdown import print_code
from grader.sandbox.printable import printable


@click.command("break")
@options.exercise_argument
@click.argument("program", required=False)
@click.argument("call", required=False)
@options.exercises_option
@options.unsafe_option
def command(
    id_or_path: str,
    program: str | None,
    call: str | None,
    exercises: tuple[Path, ...],
    unsafe: bool,
) -> None:
    """Break a wrong program of EXERCISE, after you passed: find a CALL with a wrong result.

    Without a PROGRAM it lists those that there are to break by number, the simplest first; a
    lesson names one by a word. A CALL has plain data and NumPy's constructors only. It counts if
    the task allows it, and the result differs from what a right program gives.

    \b
    Examples:
      etude break stable-softmax
      etude break stable-softmax 1
      etude break stable-softmax 1 "softmax(np.array([[1.0, 2.0]]))"
    """
    exercise = options.resolve_exercise(id_or_path, exercises)
    if program is None:
        first_command = f"Begin: etude break {exercise.id} 1{exercises_suffix(exercises)}"
        click.echo("\n".join([*list_programs(exercise), first_command]))
        return
    misconception = find_program(exercise, program)
    if not call and not (call := ask_for_call(misconception)):
        click.echo(
            f'\nAnswer: etude break {exercise.id} {program} "CALL"{exercises_suffix(exercises)}'
        )
        return
    with open_pool(unsafe=unsafe, is_batch=False) as pool:
        verdict = grade_job(pool, break_job(exercise, misconception.id, call))
    click.echo(result_message(exercise, misconception, call, verdict))
    raise click.exceptions.Exit(EXIT_NOT_PASSED if verdict.example is None else 0)


def list_programs(exercise: Exercise) -> list[str]:
    """Return a line for each program that can be broken.

    Raises:
        UsageError: There are no such programs, or the exercise is not passed yet.
    """
    programs, broken_ids = _find_programs(exercise)
    return [
        f"{number}  {'broken' if program.id in broken_ids else 'to break, 1 XP'}"
        for number, program in enumerate(programs, start=1)
    ]


def find_program(exercise: Exercise, name: str | None = None) -> Misconception:
    """Return a program to break by number or id; by default the first one not broken yet.

    Raises:
        UsageError: There is no such program.
    """
    programs, broken_ids = _find_programs(exercise)
    if name is None:
        program = next((program for program in programs if program.id not in broken_ids), None)
        if program is None:
            raise UsageError(f"you have broken all programs of '{exercise.id}'")
        return program
    if not name.isdecimal():
        by_id = {
            misconception.id: misconception for misconception in exercise.breakable_misconceptions
        }
        if name not in by_id:
            close = did_you_mean(name, by_id)
            raise UsageError(f"'{exercise.id}' has no program '{name}' to break{close}")
        return by_id[name]
    if not 0 < int(name) <= len(programs):
        raise UsageError(f"'{exercise.id}' has {len(programs)} programs to break, not {name}")
    return programs[int(name) - 1]


def _find_programs(exercise: Exercise) -> tuple[list[Misconception], frozenset[str]]:
    history = read_history()
    status = compute_status(history, exercise.id)
    # After giving up a learner has seen the solution, and earns nothing here.
    if status.state != "passed":
        raise UsageError(
            f"pass '{exercise.id}' first: then there are wrong programs of it to break"
        )
    programs = list_offers(exercise, history)
    if not programs:
        raise UsageError(f"'{exercise.id}' has no wrong program to break")
    return programs, status.broken


def ask_for_call(program: Misconception) -> str:
    """Show a wrong program and ask for a call; return "" if no one is at the terminal."""
    click.echo("This program is wrong. Find a call on which its result is wrong.\n")
    print_code(Console(highlight=False), program.code)
    if sys.stdin is None or not sys.stdin.isatty():
        return ""
    return str(click.prompt("\nCall"))


def result_message(exercise: Exercise, program: Misconception, call: str, verdict: Verdict) -> str:
    """Record a call that breaks the program, and return the message for the learner."""
    example = verdict.example
    if example is None:
        return printable(f"Not broken. {verdict.message}")
    lines = [f"Broken: {example.code}"]
    if example.result.expected and example.result.got:
        texts = example.result.expected.text, example.result.got.text
        lines.append("Right:\n{}\nWrong:\n{}".format(*texts))
    elif example.result.message:
        lines.append(example.result.message)
    if earns_xp(exercise.id, program.id, read_history()):
        text = printable(" ".join(call.split()))
        event = BrokenProgram(exercise.id, program.id, text, local_now())
        if add_to_record(History(broken=(event,)), "this break"):
            lines.append("+1 XP.")
    return printable("\n".join(lines), keep="\n")
