"""`etude worker`: grades submissions that a server on another host accepted."""

from pathlib import Path
from typing import Any

import click

from etude_server.commands.server_options import ServiceCommand, health_options, keep_days_option
from etude_server.queue_worker import WorkerSettings, run_worker
from grader.cli import options
from grader.errors import UsageError


@click.command(
    "worker",
    cls=ServiceCommand,
)
@click.option(
    "--database",
    metavar="URL",
    help="postgresql://USER@HOST/NAME; better in the environment as ETUDE_DATABASE, or in a file.",
)
@click.option(
    "--database-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file with that address, such as a mounted secret.",
)
@click.option(
    "--lane",
    type=click.Choice(["interactive", "regrade"]),
    default="interactive",
    show_default=True,
    help="Which work it takes; students never wait behind a regrade.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=options.cores,
    show_default="the number of cores",
    help="How many submissions are graded at once.",
)
@health_options
@click.option(
    "--dead-after",
    type=click.FloatRange(2, 600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="A worker's jobs go to others if it is silent for so long; equal for all workers.",
)
@keep_days_option
@options.exercises_option
def command(
    database: str | None,
    database_file: Path | None,
    exercises: tuple[Path, ...],
    **settings: Any,
) -> None:
    """Take jobs from the queue of `etude serve --database postgresql://...` and grade them here.

    Any number of workers may run, on any number of hosts. Options may also stand in the environment
    and in etude.toml, as those of etude serve. On SIGTERM a worker finishes what it has
    in hand and ends with exit status 0. Its grading processes run before it reads the address.

    \b
    Examples:
      ETUDE_DATABASE=postgresql://etude@db.example.org/etude etude worker
      etude worker --lane regrade --workers 4 --database-file /run/secrets/database
    """
    worker = WorkerSettings(exercises=options.collection_folders(exercises), **settings)
    run_worker(worker, lambda: _read_address(database, database_file))


def _read_address(url: str | None, file: Path | None) -> str:
    """Return the database's address from the option or a file.

    Raises:
        UsageError: Neither gives an address.
    """
    if url:
        return url
    if file is not None:
        try:
            return file.read_text().strip()
        except OSError as error:
            raise UsageError(f"cannot read {file}: {error.strerror}") from None
    raise UsageError("a worker needs --database, --database-file or ETUDE_DATABASE")
