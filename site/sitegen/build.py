"""The build of the site, from the public form of tracks to a folder."""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Final, TypeAlias

from grader.definitions.slug import is_slug
from grader.errors import DefinitionError, EtudeError, GraderFault, Location, Problem
from sitegen.assets import hash_name
from sitegen.content import Content
from sitegen.feeds import make_announcements
from sitegen.hosting import PYODIDE, Hosting
from sitegen.links import EMBED, LESSONS, RESERVED_FOLDERS, SEARCH, asset_path
from sitegen.offline import WORKER, make_worker
from sitegen.pages import PageFiles, Pages
from sitegen.search import INDEX_ASSET, search_index
from sitegen.site_folder import write_site

_WORTH_A_PROCESS: Final = 24  # pages; fewer are built before a second process would have started
_FORK: Final = multiprocessing.get_context("fork")
PageBuilder: TypeAlias = Callable[[], PageFiles]


def build_site(
    content: Content, output: Path, *, hosting: Hosting | None = None, processes: int = 1
) -> int:
    """Write the pages into a folder that is missing, empty, or from an earlier build.

    The same content gives the same bytes. If a page cannot be rendered, nothing is written.

    Args:
        output: The folder, which is created if it is missing.
        hosting: The addresses of the site and of Pyodide.
        processes: The number of processes that build pages.

    Returns:
        The number of pages.

    Raises:
        DefinitionError: Two pages have the same path, an id cannot be a path, or a text cannot be
            shown; each problem names the track and the exercise.
        GraderFault: A process that builds pages was killed.
        UsageError: The folder holds something else, or cannot be written.
    """
    files = make_files(content, hosting=hosting, processes=processes)
    write_site(files, output)
    return sum(path.endswith(".html") for path in files)


def make_files(
    content: Content,
    *,
    hosting: Hosting | None = None,
    processes: int = 1,
    failures: dict[str, str] | None = None,
) -> dict[str, bytes]:
    """Return every file of the site by its path, relative and with forward slashes.

    Args:
        hosting: See `build_site`.
        processes: See `build_site`.
        failures: Receives the reason for each page that cannot be built, by path; without it such a
            page is an error. These pages, and those listed already, only show the reason.

    Raises:
        DefinitionError, GraderFault: See `build_site`.
    """
    hosting = hosting or Hosting()
    # Ids are also folder names, so they must be plain and unique.
    problems = [
        *_check_ids((track.id for track in content.tracks), folder="", taken=RESERVED_FOLDERS)
    ]
    for track in content.tracks:
        exercises = (exercise.id for exercise in track.exercises)
        problems += _check_ids(exercises, folder=f"{track.id}/", taken=(LESSONS,))
        lessons = (lesson.id for lesson in content.lessons.get(track.id, ()))
        problems += _check_ids(lessons, folder=f"{track.id}/{LESSONS}/")
    if problems:
        raise DefinitionError(problems)
    pages = Pages(content, hosting)
    builders = tuple(pages.list_builders())
    if failures is None:
        page_files = _build_all([build for _, build in builders], processes)
    else:
        page_files = []
        for path, build in builders:
            try:
                page_files.append(build())
            except EtudeError as error:
                failures[path] = str(error)
    entries = [file.entry for file in page_files if file.entry]
    index = search_index([*entries, *pages.list_concepts()]).encode()
    index_path = asset_path(hash_name(INDEX_ASSET, index))
    texts = {SEARCH: pages.render_search(index_path), **make_announcements(content, hosting)}
    files = {path: text.encode() for path, text in texts.items()}
    files |= {index_path: index, EMBED: pages.assets.embed, **pages.assets.files}
    files |= {f"{PYODIDE}/{name}": data for name, data in hosting.pyodide.items()}
    for file in page_files:
        files |= file.files
    files |= {path: pages.render_empty(path) for path in failures or () if path not in files}
    return files | {WORKER: make_worker(pages.assets.worker, files, index_path, hosting)}


def _build_all(page_builders: Sequence[PageBuilder], processes: int) -> list[PageFiles]:
    """Build all pages, in order.

    Raises:
        DefinitionError: Some pages cannot be built; the error has the problems of all.
        GraderFault: A process was killed.
    """
    if processes < 2 or len(page_builders) < _WORTH_A_PROCESS:  # noqa: PLR2004  one process is this one
        attempts = list(map(_try_build, page_builders))
    else:
        with ProcessPoolExecutor(processes, _FORK, _inherit_builders, (page_builders,)) as pool:
            try:
                attempts = list(pool.map(_try_build_number, range(len(page_builders))))
            except BrokenProcessPool:
                raise GraderFault("a process that makes pages was ended") from None
    problems = [
        problem for attempt in attempts if not isinstance(attempt, PageFiles) for problem in attempt
    ]
    if problems:
        raise DefinitionError(problems)
    return [attempt for attempt in attempts if isinstance(attempt, PageFiles)]


def _try_build(build: PageBuilder) -> PageFiles | tuple[Problem, ...]:
    try:
        return build()
    except DefinitionError as error:
        return error.problems


_builders: Sequence[PageBuilder] = ()  # inherited by the processes of the pool through the fork


def _inherit_builders(page_builders: Sequence[PageBuilder]) -> None:
    global _builders  # noqa: PLW0603  nothing that a builder refers to can be sent to a process
    _builders = page_builders


def _try_build_number(number: int) -> PageFiles | tuple[Problem, ...]:
    return _try_build(_builders[number])


def _check_ids(ids: Iterable[str], *, folder: str, taken: Iterable[str] = ()) -> Iterator[Problem]:
    names = set(taken)
    for exercise_id in ids:
        where = Location(Path(f"{folder}{exercise_id}"))
        if not is_slug(exercise_id):
            yield Problem(where, f"the id {exercise_id!r} cannot be the folder of a page")
        elif exercise_id in names:
            yield Problem(where, f"the id {exercise_id!r} is already the folder of something else")
        names.add(exercise_id)
