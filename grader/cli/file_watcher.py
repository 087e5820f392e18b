"""A watcher that repeats an action when a file changes. It polls: that works everywhere."""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import click

from grader.definitions.images import MEDIA_TYPES
from grader.errors import EtudeError

POLL_SECONDS = 0.2  # seconds between looks
_SUFFIXES = (".yaml", ".yml", ".md", ".py", ".html", ".css", ".js", *MEDIA_TYPES)
_DATA = (".csv", ".tsv", ".txt", ".json", ".npy", ".npz")


def modification_times(paths: Iterable[Path]) -> dict[str, int]:
    """Return when each file was last changed: those that are named, and ours below folders."""
    versions = {}
    for path in paths:
        is_named = not os.path.isdir(path)  # noqa: PTH112  of a closed folder Path raises an error
        for file in [path] if is_named else path.rglob("*"):
            if is_named or file.suffix in (*_SUFFIXES, *_DATA):
                with contextlib.suppress(OSError):  # an editor may be replacing it just now
                    status = file.stat()
                    if stat.S_ISREG(status.st_mode):
                        versions[os.fspath(file)] = status.st_mtime_ns
    return versions


class FileWatcher:
    """Tells when files have changed and are at rest again.

    An editor may empty a file before it writes it, write it twice, or put another in its place:
    that is one change, since a change counts when two looks see the same.

    Args:
        paths: Files, and folders of them; more may be added later.
        seen: The modification times when they were read last; by default those of now.
    """

    def __init__(self, paths: Collection[Path], seen: dict[str, int] | None = None) -> None:
        self._paths = paths
        self._seen = modification_times(self._paths) if seen is None else seen
        self._last_look = self._seen

    def poll(self) -> bool:
        """Look once; return whether there is a change to act on."""
        before, self._last_look = self._last_look, modification_times(self._paths)
        if self._last_look == self._seen or self._last_look != before:
            return False
        self._seen = self._last_look
        return True


def rebuild_on_change(
    paths: Collection[Path], build: Callable[[], object], seen: dict[str, int] | None = None
) -> None:
    """Build again after each change until interrupted; an error is told and waits for the next.

    The arguments are those of `FileWatcher`, and what is called after a change.
    """
    watcher = FileWatcher(paths, seen)
    while True:
        time.sleep(POLL_SECONDS)
        if watcher.poll():
            try:
                build()
            except EtudeError as error:
                click.echo(str(error), err=True)
