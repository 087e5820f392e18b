"""A watcher that repeats an action when a file changes; it polls, which works on every system."""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import click

from grader.definitions.images import MEDIA_TYPES
from grader.errors import EtudeError

POLL_SECONDS = 0.2  # seconds between two polls
_SUFFIXES = (".yaml", ".yml", ".md", ".py", ".html", ".css", ".js", *MEDIA_TYPES)
_DATA_SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".npy", ".npz")


def modification_times(paths: Iterable[Path]) -> dict[str, int]:
    """Return the modification times of the named files and of Etude's files below named folders."""
    versions = {}
    for path in paths:
        is_named = not os.path.isdir(path)  # noqa: PTH112  of a closed folder Path raises an error
        for file in [path] if is_named else path.rglob("*"):
            if is_named or file.suffix in (*_SUFFIXES, *_DATA_SUFFIXES):
                # OSError: an editor may be replacing the file at this moment.
                with contextlib.suppress(OSError):
                    status = file.stat()
                    if stat.S_ISREG(status.st_mode):
                        versions[os.fspath(file)] = status.st_mtime_ns
    return versions


class FileWatcher:
    """A detector of files that have changed and are no longer being written.

    An editor may empty a file before writing it, write it twice, or replace it. All this counts as
    one change, because a change counts only if two consecutive polls see the same times.

    Args:
        paths: Files and folders; more may be added later.
        seen: The modification times of the last read, by default the current ones.
    """

    def __init__(self, paths: Collection[Path], seen: dict[str, int] | None = None) -> None:
        self._paths = paths
        self._seen = modification_times(self._paths) if seen is None else seen
        self._last_look = self._seen

    def poll(self) -> bool:
        """Poll once; return whether there is a completed change."""
        before, self._last_look = self._last_look, modification_times(self._paths)
        if self._last_look == self._seen or self._last_look != before:
            return False
        self._seen = self._last_look
        return True


def rebuild_on_change(
    paths: Collection[Path], build: Callable[[], object], seen: dict[str, int] | None = None
) -> None:
    """Build again after each change until interrupted; an error is printed and the loop goes on.

    The arguments are those of `FileWatcher`, and the function to call after a change.
    """
    watcher = FileWatcher(paths, seen)
    while True:
        time.sleep(POLL_SECONDS)
        if watcher.poll():
            try:
                build()
            except EtudeError as error:
                click.echo(str(error), err=True)
