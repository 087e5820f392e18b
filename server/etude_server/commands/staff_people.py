"""The commands of `etude staff` for people: roster, roles, invites."""

import json
import os
from pathlib import Path

import click

from etude_server.actions import grades
from etude_server.actions import people as people_actions
from etude_server.commands.server_options import (
    database_option,
    find_user_name,
    open_course,
    open_store,
)
from etude_server.store import people, personal_data
from grader.cli import options
from grader.course.csv_rows import read_text
from grader.course.roster_file import ROLES, read_roster
from grader.course.schedule import parse_zoned_time
from grader.errors import UsageError
from grader.sandbox.printable import printable


@click.command("import")
@click.argument("roster", type=click.Path(path_type=Path))
@database_option
def import_(roster: Path, database: str) -> None:
    """Add the people of ROSTER, and change those who are there already.

    ROSTER is a CSV with the columns id, name, email (or login), role and section; only id is
    needed. A role that is empty is student. A column that is missing changes nothing, and who is
    not on the list stays. If anything is wrong, nothing is done.

    \b
    Example:
      etude staff import roster.csv
    """
    rows = read_roster(read_text(roster), str(roster))
    with open_store(database, create=True) as store, store.write() as connection:
        counts = people_actions.import_people(connection, rows, actor=find_user_name())
    click.echo(f"{counts.added} added, {counts.changed} changed, {counts.unchanged} as they were")


@click.command("list")
@click.option("--role", type=click.Choice(ROLES), help="Only these.")
@click.option("--section", help="Only of this section.")
@database_option
def list_(role: str | None, section: str | None, database: str) -> None:
    """List the people: id, role, name, e-mail or login, section."""
    with open_store(database) as store, store.read() as connection:
        chosen_role = None if role is None else people.parse_role(role)
        for person in people.list_people(connection, role=chosen_role, section=section):
            cells = [person.name, person.role, person.display_name, person.login, person.section]
            if person.disabled_at is not None:
                cells.append("disabled")
            click.echo(printable("  ".join(cell or "-" for cell in cells)))


@click.command("role")
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@database_option
def role_(name: str, role: str, database: str) -> None:
    """Give a person another ROLE; it holds at once."""
    with open_store(database) as store, store.write() as connection:
        person = people.require_person_by_name(connection, name)
        people_actions.change_person(
            connection, person, role=people.parse_role(role), actor=find_user_name()
        )
    click.echo(f"{name} is {role}")


@click.command("disable")
@click.argument("name")
@click.option("--undo", is_flag=True, help="Let them in again.")
@database_option
def disable(name: str, undo: bool, database: str) -> None:
    """Sign a person out everywhere; they can neither sign in nor submit. Their work stays."""
    with open_store(database) as store, store.write() as connection:
        people_actions.change_person(
            connection,
            people.require_person_by_name(connection, name),
            disabled=not undo,
            actor=find_user_name(),
        )
    click.echo(f"{name} {'may come in again' if undo else 'is disabled'}")


@click.command("invite")
@click.argument("name")
@click.option("--days", type=click.IntRange(1, 365), default=14, show_default=True)
@click.option(
    "--public-url",
    default="http://127.0.0.1:8000",
    show_default=True,
    envvar="ETUDE_PUBLIC_URL",
    show_envvar=True,
    help="How browsers reach the server.",
)
@database_option
def invite(name: str, days: int, public_url: str, database: str) -> None:
    """Print a link by which a person signs in, once; it shows them a token for the next time.

    \b
    Example:
      etude staff invite s1234 --public-url https://etude.example.org
    """
    with open_store(database) as store, store.write() as connection:
        person = people.require_person_by_name(connection, name)
        secret = people_actions.make_invite(connection, person, days, actor=find_user_name())
    click.echo(f"{public_url.rstrip('/')}/invite?key={secret}")


@click.command("export")
@click.argument("name")
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Where to write it, readable by its owner alone; else it is printed.",
)  # fmt: skip
@database_option
def export(name: str, output: Path | None, database: str) -> None:
    """Print everything that is stored of a person, as JSON: for anyone who asks what you have.

    \b
    Example:
      etude staff export s1234 --output s1234.json
    """
    with open_store(database) as store, store.read(snapshot=True) as connection:
        person = people.require_person_by_name(connection, name)
        record = personal_data.export_person(connection, person)
    text = json.dumps(record, indent=2, ensure_ascii=False)
    if output is None:
        click.echo(text)
        return
    try:
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}") from None
    click.echo(f"{output}: {len(record['submission'])} submissions")


