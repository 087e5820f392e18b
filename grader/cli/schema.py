"""`etude schema`: the JSON Schemas of exercise, track and course files and of verdicts."""

from pathlib import Path

import click

from grader.cli import options
from grader.errors import UsageError


@click.command("schema")
@click.argument(
    "kind", type=click.Choice(["exercise", "track", "course", "verdict"]), default="exercise"
)
@click.option("--markdown", is_flag=True, help="Print a description of the format for people.")
@options.path_option(
    "--into", "Write the schemas of a course's files to this folder.", options.EXISTING_FOLDER
)
def command(kind: str, markdown: bool, into: Path | None) -> None:
    """Print the JSON Schema of exercise files, track.yaml, course.yaml, or a verdict.

    An editor that knows YAML and JSON Schema completes and checks with it. The first line of an
    exercise names the schema. After an update of Etude, write them again with --into.

    \b
      # yaml-language-server: $schema=exercise.schema.json

    \b
    Example:
      etude schema > exercise.schema.json
      etude schema --into linear-algebra
      etude schema verdict > verdict.schema.json
    """
    if into is not None:
        from grader.definitions.json_schemas import write_schemas

        try:
            for path in write_schemas(into):
                click.echo(f"{path} is written.")
        except OSError as error:
            raise UsageError(f"{error.filename} cannot be written: {error.strerror}") from error
        return
    if kind == "verdict":
        from grader.reports.to_json import verdict_schema_text

        if markdown:
            raise UsageError("--markdown describes exercise files; the schema of a verdict is JSON")
        click.echo(verdict_schema_text(), nl=False)
        return
    from grader.definitions.format_docs import format_markdown
    from grader.definitions.json_schemas import schema_text

    click.echo(format_markdown() if markdown else schema_text(kind), nl=False)
