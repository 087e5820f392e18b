"""`etude export`: hand things out."""

from pathlib import Path

import click

from grader.cli import options


@click.group("export", short_help="Write a bundle for students.")
def command() -> None:
    """Write what others need into a folder of its own."""


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
