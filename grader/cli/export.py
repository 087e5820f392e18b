"""`etude export`: hand things out."""

import json
from pathlib import Path
from typing import Any

import click

from grader.cli import options
from grader.errors import UsageError
from grader.sandbox.printable import printable


@click.group("export", short_help="Write bundles and grades for others.")
def command() -> None:
    """Write what others need: a bundle for students, or grades for Canvas."""


@command.command("student")
@click.argument("folder", type=click.Path(path_type=Path))
@options.exercises_option
def student(folder: Path, exercises: Path | None) -> None:
    """Write every exercise to FOLDER without hidden tests, solutions and misconceptions.

    `etude check` accepts the folder with --exercises; it runs the visible tests and says that the
    hidden ones are run by the course.

    \b
    Examples:
      etude export student handout/
      etude check --exercises handout/ attention-weights my_solution.py
    """
    options.prefer_own_output()
    from grader.authoring.bundle import write_bundle  # noqa: PLC0415  commands start fast

    written = write_bundle(options.collection_folder(exercises), folder)
    click.echo(f"{len(written)} files in {folder}")


@command.command("canvas")
@click.argument("gradebook", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument(
    "results", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.option("--column", required=True, metavar="NAME", help="The assignment's column.")
@click.option(
    "--exercise", "exercises", multiple=True, metavar="ID",
    help="What counts; may be given several times. Not needed if the results are about one.",
)  # fmt: skip
@click.option(
    "--match", "identity", default="SIS Login ID", show_default=True, metavar="NAME",
    help="The column that has the names of the students' folders.",
)  # fmt: skip
@click.option("--scale", is_flag=True, help="Convert to the points of the assignment in Canvas.")
@click.option("--skip-unknown", is_flag=True, help="Leave out who is not in the gradebook.")
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE",
    help="Where to write the filled gradebook.",
)  # fmt: skip
def canvas(
    gradebook: Path,
    results: tuple[Path, ...],
    output: Path,
    exercises: tuple[str, ...],
    **how: Any,  # noqa: ANN401  the other options, as `fill` calls them
) -> None:
    """Fill an assignment's column in a GRADEBOOK that Canvas exported, from RESULTS.

    RESULTS are files that `etude grade --output` wrote. Who has no verdict keeps what is in the
    gradebook, and so does who is excused. Canvas imports the file that is written.

    \b
    Example:
      etude export canvas grades.csv results.jsonl --column "Attention" --output filled.csv
    """
    options.prefer_own_output()
    from grader.reports.canvas import fill, scores_of  # noqa: PLC0415  commands start fast
    from grader.reports.deliver import write_whole  # noqa: PLC0415  the same

    if output.exists() and any(output.samefile(path) for path in (gradebook, *results)):
        raise UsageError(f"{output} is what is read; name another file")
    records = [record for path in results for record in _records(path)]
    filled = fill(_text(gradebook), scores_of(records, exercises), **how)
    write_whole(output, filled.text)
    click.echo(f"{filled.graded} grades in {filled.column!r} of {output}")
    for names, what in (
        (filled.without_result, "without a verdict, left as they are"),
        (filled.left_alone, "excused or not assigned, left as they are"),
        (filled.unknown, "not in the gradebook, left out"),
    ):
        if names:
            click.echo(f"{len(names)} {what}: {printable(', '.join(names))}")


def _records(path: Path) -> list[dict[str, Any]]:
    """Read a result file."""
    records = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        try:
            record = json.loads(line)
            (record["student"], record["exercise"], record["outcome"])
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{path}:{number} is no result of etude grade --output") from None
        records.append(record)
    return records


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8") from None
