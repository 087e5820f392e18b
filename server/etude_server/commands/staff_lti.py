"""`etude staff platform`: learning platforms that may launch exercises, and their grades."""

from urllib.parse import urlsplit

import click

from etude_server.actions import grades as grade_actions
from etude_server.commands.server_options import database_option, find_user_name, open_store
from etude_server.lti import keys
from etude_server.lti.members import fetch_members
from etude_server.store import platforms, unsent_scores


@click.group("platform", short_help="Manage Moodle, Canvas and the like (LTI 1.3).")
def command() -> None:
    """Manage the learning platforms that launch exercises by LTI 1.3 and receive the grades."""


@command.command("add")
@click.option("--issuer", required=True, help="As the platform names itself.")
@click.option("--client-id", required=True, help="What the platform calls this tool.")
@click.option("--auth-url", required=True, help="Its address for authentication requests.")
@click.option("--token-url", required=True, help="Its address for access tokens.")
@click.option("--jwks-url", required=True, help="The address of its public keys.")
@click.option(
    "--deployment", "deployments", multiple=True, required=True, help="A deployment's id; repeat."
)
@click.option(
    "--grades-url",
    show_default="that of the token URL",
    help="An address on the host of its line items, if that is another one.",
)
@click.option(
    "--course", default="", help="The id of its course here, if not the first one that launches."
)
@database_option
def add(
    issuer: str,
    client_id: str,
    auth_url: str,
    token_url: str,
    jwks_url: str,
    deployments: tuple[str, ...],
    grades_url: str | None,
    course: str,
    database: str,
) -> None:
    """Register a platform; again with other addresses or deployments changes it.

    Anyone who teaches a course there is an instructor here.

    \b
    Example:
      etude staff platform add --issuer https://moodle.example.org --client-id 8fJ2 \\
        --auth-url https://moodle.example.org/mod/lti/auth.php \\
        --token-url https://moodle.example.org/mod/lti/token.php \\
        --jwks-url https://moodle.example.org/mod/lti/certs.php --deployment 1
    """
    registration = platforms.PlatformRegistration(
        issuer, client_id, auth_url, token_url, jwks_url, grades_url or token_url
    )
    with open_store(database, create=True) as store, store.write() as connection:
        platform = platforms.register_platform(
            connection, registration, deployments, actor=find_user_name()
        )
        if course:
            platforms.set_course(connection, platform, context=course, members_url="")
    click.echo(f"{platform.issuer} may launch exercises")
    click.echo("Tell it, under the address of this service:")
    for purpose, path in (
        ("login", "/lti/login"),
        ("redirect", "/lti/launch"),
        ("keys", "/lti/jwks.json"),
    ):
        click.echo(f"  {purpose:9} {path}")


@command.command("list")
@database_option
def list_(database: str) -> None:
    """List the platforms."""
    with open_store(database) as store, store.read() as connection:
        for platform in platforms.list_platforms(connection):
            click.echo(f"{platform.issuer}  client {platform.client_id}")
            click.echo(f"  deployments {', '.join(sorted(platform.deployments))}")
            click.echo(f"  course      {platform.context or 'the first that launches'}")
            click.echo(f"  grades to   {urlsplit(platform.grades_url).netloc}")


@command.command("members")
@database_option
def members(database: str) -> None:
    """Add the members of each platform's course, with their names and roles."""
    with open_store(database) as store:
        with store.read() as connection:
            platform_list = platforms.list_platforms(connection)
        for platform in platform_list:
            click.echo(f"{platform.issuer}: {fetch_members(store, platform)} members")


@command.command("rotate-key")
@database_option
def rotate_key(database: str) -> None:
    """Make a new key by which platforms know this service.

    It is shown beside the old one at once, and signs two hours later, when every platform has had
    the time to fetch it. After that, `retire-key` takes the old one away.
    """
    with open_store(database) as store:
        key = keys.rotate_key(store, actor=find_user_name())
    click.echo(f"{key.kid} is shown at /lti/jwks.json, and signs in two hours")


@command.command("retire-key")
@click.option("--now", is_flag=True, help="Do not wait until the new key is known everywhere.")
@database_option
def retire_key(now: bool, database: str) -> None:
    """Delete the old key, once the new one of `rotate-key` signs.

    If someone else may have the old key, run `rotate-key` and then this with --now.
    """
    with open_store(database) as store:
        remaining_key = keys.retire_key(store, actor=find_user_name(), at_once=now)
    click.echo(f"{remaining_key.kid} is the only key now")


@command.command("unsent")
@click.option("--retry", is_flag=True, help="Try all of them again now.")
@database_option
def unsent(retry: bool, database: str) -> None:
    """List grades that platforms have not taken yet, those first that wait for staff."""
    with open_store(database) as store, store.write() as connection:
        if retry:
            count = grade_actions.retry_unsent_scores(connection, actor=find_user_name())
            click.echo(f"{count} will be tried again")
            return
        for grade in unsent_scores.list_unsent_grades(connection):
            state = "parked" if grade.parked else f"tries {grade.tries}"
            click.echo(f"{state:9} {grade.person}  {grade.exercise}  {grade.last_error}".rstrip())
