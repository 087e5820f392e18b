"""`etude site`: the static site."""

import contextlib
from pathlib import Path

import click

from grader.cli import options
from grader.errors import UsageError


@click.group("site", short_help="Build the static site.")
def command() -> None:
    """Build the static site from the same definitions that are graded."""


@command.command("build")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="Where to write it.",
)
@options.exercises_option
def build(output: Path, exercises: Path | None) -> None:
    """Write an index, a page for each track and a page for each exercise.

    \b
    Example:
      etude site build --output build/site
    """
    options.prefer_own_output()
    from grader.definitions.collection import Collection  # noqa: PLC0415  not for --help
    from grader.grading.projection import needs_sandbox, public_track  # noqa: PLC0415
    from grader.sandbox.choose import open_sandbox  # noqa: PLC0415
    from sitegen.build import build_site  # noqa: PLC0415

    collection = Collection.load(options.collection_folder(exercises))
    if not collection.tracks:
        raise UsageError(f"there is no <track>/track.yaml in {collection.folder}")
    exercises_shown = [each for track in collection.tracks for each in track.exercises]
    with contextlib.ExitStack() as stack:
        needed = any(map(needs_sandbox, exercises_shown))
        sandbox = stack.enter_context(open_sandbox()) if needed else None
        tracks = [public_track(track, sandbox) for track in collection.tracks]
    report = build_site(tracks, output)
    click.echo(
        f"{report.pages} pages in {output}: open {(output / 'index.html').resolve().as_uri()}"
    )
