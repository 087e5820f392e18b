"""Doing something again whenever a file changes; polling, since that works on every file system."""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from grader.errors import EtudeError

_GLANCE = 0.4  # seconds between looks
_SUFFIXES = (".yaml", ".yml", ".md", ".py", ".html", ".css", ".js")


def changed(paths: Iterable[Path]) -> dict[str, int]:
    """Return when each file at or below paths was last changed."""
    return {
        os.fspath(file): file.stat().st_mtime_ns
        for path in paths
        for file in ([path] if path.is_file() else path.rglob("*"))
        if file.suffix in _SUFFIXES and file.is_file()
    }


def rebuild_on_change(paths: Iterable[Path], build: Callable[[], object]) -> None:
    """Build again after each change until interrupted; an error is told and waits for the next."""
    watched = list(paths)
    seen = changed(watched)
    while True:
        time.sleep(_GLANCE)
        now = changed(watched)
        if now == seen:
            continue
        seen = now
        try:
            build()
        except EtudeError as error:
            click.echo(str(error), err=True)
