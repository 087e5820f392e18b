"""Doing something again whenever a file changes; polling, since that works on every file system."""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from grader.definitions.images import MEDIA_TYPES
from grader.errors import EtudeError

_GLANCE = 0.4  # seconds between looks
_SUFFIXES = (".yaml", ".yml", ".md", ".py", ".html", ".css", ".js", *MEDIA_TYPES)


def changed(paths: Iterable[Path]) -> dict[str, int]:
    """Return when each file was last changed: those that are named, and ours below folders."""
    found = {}
    for path in paths:
        named = not path.is_dir()
        for file in [path] if named else path.rglob("*"):
            if named or file.suffix in _SUFFIXES:
                with contextlib.suppress(OSError):  # an editor may be replacing it just now
                    status = file.stat()
                    if stat.S_ISREG(status.st_mode):
                        found[os.fspath(file)] = status.st_mtime_ns
    return found


def rebuild_on_change(
    paths: Iterable[Path], build: Callable[[], object], seen: dict[str, int] | None = None
) -> None:
    """Build again after each change until interrupted; an error is told and waits for the next.

    Args:
        paths: files, and folders of them.
        build: called after a change.
        seen: what was `changed` when they were built last; by default now.
    """
    for _ in changes(paths, seen):
        try:
            build()
        except EtudeError as error:
            click.echo(str(error), err=True)


def changes(paths: Iterable[Path], seen: dict[str, int] | None = None) -> Iterator[None]:
    """Wait for each change; see `rebuild_on_change`."""
    watched = list(paths)
    seen = changed(watched) if seen is None else seen
    while True:
        time.sleep(_GLANCE)
        now = changed(watched)
        if now != seen:
            seen = now
            yield
