"""`etude site`: the static site."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.watching import rebuild_on_change
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.definitions.public import PublicTrack


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
    from sitegen.build import build_site  # noqa: PLC0415  not for --help

    report = build_site(_public_tracks(options.collection_folder(exercises)), output)
    click.echo(
        f"{report.pages} pages in {output}: open {(output / 'index.html').resolve().as_uri()}"
    )


@command.command("serve")
@options.port_option
@options.exercises_option
def serve(port: int, exercises: Path | None) -> None:
    """Show the site on this machine, and reload open pages when a definition changes.

    \b
    Example:
      etude site serve --port 8000
    """
    options.prefer_own_output()
    from sitegen.build import site_files  # noqa: PLC0415  not for --help
    from sitegen.live import LiveSite  # noqa: PLC0415

    folder = options.collection_folder(exercises)
    files = site_files(_public_tracks(folder))  # a broken collection is an error, not a page
    with LiveSite(port) as site:
        site.publish(files)
        click.echo(f"{site.url} (Ctrl-C ends)")
        rebuild_on_change([folder], lambda: site.publish(site_files(_public_tracks(folder))))


def _public_tracks(folder: Path) -> list["PublicTrack"]:
    from grader.definitions.collection import Collection  # noqa: PLC0415  not for --help
    from grader.grading.projection import needs_sandbox, public_track  # noqa: PLC0415
    from grader.sandbox.choose import open_sandbox  # noqa: PLC0415

    collection = Collection.load(folder)
    if not collection.tracks:
        raise UsageError(f"there is no <track>/track.yaml in {collection.folder}")
    exercises_shown = [each for track in collection.tracks for each in track.exercises]
    with contextlib.ExitStack() as stack:
        needed = any(map(needs_sandbox, exercises_shown))
        sandbox = stack.enter_context(open_sandbox()) if needed else None
        return [public_track(track, sandbox) for track in collection.tracks]