@click.command("erase")
@click.argument("name", required=False)
@click.option(
    "--keep-years", type=click.FloatRange(min=0, min_open=True), metavar="N",
    help="Instead of NAME: all students who were not here for so many years.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Do it; without this, only say what would be done.")
@database_option
def erase(name: str | None, keep_years: float | None, yes: bool, database: str) -> None:
    """Erase a person: name, code and comments. Points and the log stay, without a name.

    It cannot be undone, and backups that were made before still have it all. The last instructor
    is not erased.

    \b
    Examples:
      etude staff erase s1234 --yes
      etude staff erase --keep-years 2 --yes
    """
    if (name is None) == (keep_years is None):
        raise click.UsageError("Give NAME or --keep-years.")
    with open_store(database) as store, store.write() as connection:
        if name is not None:
            owners = [people.require_person_by_name(connection, name)]
        else:
            owners = list(personal_data.find_inactive_students(connection, keep_years or 0))
        for owner in owners:
            if yes:
                people_actions.erase_person(connection, owner, actor=find_user_name())
            sentence = "is erased" if yes else "would be erased: say --yes"
            click.echo(printable(f"{owner.name} {sentence}"))


@click.command("schedule")
@options.exercises_option
@database_option
def schedule(exercises: tuple[Path, ...], database: str) -> None:
    """Read `schedule.yaml` of the collection again, without a restart of the server.

    The server reads it when it starts. It says when tracks and exercises open and are due.
    """
    folders = options.collection_folders(exercises)
    with open_course(database, folders) as course:
        is_changed = course.catalog.store_schedule(course.database, *folders)
    click.echo("the schedule is changed" if is_changed else "the schedule is as it was")


@click.command("extend")
@click.argument("name")
@click.argument("exercise_ids", nargs=-1, required=True, metavar="EXERCISE...")
@click.option("--due", required=True, metavar="TIME", help="With its zone: 2026-12-01T18:00+01:00.")
@options.exercises_option
@database_option
def extend(
    name: str, exercise_ids: tuple[str, ...], due: str, exercises: tuple[Path, ...], database: str
) -> None:
    """Give a person a due date of their own for each EXERCISE.

    \b
    Example:
      etude staff extend s1234 attention-weights --due 2026-12-08T18:00+01:00
    """
    due_date = parse_zoned_time(due)
    with open_course(database, options.collection_folders(exercises)) as course:
        known_ids = [course.catalog.require(exercise_id).id for exercise_id in exercise_ids]
        with course.database.write() as connection:
            target_person = people.require_person_by_name(connection, name)
            for exercise_id in known_ids:
                grades.extend_due_date(
                    connection, target_person, exercise_id, due_date, actor=find_user_name()
                )
    click.echo(f"{name} may submit {', '.join(known_ids)} until {due_date.isoformat()}")


@click.command("override")
@click.argument("name")
@click.argument("exercise")
@click.option("--points", type=float, help="What counts instead of the verdict's points.")
@click.option("--excused", is_flag=True, help="The exercise does not count for them.")
@click.option("--reason", required=True, help="Why; the student reads it.")
@options.exercises_option
@database_option
def override(
    name: str,
    exercise: str,
    points: float | None,
    excused: bool,
    reason: str,
    exercises: tuple[Path, ...],
    database: str,
) -> None:
    """Give a person points or an excuse; with neither, the verdict counts again.

    \b
    Example:
      etude staff override s1234 attention-weights --excused --reason "ill"
    """
    with open_course(database, options.collection_folders(exercises)) as course:
        definition, actor = course.catalog.require(exercise), find_user_name()
        with course.database.write() as connection:
            target_person = people.require_person_by_name(connection, name)
            grades.override_points(
                connection, target_person, definition, points, reason, excused=excused, actor=actor
            )
    sentence = "is excused from" if excused else "has the verdict's points in"
    if points is not None:
        sentence = f"has {points:g} points in"
    click.echo(f"{name} {sentence} {exercise}")


COMMANDS = (*(import_, list_, role_, disable, invite, export, erase, schedule, extend, override),)
