"""`etude site`: the static site."""

import contextlib
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.watching import rebuild_on_change
from grader.errors import DefinitionError, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.definitions.public import PublicTrack
    from grader.definitions.track import Track
    from grader.lessons.execute import RunLesson
    from grader.sandbox.process import Sandbox
    from sitegen.lessons import TrackLesson


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
@click.option(
    "--base-url",
    default="/",
    show_default=True,
    metavar="PATH",
    help="Where the host will have it, such as /etude/; for the page that says 'not found'.",
)
@options.exercises_option
def build(output: Path, base_url: str, exercises: Path | None) -> None:
    """Write an index, and a page for each track, each lesson and each exercise.

    Every lesson is run, so that its page shows what its code gives now.

    \b
    Examples:
      etude site build --output build/site
      etude site build --output build/site --base-url /etude/
    """
    options.prefer_own_output()
    from sitegen.build import build_site  # noqa: PLC0415  not for --help

    content = _Content(options.collection_folder(exercises))
    tracks, lessons = content.load()
    report = build_site(tracks, output, lessons=lessons, base_url=base_url)
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
    content = _Content(folder)
    files = site_files(*content.load())  # a broken collection is an error, not a page
    with LiveSite(port) as site:
        site.publish(files)
        click.echo(f"{site.url} (Ctrl-C ends)")
        rebuild_on_change([folder], lambda: site.publish(site_files(*content.load())))


class _Content:
    """What a site shows of the collection in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runs = _Runs()

    def load(self) -> tuple[list["PublicTrack"], dict[str, list["TrackLesson"]]]:
        """Load the collection as it is now: its tracks, and the lessons of each by its id."""
        from grader.definitions.collection import Collection  # noqa: PLC0415  not for --help
        from grader.grading.projection import needs_sandbox, public_track  # noqa: PLC0415
        from grader.sandbox.choose import open_sandbox  # noqa: PLC0415

        collection = Collection.load(self._folder)
        if not collection.tracks:
            raise UsageError(f"there is no <track>/track.yaml in {collection.folder}")
        shown = [each for track in collection.tracks for each in track.exercises]
        lessons = [path for track in collection.tracks for path in track.lessons]
        with contextlib.ExitStack() as stack:
            needed = self._runs.are_missing(lessons) or any(map(needs_sandbox, shown))
            sandbox = stack.enter_context(open_sandbox()) if needed else None
            self._runs.update(lessons, sandbox)
            tracks = [public_track(track, sandbox) for track in collection.tracks]
        return tracks, {track.definition.id: self._lessons(track) for track in collection.tracks}

    def _lessons(self, track: "Track") -> list["TrackLesson"]:
        from sitegen.lessons import TrackLesson  # noqa: PLC0415  not for --help

        return [
            TrackLesson(lesson.id, lesson.title, lesson.exercises, self._runs.of(path))
            for lesson, path in zip(track.definition.lessons, track.lessons, strict=True)
        ]


class _Runs:
    """Lessons that were run; each is run again only when its file has changed."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[str, RunLesson]] = {}

    def of(self, path: Path) -> "RunLesson":
        """Return what a lesson showed."""
        return self._known[path][1]

    def are_missing(self, paths: "Iterable[Path]") -> bool:
        """Tell whether a lesson has to be run."""
        return any(not self._is_known(path, _digest(path)) for path in paths)

    def update(self, paths: "Sequence[Path]", sandbox: "Sandbox | None") -> None:
        """Run what is missing.

        Raises:
            DefinitionError: A lesson is not valid, or a cell raises; with the problems of all.
        """
        from grader.lessons.document import read_lesson  # noqa: PLC0415  not for --help
        from grader.lessons.execute import run_lesson  # noqa: PLC0415

        problems: list[Problem] = []
        for path in paths:
            digest = _digest(path)
            if sandbox is None or self._is_known(path, digest):
                continue
            try:
                self._known[path] = digest, run_lesson(read_lesson(path), sandbox)
            except DefinitionError as error:
                problems += error.problems
        if problems:
            raise DefinitionError(problems)

    def _is_known(self, path: Path, digest: str) -> bool:
        return path in self._known and self._known[path][0] == digest


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
