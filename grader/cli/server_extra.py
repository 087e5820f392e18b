"""The server as an optional extra: its modules, and the option for its database."""

import contextlib
import importlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from grader.errors import UsageError

OF_UNIX = {"fcntl", "grp", "pwd", "resource", "termios"}  # modules that exist only on Unix

_Function = TypeVar("_Function", bound=Callable[..., Any])


def stored_option(function: _Function) -> _Function:
    """Add `--database URL` to a command that otherwise reads result files."""
    return click.option(
        "--database",
        metavar="URL",
        help="Read what `etude serve` has stored there instead of files.",
    )(function)


def require_one_source(results: Sequence[Path], database: str | None) -> None:
    """Check that a command has either files or a database.

    Raises:
        UsageError: Both or neither are given.
    """
    if bool(results) == bool(database):
        raise click.UsageError("Give RESULTS or --database.")


def read_stored(name: str, database: str) -> Any:
    """Return the result of a function of the server's `gradebook_data`, called with a database.

    Raises:
        UsageError: A package of the optional extra is missing, or the database cannot be opened.
    """
    read = getattr(server_module("gradebook_data"), name)
    open_store = server_module("commands.server_options").open_store
    with open_store(database) as store, store.read() as connection:
        return read(connection)


@contextlib.contextmanager
def require_service() -> Iterator[None]:
    """Raise an error with the installation command if the service is not installed.

    Raises:
        UsageError: A package of the optional extra is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = error.name or ""
        if name in OF_UNIX or name.startswith(("etude_server", "grader", "sitegen", "reference")):
            raise
        raise UsageError(
            f"the service is an extra that is not installed ({error.name} is missing): "
            "pip install 'etude[service]'"
        ) from None


def server_module(name: str) -> Any:
    """Import a module of the server, which the grader itself does not need.

    Raises:
        UsageError: A package of the optional extra is missing.
    """
    with require_service():
        return importlib.import_module(f"etude_server.{name}")
