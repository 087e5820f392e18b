"""`etude doctor`: the sandboxes of this host, tested by attempts to escape from them."""

import platform
import shutil
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import click

from grader import __version__
from grader.cli import options
from grader.cli.main import EXIT_FAULT
from grader.cli.server_extra import server_module
from grader.definitions.course_file import load_course
from grader.definitions.course_packages import describe_version
from grader.definitions.files import COURSE_FILE, exists
from grader.sandbox.examination import examine, examine_confinement
from grader.sandbox.in_child import syscalls
from grader.sandbox.process import open_sandbox


@click.command("doctor")
@options.exercises_option
@click.option(
    "--database", metavar="URL", help="Try to read and write what `etude serve` stores there, too."
)
def command(exercises: tuple[Path, ...], database: str | None) -> None:
    """Start each sandbox, let a child try to escape, and say what was found.

    Also the packages that the course names, and whether they can be imported in the sandbox.

    Exit status 0 if submissions can be graded here, 3 if not, or if a package is missing.
    """
    numpy = f"NumPy {metadata.version('numpy')}"
    system = f"{sys.platform} {platform.release()}"
    click.echo(f"etude {__version__}, Python {platform.python_version()}, {numpy}, {system}")
    checks = examine()
    abi = syscalls.landlock_version()
    covers = f"version {abi}, which covers {', '.join(syscalls.landlock_rights(abi))}"
    _say(f"Landlock: {covers if abi else 'none in this kernel'}", "")
    for examination in checks:
        click.echo()
        click.echo(f"{examination.backend.name}: {'works' if examination.works else 'missing'}")
        if examination.works:
            _say(f"gives: {examination.backend.gives}", "  ")
        else:
            _say(f"because: {examination.reason}", "  ")
            _say(f"to fix it: {examination.backend.fix}", "  ")
        attempts = dict.fromkeys(examination.escapes, True) | dict.fromkeys(
            examination.blocked, False
        )
        _show_attempts("a child", attempts)
    click.echo()
    click.echo("an author's code (given, and what tests expect):")
    attempts = examine_confinement()
    _show_attempts("it", attempts)
    if any(attempts.values()):
        _say("to fix it: Linux 5.13 or newer with Landlock, or run no collections of others", "  ")
    click.echo()
    usable = next((e.backend.name for e in checks if e.works), None)
    if usable is None:
        click.echo("Nothing can be graded here: no sandbox works.")
        raise click.exceptions.Exit(EXIT_FAULT)
    courses = (folder / COURSE_FILE for folder in options.collection_folders(exercises))
    lacking = [_try_packages(course) for course in courses if exists(course)]
    if database is not None:
        _try_store(database)
    click.echo(f"Submissions are graded in: {usable}")
    if any(lacking):
        raise click.exceptions.Exit(EXIT_FAULT)


def _try_packages(path: Path) -> bool:
    """Import a course's packages in the sandbox; return whether a package is missing."""
    course = load_course(path)
    for problem in course.problem_by_package.values():
        click.echo(f"{problem}\n")
    if course.packages:
        versions = dict.fromkeys(map(describe_version, course.packages))
        click.echo(f"packages of {path}: {', '.join(versions)}")
        with open_sandbox(packages=course.packages):
            click.echo("  imported in the sandbox\n")
    return bool(course.problem_by_package)


def _try_store(url: str) -> None:
    health = server_module("health")
    with server_module("store.database").Database(url, create=False) as opened:
        checks = health.check_store(opened)
    click.echo(f"database {opened}:")
    for name, finding in checks.items():
        click.echo(f"  {name:33}{finding}")
    click.echo()
    if set(checks.values()) != {health.OK}:
        click.echo("Nothing can be stored there.")
        raise click.exceptions.Exit(EXIT_FAULT)


def _show_attempts(backend: str, attempts: Mapping[str, bool]) -> None:
    if attempts:
        click.echo(f"  {backend} tried to:")
    for label, escaped in attempts.items():
        click.echo(f"    {label:31}{'got out' if escaped else 'refused'}")


def _say(text: str, indent: str) -> None:
    """Print a sentence wrapped to the width of the terminal."""
    width = shutil.get_terminal_size().columns
    click.echo(click.wrap_text(text, width, initial_indent=indent, subsequent_indent=indent + "  "))
