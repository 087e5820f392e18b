"""Building the site: from the public form of tracks to a folder."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.errors import DefinitionError, Location, Problem
from sitegen.assets import hashed_name
from sitegen.content import Content
from sitegen.digested_files import DigestedFile
from sitegen.feeds import announcements
from sitegen.hosting import PYODIDE, Hosting
from sitegen.incremental import NoStore, Store, make_all
from sitegen.links import LESSONS, SEARCH, TAKEN, asset_path
from sitegen.offline import WORKER, offline_worker
from sitegen.output import write_site
from sitegen.pages import Pages
from sitegen.search import INDEX_ASSET, search_index

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class SiteReport:
    """The result of a build: folder, number of pages, and bytes with the assets."""

    output: Path
    pages: int
    bytes: int


def build_site(
    content: Content,
    output: Path,
    *,
    hosting: Hosting | None = None,
    store: Store | None = None,
    processes: int = 1,
) -> SiteReport:
    """Write the pages into a folder that is missing, empty, or from an earlier build.

    The same content gives the same bytes. Nothing is written when anything cannot be rendered.

    Args:
        content: What to show.
        output: The folder; it is made if it is missing.
        hosting: Where the site lies, and where its pages get Python from.
        store: See `site_files`.
        processes: See `site_files`.

    Raises:
        DefinitionError: Two pages would have one path, an id cannot be one, or a text cannot be
            shown; each problem names the track and the exercise.
        UsageError: The folder holds something else, or cannot be written.
    """
    store = store or NoStore()
    files = _files(content, hosting or Hosting(), store, processes)
    write_site(files, output, store)
    pages = sum(path.endswith(".html") for path in files)
    return SiteReport(output, pages=pages, bytes=sum(each.size for each in files.values()))


def site_files(
    content: Content,
    *,
    hosting: Hosting | None = None,
    store: Store | None = None,
    processes: int = 1,
) -> dict[str, bytes]:
    """Return every file of the site by its path, relative and with forward slashes.

    Args:
        content: What to show.
        hosting: Where the site lies, and where its pages get Python from.
        store: Keeps what was made from definitions that have a digest. It has to forget it when
            the generator changes.
        processes: How many make what the store does not have.

    Raises:
        DefinitionError: See `build_site`.
    """
    files = _files(content, hosting or Hosting(), store or NoStore(), processes)
    return {path: file.content() for path, file in files.items()}


def _files(
    content: Content, hosting: Hosting, store: Store, processes: int
) -> dict[str, DigestedFile]:
    problems = tuple(_path_problems(content))
    if problems:
        raise DefinitionError(problems)
    pages = Pages(content, hosting)
    made = make_all(tuple(pages.pieces()), store, processes=processes)
    entries = [each.entry for each in made if each.entry]
    index = search_index([*entries, *pages.concepts()]).encode()
    index_path = asset_path(hashed_name(INDEX_ASSET, index))
    texts = {SEARCH: pages.search(index_path), **announcements(content, hosting)}
    contents = {path: text.encode() for path, text in texts.items()}
    contents |= {index_path: index, **pages.assets.files}
    contents |= {f"{PYODIDE}/{name}": data for name, data in hosting.pyodide.items()}
    files = {path: DigestedFile.of(data) for path, data in contents.items()}
    for each in made:
        files |= each.files
    worker = offline_worker(pages.assets.worker, files, index_path, hosting)
    return files | {WORKER: DigestedFile.of(worker)}


def _path_problems(content: Content) -> Iterator[Problem]:
    """An id is also a folder's name, so it must be a plain one and nobody else's."""
    yield from _id_problems((track.id for track in content.tracks), folder="", taken=TAKEN)
    for track in content.tracks:
        exercises = (each.id for each in track.exercises)
        yield from _id_problems(exercises, folder=f"{track.id}/", taken=(LESSONS,))
        ids = (each.id for each in content.lessons.get(track.id, ()))
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
