"""Loads definitions, each from a cache where its file is the same as when it was last read."""

import contextlib
import dataclasses
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import grader.definitions.exercise as kinds
from grader.definitions.collection import Loaded, load_definition
from grader.definitions.files import read_file
from grader.disk_cache import Cache
from grader.errors import EtudeError, Location
from grader.pickled import Pickled

_KINDS: Final[list[type]] = [
    kind
    for kind in vars(kinds).values()
    if isinstance(kind, type) and dataclasses.is_dataclass(kind)
]
_PICKLED: Final = Pickled(Loaded, (Location, *_KINDS))


class RememberingLoader:
    """Loads exercises for a collection; what is not valid is never kept.

    Args:
        cache: has to forget everything when the grader changes.
    """

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self._found: dict[Path, bytes] = {}  # by `find`, each to be loaded once

    def find(self, paths: Sequence[Path]) -> list[Path]:
        """Look exercises up that are loaded next; return those that have to be read anew."""
        found = ((path, self.cache.find(_key(path))) for path in paths)
        self._found = {path: kept for path, kept in found if kept is not None}
        return [path for path in paths if path not in self._found]

    def __call__(self, path: Path) -> Loaded:
        """Load one exercise.

        Raises:
            UsageError, DefinitionError: see `load_definition`.
        """
        kept = self._found.pop(path, None) or self.cache.find(_key(path))
        if kept and (known := _PICKLED.from_bytes(kept)):
            return known
        key = _key(path)
        loaded = load_definition(path)
        if _key(path) == key:  # nobody wrote to it meanwhile
            with contextlib.suppress(ValueError):
                self.cache.keep(key, _PICKLED.to_bytes(loaded))
        return loaded


def _key(path: Path) -> str:
    """Locations name the path as it was given, so that is a part of the key."""
    try:
        content = read_file(path)
    except EtudeError:  # it is told when the file is loaded
        content = b""
    return f"{os.fspath(path)}\0{hashlib.sha256(content).hexdigest()}"
