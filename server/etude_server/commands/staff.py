"""`etude staff`: people, their tokens, and the service's database."""

from datetime import UTC, datetime
from pathlib import Path

import click

from etude_server.commands import staff_lti, staff_people
from etude_server.commands.server_options import database_option, find_user_name, open_store
from etude_server.store import people, verdicts
from etude_server.store.backup import back_up_store
from etude_server.store.database import Database
from etude_server.store.ids import DAY_MICROSECONDS, now
from grader.course.roster_file import ROLES
from grader.errors import UsageError


@click.group("staff")
def command() -> None:
    """Manage what `etude serve` uses: people and tokens, platforms, the database."""


command.add_command(staff_lti.command)
for person_command in staff_people.COMMANDS:
    command.add_command(person_command)


@command.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="student",
    show_default=True,
    help="What they may do.",
)
@database_option
def add(name: str, role: str, database: str) -> None:
    """Add a person, or make sure that they are there.

    \b
    Example:
      etude staff add ada@example.org --role instructor
    """
    with open_store(database, create=True) as store, store.write() as connection:
        person = people.add_person(
            connection, name, people.parse_role(role), actor=find_user_name()
        )
    click.echo(f"{person.name} is {person.role}")


@command.command("token")
@click.argument("name")
@click.option("--label", default="", help="What it is for, to know it again.")
@click.option("--days", type=click.IntRange(1, 3650), help="How long it is valid; else for good.")
@database_option
def token(name: str, label: str, days: int | None, database: str) -> None:
    """Create a token with which a person signs in. It is printed only once.

    \b
    Example:
      etude staff token ada@example.org --label laptop --days 90
    """
    expires_at = now() + days * DAY_MICROSECONDS if days else None
    with open_store(database) as store, store.write() as connection:
        owner = people.require_person_by_name(connection, name)
        secret = people.make_token(
            connection, owner, label, actor=find_user_name(), expires_at=expires_at
        )
    click.echo(secret)


@command.command("tokens")
@click.argument("name")
@database_option
def tokens(name: str, database: str) -> None:
    """List a person's tokens, without their secrets."""
    with open_store(database) as store, store.read() as connection:
        for token in people.list_tokens(connection, name):
            until = "revoked" if token.revoked_at is not None else "for good"
            if token.expires_at is not None and token.revoked_at is None:
                until = f"{datetime.fromtimestamp(token.expires_at / 1e6, UTC):%Y-%m-%d}"
            click.echo(f"{token.id}  {until:10}  {token.label}")


@command.command("revoke")
@click.argument("token_id", metavar="ID")
@database_option
def revoke(token_id: str, database: str) -> None:
    """Revoke a token at once; `etude staff tokens` lists the IDs."""
    with open_store(database) as store, store.write() as connection:
        if not people.revoke_token(connection, token_id, actor=find_user_name()):
            raise UsageError(f"there is no valid token {token_id}")
    click.echo("revoked")


@command.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@database_option
def backup(file: Path, force: bool, database: str) -> None:
    """Copy the database to FILE while the server runs, and check the copy.

    FILE is readable by its owner alone: it holds the code of all submissions and the key of
    LTI. On PostgreSQL this says which command to run instead.

    \b
    Example:
      etude staff backup backup.db
    """
    with Database(database, create=False) as store:
        backup = back_up_store(store, file, force=force)
    click.echo(
        f"{file}: {backup.size:,} bytes, {backup.submissions:,} submissions, schema {backup.schema}"
    )


@command.command("rebuild")
@database_option
def rebuild(database: str) -> None:
    """Compute grades and published verdicts again from the event log."""
    with open_store(database) as store, store.write() as connection:
        count = verdicts.rebuild_projections(connection)
    click.echo(f"{count} published verdicts")
