"""Options that several commands share."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.sandbox.process import Sandbox

_Function = TypeVar("_Function", bound=Callable[..., Any])


def exercises_option(function: _Function) -> _Function:
    """Add `--exercises DIR`: which collection, also from the environment."""
    return click.option(
        "--exercises",
        type=click.Path(path_type=Path),
        envvar="ETUDE_EXERCISES",
        show_envvar=True,
        metavar="DIR",
        help="The collection of exercises; by default the one that comes with Etude.",
    )(function)


def unsafe_option(function: _Function) -> _Function:
    """Add `--unsafe-no-sandbox`."""
    return click.option(
        "--unsafe-no-sandbox",
        "unsafe",
        is_flag=True,
        help="Run the submission without isolation: only for code you wrote yourself.",
    )(function)


def port_option(function: _Function) -> _Function:
    """Add `--port N`, for a server on this machine."""
    return click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8000,
        show_default=True,
        metavar="N",
        help="Where to listen, on 127.0.0.1; 0 for any port that is free.",
    )(function)


def format_option(*names: str) -> Callable[[_Function], _Function]:
    """Add `--format`, the first name being the default."""
    return click.option(
        "--format", "form", type=click.Choice(names), default=names[0], show_default=True,
        help="How to print the result.",
    )  # fmt: skip


def collection_folder(given: Path | None) -> Path:
    """Return the folder of the collection that is meant."""
    from grader.definitions.collection import default_folder  # noqa: PLC0415  commands start fast

    folder = given if given is not None else default_folder()
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder} with exercises")
    return folder


def sandbox_opener(unsafe: bool, *, spare: bool = False) -> "Callable[[], Sandbox]":
    """Return what a worker calls to start its sandbox; the imports happen there."""

    def opener() -> "Sandbox":
        from grader.sandbox.choose import open_sandbox, open_unsafe  # noqa: PLC0415

        return open_unsafe(spare=spare) if unsafe else open_sandbox(spare=spare)

    return opener


def prefer_own_output() -> None:
    """Print UTF-8 whatever the locale says: marks and maths are in every result."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            chosen = os.environ.get("PYTHONIOENCODING", "").partition(":")[0]
            stream.reconfigure(encoding=chosen or "utf-8", errors="replace")
