"""`etude lesson`: run the cells of lessons and compare what they show with the record."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.main import NOT_PASSED
from grader.errors import DefinitionError, Problem, UsageError

if TYPE_CHECKING:
    from grader.sandbox.process import Sandbox


@click.group("lesson", short_help="Run the code in lessons.")
def command() -> None:
    """Work with the lessons of a collection."""


@command.command("run")
@click.argument("lessons", nargs=-1, metavar="[LESSON]...")
@click.option("--update", is_flag=True, help="Write down what the lessons show now.")
@options.exercises_option
@options.unsafe_option
def run(lessons: tuple[str, ...], update: bool, exercises: Path | None, unsafe: bool) -> None:
    """Run every cell of each LESSON, or of all, and fail on any difference to the record.

    A LESSON is an id, or a path.

    \b
    Examples:
      etude lesson run
      etude lesson run softmax
      etude lesson run --update exercises/attention/lessons/03-scaling.md
    """
    options.prefer_own_output()
    paths = _paths(lessons, options.collection_folder(exercises))
    with options.sandbox_opener(unsafe)() as sandbox:
        problems = [problem for path in paths for problem in _run(path, sandbox, update)]
    for problem in problems:
        click.echo(str(problem), err=True)
    verb = "written down" if update else "as recorded"
    click.echo(f"{len(paths)} lessons run, {len(paths) - len(problems)} {verb}")
    raise click.exceptions.Exit(NOT_PASSED if problems else 0)


def _paths(named: tuple[str, ...], folder: Path) -> list[Path]:
    known = sorted(folder.glob("*/lessons/*.md"))
    if not named:
        if not known:
            raise UsageError(f"there are no lessons in {folder}")
        return known
    return [_path(name, known) for name in named]


def _path(name: str, known: list[Path]) -> Path:
    from grader.definitions.wording import did_you_mean  # noqa: PLC0415  commands start fast

    if Path(name).suffix == ".md":
        return Path(name)
    by_id = {path.stem.partition("-")[2]: path for path in known}
    if name not in by_id:
        raise UsageError(f"no lesson '{name}'{did_you_mean(name, list(by_id))}")
    return by_id[name]


def _run(path: Path, sandbox: "Sandbox", update: bool) -> list[Problem]:
    from grader.lessons.document import read_lesson  # noqa: PLC0415  commands start fast
    from grader.lessons.execute import run_lesson  # noqa: PLC0415
    from grader.lessons.record import differences, record, record_path  # noqa: PLC0415

    try:
        lesson = run_lesson(read_lesson(path), sandbox)
    except DefinitionError as error:
        return list(error.problems)
    if not update:
        return differences(lesson)
    target = record_path(path)
    target.parent.mkdir(exist_ok=True)
    target.write_text(record(lesson), encoding="utf-8")
    return []
