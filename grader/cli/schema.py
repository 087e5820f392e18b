"""`etude schema`: the JSON Schema of exercise, track and course files, and of verdicts."""

import click

from grader.cli import options
from grader.errors import UsageError


@click.command("schema", short_help="Print the JSON Schema of exercise files.")
@click.argument(
    "kind", type=click.Choice(["exercise", "track", "course", "verdict"]), default="exercise"
)
@click.option("--markdown", is_flag=True, help="Print a description of the format for people.")
def command(kind: str, markdown: bool) -> None:
    """Print the JSON Schema of exercise files, track.yaml, course.yaml, or a verdict.

    An editor that knows YAML and JSON Schema completes and checks with it. The first line of an
    exercise names the schema:

    \b
      # yaml-language-server: $schema=exercise.schema.json

    \b
    Example:
      etude schema > exercise.schema.json
      etude schema track > track.schema.json
      etude schema verdict > verdict.schema.json
    """
    options.prefer_own_output()
    if kind == "verdict":
        from grader.reports.to_json import verdict_schema_text

        if markdown:
            raise UsageError("--markdown describes exercise files; the schema of a verdict is JSON")
        click.echo(verdict_schema_text(), nl=False)
        return
    from grader.definitions.format import format_markdown
    from grader.definitions.schema import schema_text

    click.echo(format_markdown() if markdown else schema_text(kind), nl=False)
