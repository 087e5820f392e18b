"""`etude new`: write a complete exercise or course to start from."""

from pathlib import Path

import click

from grader.authoring.new_exercise import write_course, write_exercise
from grader.cli import options
from grader.definitions.json_schemas import nearest_schema


@click.command("new")
@click.argument("slug")
@click.option("--course", is_flag=True, help="Start a course: a folder with all that it needs.")
@click.option(
    "--kind",
    type=click.Choice(["write", "test"]),
    default="write",
    show_default=True,
    help="What a learner writes: a program, or tests of one.",
)
@options.path_option(
    "--into",
    "The folder to write it to, a track's for example.",
    metavar="DIR",
    default=Path(),
    show_default="here",
)
def command(slug: str, kind: str, into: Path, *, course: bool) -> None:
    """Write a new exercise with the id SLUG, complete and proven, to be changed piece by piece.

    With --course it is a folder SLUG: a course.yaml, a reference of the course's own, a track,
    an exercise, and the schemas with which an editor completes keys.

    \b
    Examples:
      etude new row-shares
      etude new rotary-positions --into exercises/attention
      etude new test-row-shares --kind test
      etude new linear-algebra --course
    """
    if course:
        for path in write_course(slug, into):
            click.echo(f"{path} is written.")
        click.echo(f"While you work on it: etude verify {into / slug}/ --watch")
        return
    path = write_exercise(slug, into, kind)
    click.echo(f"{path} is written.")
    click.echo(f"While you work on it: etude verify {path} --watch")
    if not nearest_schema(into, "exercise"):
        schema = path.with_name("exercise.schema.json")
        click.echo(f"For completion in an editor: etude schema > {schema}")
    track = path.parent / "track.yaml"
    if track.is_file():
        click.echo(f"List it in {track}, so that the track has it.")
