"""Building the site: from the public form of tracks to a folder."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.definitions.public import PublicTrack
from grader.errors import DefinitionError, Location, Problem
from sitegen.data import data_folder
from sitegen.links import ASSETS, asset_path
from sitegen.output import write_site
from sitegen.pages import render_pages
from sitegen.palette import stylesheet

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_STYLESHEET = "site.css"


@dataclass(frozen=True, slots=True)
class SiteReport:
    """What a build wrote: where, how many pages, and how many bytes with the assets."""

    output: Path
    pages: int
    bytes: int


def build_site(tracks: Sequence[PublicTrack], output: Path) -> SiteReport:
    """Write the pages into a folder that is missing, empty, or from an earlier build.

    The same tracks give the same bytes. Nothing is written when anything cannot be rendered.

    Args:
        tracks: In the order in which the index shows them.
        output: The folder; it is made if it is missing.

    Raises:
        DefinitionError: Two pages would have one path, an id cannot be one, or a text cannot be
            shown; each problem names the track and the exercise.
        UsageError: The folder holds something else, or cannot be written.
    """
    files = site_files(tracks)
    write_site(files, output)
    pages = sum(path.endswith(".html") for path in files)
    return SiteReport(output, pages=pages, bytes=sum(map(len, files.values())))


def site_files(tracks: Sequence[PublicTrack]) -> dict[str, bytes]:
    """Return every file of the site by its path, relative and with forward slashes.

    Raises:
        DefinitionError: See `build_site`.
    """
    problems = tuple(_path_problems(tracks))
    if problems:
        raise DefinitionError(problems)
    pages = {path: html.encode() for path, html in render_pages(tracks)}
    return pages | dict(_assets())


def _path_problems(tracks: Sequence[PublicTrack]) -> Iterator[Problem]:
    """An id is also a folder's name, so it must be a plain one and nobody else's."""
    yield from _id_problems((track.id for track in tracks), folder="", taken=(ASSETS,))
    for track in tracks:
        yield from _id_problems((each.id for each in track.exercises), folder=f"{track.id}/")


def _id_problems(
    ids: Iterable[str], *, folder: str, taken: Iterable[str] = ()
) -> Iterator[Problem]:
    seen = set(taken)
    for each in ids:
        where = Location(Path(f"{folder}{each}"))
        if not _SLUG.fullmatch(each):
            yield Problem(where, f"the id {each!r} cannot be the folder of a page")
        elif each in seen:
            yield Problem(where, f"the id {each!r} is already the folder of something else")
        seen.add(each)


def _assets() -> Iterator[tuple[str, bytes]]:
    for path in sorted(data_folder(ASSETS).iterdir()):
        if path.name.startswith("."):
            continue
        content = path.read_bytes()
        if path.name == _STYLESHEET:
            content += stylesheet().encode()
        yield asset_path(path.name), content
