"""Finds an exercise that was loaded before, without what it takes to read and check YAML.

`etude check` is run on one exercise again and again, and its definition seldom changes. What cannot
be found like this is loaded by `grader.definitions.collection`, which has a sentence for whatever
is wrong; an entry is of use only for the very bytes that it was made from. That an entry says what
these bytes mean is believed, as its user's own; so `etude grade`, which decides about others, never
asks here.
"""

import contextlib
import dataclasses
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import grader.definitions.exercise as kinds
from grader import __version__, errors, pickled
from grader.definitions.exercise import Exercise
from grader.definitions.files import files_by_folder, id_in_name, is_path, read_file
from grader.disk_cache import Cache, cache_folder
from grader.errors import Location
from grader.pickled import Pickled

_PICKLED: Final = Pickled(
    Exercise,
    (
        Location,
        *(
            kind
            for kind in vars(kinds).values()
            if isinstance(kind, type) and dataclasses.is_dataclass(kind)
        ),
    ),
)


class KeptDefinition:
    """The place that is kept for the exercise that a person means.

    Args:
        name_or_path: a file, or an id in the collection.
        collection_folder: where the collection is.

    Raises:
        UsageError: the collection cannot be listed.
    """

    def __init__(self, name_or_path: str, collection_folder: Path) -> None:
        self._id = ""  # that the name of the file promises
        self._path: Path | None = Path(name_or_path)
        if not is_path(name_or_path):
            files = files_by_folder(collection_folder).values()
            named = [each for below in files for each in below if id_in_name(each) == name_or_path]
            self._id = name_or_path
            self._path = named[0] if len(named) == 1 else None
        self._cache = Cache(cache_folder("checked"), "\n".join(_made_by()))
        self._found: Exercise | None = None

    def find(self) -> Exercise | None:
        """Return the exercise, if it is as it was when it was kept."""
        if self._path is None or (content := _content(self._path)) is None:
            return None
        data = self._cache.find(self._key(self._path))
        found = _PICKLED.from_bytes(data) if data else None
        if found is None or found.digest != hashlib.sha256(content).hexdigest():
            return None
        if self._id and found.id != self._id:
            return None
        self._found = found
        return found

    def keep(self, exercise: Exercise) -> None:
        """Keep the exercise for the next time, if it is not what was found."""
        if self._path is not None and self._found is None:
            try:
                data = _PICKLED.to_bytes(exercise)
            except ValueError:  # something in it is no plain data
                return
            self._cache.keep(self._key(self._path), data)
            self._cache.tidy()

    @staticmethod
    def _key(path: Path) -> str:
        """Locations name the path as it was given, which means something in this folder only."""
        return f"{path}\0{path.absolute()}"


def _content(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except errors.EtudeError:  # it is told when the file is loaded
        return None


def _made_by() -> Iterator[str]:
    """Say what reads definitions: the versions, and the state of the modules that do it."""
    yield f"{__version__} {sys.version}"
    here = os.path.dirname(__file__)  # noqa: PTH120  as the next lines, for speed
    for folder in (here, f"{here}/rules"):
        yield from sorted(_states(folder))
    yield from (_state(path) for path in (errors.__file__, pickled.__file__))


def _states(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                with contextlib.suppress(FileNotFoundError):  # a link that an editor left
                    yield _state(entry.path)


def _state(path: str) -> str:
    """Tell a file from what it was and will be: the time of a change cannot be set back."""
    status = os.stat(path)  # noqa: PTH116  as above
    return f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
