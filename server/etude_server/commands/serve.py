"""`etude serve`: the site, submissions and verdicts on one machine."""

import os
from pathlib import Path
from typing import Any

import click

from etude_server.commands.server_options import (
    ServiceCommand,
    database_option,
    health_options,
    keep_days_option,
)
from etude_server.http_server import run_server
from etude_server.oidc import Provider
from etude_server.settings import Settings
from grader.cli import options
from grader.definitions.exercise import Exercise
from grader.errors import UsageError

# The start of a page's head; the attributes before it say that it is for practice.
_HEAD_START = b">\n<head>"


@click.command("serve", cls=ServiceCommand)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Where to listen.",
)
@click.option(
    "--workers",
    type=click.IntRange(0, 256),
    default=options.cores,
    show_default="the number of cores",
    help="How many submissions are graded at once; 0 on PostgreSQL leaves it to `etude worker`.",
)
@click.option(
    "--site",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder that `etude site build` made, to be served as well.",
)
@click.option(
    "--public-url",
    default="",
    help="How browsers reach it, such as https://etude.example.org, behind a proxy.",
)
@click.option(
    "--per-minute",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    metavar="N",
    help="Submissions of one person in a minute; 0 refuses none.",
)
@click.option(
    "--queue-seconds",
    type=click.FloatRange(0),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="Refuse submissions when the oldest has waited so long; 0 refuses none, as in an exam.",
)
@click.option(
    "--oidc-issuer",
    help="The OpenID Connect provider by which people of the roster sign in. The client's secret "
    "is read from ETUDE_OIDC_CLIENT_SECRET.",
)
@click.option(
    "--oidc-client-id",
    help="What it calls this server.",
)
@click.option(
    "--oidc-claim",
    default="email",
    show_default=True,
    help="What of its answer is the login of the roster.",
)
@health_options
@keep_days_option
@database_option
@options.exercises_option
def command(
    site: Path | None,
    oidc_issuer: str | None,
    oidc_client_id: str | None,
    oidc_claim: str,
    database: str,
    exercises: tuple[Path, ...],
    **settings: Any,
) -> None:
    """Accept submissions over HTTP, grade them with the hidden tests, and store everything.

    Nothing else has to be started: the database is a file, the grading a pool of processes. Each
    option may also be set as ETUDE_..., such as ETUDE_PORT, or in etude.toml.

    \b
    Examples:
      etude serve
      etude serve --site build/site --database sqlite:////srv/etude/etude.db
    """
    home = site / "index.html" if site else None
    if home and home.is_file() and b" data-practice" in home.read_bytes().partition(_HEAD_START)[0]:
        raise UsageError(
            f"the pages in {site} are for practice: they have the hidden tests. Build them with "
            "`etude site build --certified`"
        )
    oidc = None
    # Removed before any other process starts.
    secret = os.environ.pop("ETUDE_OIDC_CLIENT_SECRET", "")
    if oidc_issuer:
        if not oidc_client_id or not secret:
            raise UsageError("--oidc-issuer needs --oidc-client-id and ETUDE_OIDC_CLIENT_SECRET")
        oidc = Provider(oidc_issuer, oidc_client_id, secret, oidc_claim)
    run_server(
        Settings(
            database_url=database,
            exercises=options.collection_folders(exercises),
            site=site,
            solution=_render_solution if site else None,
            oidc=oidc,
            **settings,
        )
    )


def _render_solution(exercise: Exercise) -> dict[str, Any]:
    """Return an exercise's solution as its page shows it."""
    from sitegen.exercise_data import make_solution_data
    from sitegen.from_collection.builder import make_solution
    from sitegen.page_images import InlineImages

    path = exercise.where.path
    return make_solution_data(make_solution(exercise), path, InlineImages(path))
