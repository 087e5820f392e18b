"""Options of the server's commands, the settings file, and the database."""

import contextlib
import getpass
import os
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from etude_server.catalog import Catalog
from etude_server.job_queue import JobQueue
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from grader.errors import UsageError

_Function = TypeVar("_Function", bound=Callable[..., Any])

SETTING_NAMES: Final = (
    "database", "database-file", "exercises", "site", "host", "port", "public-url", "workers",
    "lane", "dead-after", "health-host", "health-port", "keep-days", "per-minute",
    "queue-seconds", "oidc-issuer", "oidc-client-id", "oidc-claim",
)  # fmt: skip
"""The keys of `etude.toml`: the options of `etude serve` and `etude worker`."""


class ServiceCommand(click.Command):
    """A command whose options may also come from the environment or `etude.toml`."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Add the environment and the settings file as sources of options."""
        extra |= {"auto_envvar_prefix": "ETUDE", "default_map": read_settings_file()}
        return super().make_context(info_name, args, parent, **extra)


def read_settings_file() -> dict[str, Any]:
    """Return the settings in the file that ETUDE_CONFIG names, or in `etude.toml` here.

    Raises:
        UsageError: The file cannot be read, or has an unknown key.
    """
    configured_path = os.environ.get("ETUDE_CONFIG")
    path = Path(configured_path or "etude.toml")
    try:
        settings = tomllib.loads(path.read_text())
    except FileNotFoundError:
        if configured_path:
            raise UsageError(f"there is no file {path}, which ETUDE_CONFIG names") from None
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    if unknown_keys := sorted(settings.keys() - set(SETTING_NAMES)):
        raise UsageError(f"{path}: no setting is called {unknown_keys[0]!r}")
    if isinstance(settings.get("exercises"), str):
        settings["exercises"] = [settings["exercises"]]
    return {name.replace("-", "_"): value for name, value in settings.items()}


def database_option(function: _Function) -> _Function:
    """Add `--database URL`; an address with a password belongs in the environment."""
    return click.option(
        "--database",
        envvar="ETUDE_DATABASE",
        show_envvar=True,
        default=lambda: read_settings_file().get("database", "sqlite:///etude.db"),
        show_default="that of etude.toml, or sqlite:///etude.db",
        metavar="URL",
        help="sqlite:///FILE or postgresql://USER@HOST/NAME.",
    )(function)


def keep_days_option(function: _Function) -> _Function:
    """Add `--keep-days N`."""
    return click.option(
        "--keep-days",
        type=click.IntRange(1),
        envvar="ETUDE_KEEP_DAYS",
        show_envvar=True,
        default=90,
        show_default=True,
        metavar="N",
        help="How many days to keep grading diagnostics; verdicts are kept for good.",
    )(function)


def health_options(function: _Function) -> _Function:
    """Add `--health-port` and `--health-host`."""
    port = click.option(
        "--health-port",
        type=click.IntRange(0, 65535),
        help="Where to answer /livez, /readyz and /metrics.",
    )
    host = click.option(
        "--health-host",
        default="127.0.0.1",
        show_default=True,
        help="On which address to do so.",
    )
    return port(host(function))


def open_store(url: str, *, create: bool = False) -> Database:
    """Open a service's database, with the tables of this version.

    Args:
        create: Create a missing SQLite file. In any case, print the path of a file, because the
            default depends on the working directory.

    Raises:
        UsageError: The database does not exist.
    """
    database = Database(url, create=create)
    upgrade_store(database)
    if create:
        click.echo(f"{'new database' if database.is_new else 'database'}: {database}", err=True)
    return database


@dataclass(frozen=True, slots=True)
class CommandCourse:
    """The parts of a course that a command uses: database, catalogue and queue."""

    database: Database
    catalog: Catalog
    regrade_queue: JobQueue | None  # None on SQLite


@contextlib.contextmanager
def open_course(
    url: str, exercises: tuple[Path, ...] = (), *, create: bool = False
) -> Iterator[CommandCourse]:
    """Open a service's database as `open_store` does, with its collection and queue."""
    catalog = Catalog.load(*exercises) if exercises else Catalog((), {})
    with open_store(url, create=create) as database, contextlib.ExitStack() as stack:
        job_queue = None if database.is_sqlite else stack.enter_context(JobQueue(database))
        yield CommandCourse(database, catalog, job_queue)


def find_user_name() -> str:
    """Return the name of the operating system's user, for the event log."""
    try:
        return f"{getpass.getuser()} (command line)"
    except (KeyError, OSError):
        return f"user {os.getuid()} (command line)"
