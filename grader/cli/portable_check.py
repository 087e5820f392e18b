"""Learners' commands on systems without a sandbox: they ask once, then grade in this process."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Self

import click

from grader.errors import EtudeError, SandboxFault
from grader.progress.store import find_data_folder

if TYPE_CHECKING:
    from grader.grading.jobs import Job, Result

_CONSENT_FILE = "not-sandboxed"  # the name of a file beside the record
_WARNING = """\
There is no sandbox on this system. Your code can read and change your files, as if you ran it with
Python. Check only code that you wrote yourself. Verdicts will say that they are not sandboxed."""
_NOT_RUN = "no sandbox on this system, so nothing was run. "
_REFUSAL = (
    f"{_NOT_RUN}'etude check' can run code that you wrote yourself: call it in a terminal and "
    "answer its question, or add '--unsafe-no-sandbox'"
)
_NOTEBOOK_REFUSAL = f"{_NOT_RUN}Add 'unsafe=True' to the call to run code that you wrote"


class PortablePool:
    """A pool that grades in this process, with a child per submission that is not isolated.

    Raises:
        SandboxFault: The user has not agreed, see `ask_consent`.
    """

    def __init__(self, *, unsafe: bool, answer: Callable[[str], str] | None = None) -> None:
        ask_consent(unsafe=unsafe, answer=answer)

    def grade(self, jobs: Iterable["Job"]) -> Iterator[tuple["Job", "Result"]]:
        """Grade each job, and yield it with its verdict or error."""
        from grader.grading.run.best_effort import log_feedback_errors
        from grader.grading.session.engine import Engine
        from grader.sandbox.portable import PortableSandbox

        for job in jobs:
            sandbox = PortableSandbox(job.exercise.packages)
            try:
                verdict = Engine(sandbox).grade(job)
            except EtudeError as error:
                yield job, error
            else:
                log_feedback_errors(verdict)
                yield job, verdict

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing, because every child has ended."""


def ask_consent(*, unsafe: bool, answer: Callable[[str], str] | None = None) -> None:
    """Ask for consent to run without a sandbox, and remember a yes.

    Args:
        unsafe: True if the command line already agrees.
        answer: Asks a question and returns the answer; by default in the terminal.

    Raises:
        SandboxFault: The answer is no, or no one can be asked. In a CI job, which runs other
            people's code, an earlier answer does not count.
    """
    if unsafe:
        return
    refusal = _REFUSAL if answer is None else _NOTEBOOK_REFUSAL
    in_ci = bool(os.environ.get("CI"))
    consent_file = find_data_folder() / _CONSENT_FILE
    if consent_file.exists() and not in_ci:
        return
    if in_ci or (answer is None and not sys.stdin.isatty()):
        raise SandboxFault(refusal)
    if answer is not None:
        try:
            yes = answer(f"{_WARNING} Go on? [y/N] ").strip().lower() in ("y", "yes")
        except (EOFError, NotImplementedError):
            yes = False  # a notebook may run unattended
    else:
        click.echo(_WARNING, err=True)
        yes = click.confirm("Go on?", err=True)
    if not yes:
        raise SandboxFault(refusal)
    try:
        consent_file.parent.mkdir(parents=True, exist_ok=True)
        consent_file.write_text(f"{_WARNING}\n\nYou agreed to this.\n", encoding="utf-8")
    except OSError as error:
        click.echo(f"etude: your answer is not remembered: {error.strerror}", err=True)
