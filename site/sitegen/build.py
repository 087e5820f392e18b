"""Building the site: from the public form of tracks to a folder."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.definitions.public import PublicTrack
from grader.errors import DefinitionError, Location, Problem, UsageError
from sitegen.data import data_folder
from sitegen.lessons import NO_LESSONS, Lessons
from sitegen.links import ASSETS, LESSONS, asset_path
from sitegen.output import write_site
from sitegen.pages import render_pages
from sitegen.palette import stylesheet

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_BASE = re.compile(r"/([\w.~-]+/)*")
_STYLESHEET = "site.css"


@dataclass(frozen=True, slots=True)
class SiteReport:
    """What a build wrote: where, how many pages, and how many bytes with the assets."""

    output: Path
    pages: int
    bytes: int


def build_site(
    tracks: Sequence[PublicTrack],
    output: Path,
    *,
    lessons: Lessons = NO_LESSONS,
    base_url: str = "/",
) -> SiteReport:
    """Write the pages into a folder that is missing, empty, or from an earlier build.

    The same tracks give the same bytes. Nothing is written when anything cannot be rendered.

    Args:
        tracks: In the order in which the index shows them.
        output: The folder; it is made if it is missing.
        lessons: Those of each track that were run, in order, by the track's id.
        base_url: See `site_files`.

    Raises:
        DefinitionError: Two pages would have one path, an id cannot be one, or a text cannot be
            shown; each problem names the track and the exercise.
        UsageError: The folder holds something else, or cannot be written.
    """
    files = site_files(tracks, lessons, base_url=base_url)
    write_site(files, output)
    pages = sum(path.endswith(".html") for path in files)
    return SiteReport(output, pages=pages, bytes=sum(map(len, files.values())))


def site_files(
    tracks: Sequence[PublicTrack], lessons: Lessons = NO_LESSONS, *, base_url: str = "/"
) -> dict[str, bytes]:
    """Return every file of the site by its path, relative and with forward slashes.

    Args:
        tracks: In the order in which the index shows them.
        lessons: Those of each track that were run, in order, by the track's id.
        base_url: The path at which a host has the site, with a slash at both ends. Only the page
            for what is not found needs it.

    Raises:
        DefinitionError: See `build_site`.
        UsageError: The base is no such path.
    """
    if not _BASE.fullmatch(base_url):
        raise UsageError(f"The base URL is a path such as /etude/, not {base_url!r}.")
    problems = tuple(_path_problems(tracks, lessons))
    if problems:
        raise DefinitionError(problems)
    rendered = render_pages(tracks, lessons, base_url=base_url)
    pages = {path: html.encode() for path, html in rendered}
    return pages | dict(_assets())


def _path_problems(tracks: Sequence[PublicTrack], lessons: Lessons) -> Iterator[Problem]:
    """An id is also a folder's name, so it must be a plain one and nobody else's."""
    yield from _id_problems((track.id for track in tracks), folder="", taken=(ASSETS,))
    for track in tracks:
        exercises = (each.id for each in track.exercises)
        yield from _id_problems(exercises, folder=f"{track.id}/", taken=(LESSONS,))
        ids = (each.id for each in lessons.get(track.id, ()))
        yield from _id_problems(ids, folder=f"{track.id}/{LESSONS}/")


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
