"""Everything that is stored of a person: handed over whole, and erased so that nothing names them."""

import datetime as dt
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import Connection, select
from sqlalchemy.exc import DBAPIError

from etude_server import gradebook_data
from etude_server.actions import grades as grade_actions
from etude_server.actions import people as people_actions
from etude_server.actions import submissions as submission_actions
from etude_server.commands import staff
from etude_server.store import migrate, people, personal_data, submissions, unsent_scores, verdicts
from etude_server.store.database import Database
from etude_server.store.ids import now
from etude_server.store.people import Person
from etude_server.store.submissions import StoredSubmission
from etude_server.store.tables import event, metadata, person, submission, verdict
from etude_server.store.unsent_scores import LineItem
from grader.course.roster_file import read_roster
from grader.definitions.exercise import Exercise
from grader.errors import UsageError
from grader.grading.results.verdict import Diagnosis, LineShape
from tests.server.postgres import PostgresServer
from tests.server.store.test_store import _RUN, _grades, _publish, _submit, _verdict

NAME = "Ada Lovelace"
CODE = f"# by {NAME}\n"


@pytest.fixture
def ada(database: Database) -> Person:
    table = f"id,name,email,role\nada,{NAME},{NAME}@example.org,\nprof,,,instructor"
    with database.write() as connection:
        people_actions.import_people(connection, read_roster(table, "r"), actor="test")
        made = people.require_person_by_name(connection, "ada")
        people.make_token(connection, made, NAME, actor=made.id)
    mine = _submit(database, made, CODE)
    quoting = replace(
        _verdict(mine.source_hash, 4),
        message=NAME,
        diagnosis=Diagnosis("repair", "part", f"Without `# {NAME}` the tests pass.", None, ()),
        shapes=(LineShape(1, NAME, "int", ()),),
    )
    with database.write() as connection:
        verdicts.store_verdict(connection, quoting, _RUN)
    _publish(database, mine, 4)
    _publish(database, _submit(database, made, "x = 1"), 2)
    with database.write() as connection:
        other = people.require_person_by_name(connection, "prof")
    _publish(database, _submit(database, other, "x = 1"), 2)
    return made


def _everything(database: Database) -> str:
    with database.read() as connection:
        rows = {
            table.name: [tuple(row) for row in connection.execute(select(table))]
            for table in metadata.sorted_tables
        }
    return json.dumps(rows)


def test_an_export_has_everything_but_secrets(database: Database, ada: Person) -> None:
    """Name, code, verdicts, grades and events; of others only code that is the same."""
    with database.read() as connection:
        found = personal_data.export_person(connection, ada)
    assert found["person"][0]["display_name"] == NAME
    assert {each["text"] for each in found["source"]} == {CODE, "x = 1"}
    assert found["grade"][0]["score"] == 4
    assert {each["body"]["score"] for each in found["verdict"]} == {4, 2}
    assert len(found["submission"]) == 2
    assert {each["data"]["outcome"] for each in found["event"] if "outcome" in each["data"]} == {
        "passed",
        "failed",
    }
    assert "hash" not in found["token"][0]
    json.dumps(found)


def _exported(database: Database) -> list[str]:
    """Return the students in files for other systems."""
    with database.read() as connection:
        listed = [each.student or "" for each in gradebook_data.make_batch(connection)]
        rows = gradebook_data.make_table(connection).rows
    assert [who.name for who, grades in rows if grades] == listed
    return listed


def test_who_is_erased_is_named_nowhere(database: Database, ada: Person) -> None:
    """Points and the log stay; code that someone else also submitted is theirs."""
    grades = _grades(database)
    assert NAME in _everything(database)
    assert _exported(database) == ["ada"]
    with database.write() as connection:
        before = len(connection.execute(select(event)).all())
        people_actions.erase_person(connection, ada, actor="test")
    assert NAME not in _everything(database)
    assert "x = 1" in _everything(database)
    assert _grades(database) == grades
    assert _exported(database) == []  # no other system has a row for them
    with database.read() as connection:
        assert len(connection.execute(select(event)).all()) == before + 1
        assert people.find_person_by_name(connection, "ada") is None
        assert len(connection.execute(select(submission)).all()) == 3
    for table in (event, verdict):  # what was let through once is refused again
        with pytest.raises(DBAPIError, match="not changed"), database.write() as connection:
            connection.execute(table.delete())


def test_a_key_of_a_client_keeps_nobody_from_being_erased(database: Database, ada: Person) -> None:
    """It may be the id of another submission."""
    first = _submit(database, ada, "x = 2")
    second = _submit(database, ada, "x = 3", key=first.id)
    for each in (first, second):
        _publish(database, each, 1)
    with database.write() as connection:
        people_actions.erase_person(connection, ada, actor="test")
    assert first.id not in _keys(database)


def _keys(database: Database) -> set[str]:
    with database.read() as connection:
        return set(connection.execute(select(submission.c.idempotency_key)).scalars())


def test_code_that_was_erased_may_be_somebody_else_s(database: Database, ada: Person) -> None:
    """A program that comes again is graded as it is, and is the second person's."""
    with database.write() as connection:
        people_actions.erase_person(connection, ada, actor="test")
        bob = people.add_person(connection, "bob", "student", actor="test")
    again = _submit(database, bob, CODE)
    with database.read() as connection:
        assert submissions.read_source(connection, again.source_hash) == CODE
    _publish(database, again, 1)
    with database.read() as connection:
        found = verdicts.find_published_verdict(connection, again.id)
    assert found is not None
    assert verdicts.IS_ERASED not in found.body


def test_a_person_is_erased_beside_a_regrade(postgres: PostgresServer) -> None:
    """Neither waits for the other forever: both lock the source before the person."""
    with Database(postgres.make("erased")) as database:
        migrate.upgrade_store(database)
        with database.write() as connection:
            bob = people.add_person(connection, "bob", "student", actor="test")
        mine = _submit(database, bob, "x = 4")
        _publish(database, mine, 1)
        with ThreadPoolExecutor(1) as other:

            def erase() -> None:
                with database.write() as connection:
                    people_actions.erase_person(connection, bob, actor="test")

            with database.write() as connection:
                kept = verdicts.store_verdict(
                    connection, _verdict(mine.source_hash, 4, exercise_hash="e2"), _RUN
                )
                done = other.submit(erase)
                with pytest.raises(TimeoutError):
                    done.result(0.5)
                verdicts.publish_verdict(connection, mine, kept)
            done.result(60)
    postgres.drop("erased")


_Act = Callable[[Connection, Person, StoredSubmission, Exercise], object]
_ACTS: dict[str, _Act] = {
    "submit": lambda c, whom, _s, e: submissions.accept_submission(
        c, whom, str(e.id), CODE, key="late"
    ),
    "sign in": lambda c, whom, _s, _e: people.open_session(c, whom),
    "link": lambda c, whom, _s, e: unsent_scores.store_line_item(
        c, LineItem(whom.id, str(e.id), "p", "5", "https://lms.example/line")
    ),
    "points": lambda c, whom, _s, e: grade_actions.override_points(
        c, whom, e, 1, NAME, actor="test"
    ),
    "due date": lambda c, whom, _s, e: grade_actions.extend_due_date(
        c, whom, str(e.id), dt.datetime(2026, 1, 1, tzinfo=dt.UTC), actor="test"
    ),
    "comment": lambda c, _w, mine, _e: submission_actions.add_comment(
        c, mine, NAME, None, actor="test"
    ),
    "invite": lambda c, whom, _s, _e: people_actions.make_invite(c, whom, 1, actor="test"),
    "enable": lambda c, whom, _s, _e: people_actions.change_person(
        c, whom, disabled=False, actor="test"
    ),
    "import": lambda c, whom, _s, _e: people_actions.import_people(
        c, read_roster(f"id,name\nerased-{whom.id},{NAME}", "r"), actor="test"
    ),
    "add": lambda c, _w, _s, _e: people.add_person(c, "erased-you", "student", actor="test"),
    "erase": lambda c, whom, _s, _e: people_actions.erase_person(c, whom, actor="test"),
}


@pytest.mark.parametrize("act", _ACTS.values(), ids=_ACTS)
def test_nothing_of_an_erased_person_comes_back(
    database: Database, ada: Person, double: Exercise, act: _Act
) -> None:
    """Not even by a request that had read of them before they were erased."""
    mine = _submit(database, ada, "x = 2")
    _publish(database, mine, 1)
    with database.write() as connection:
        people_actions.erase_person(connection, ada, actor="test")
    before = _everything(database)
    with pytest.raises(UsageError, match="was erased"), database.write() as connection:
        act(connection, ada, mine, double)
    assert _everything(database) == before


def test_the_last_instructor_and_pending_work_stay(database: Database, ada: Person) -> None:
    """Each is a sentence, and nothing is erased."""
    _submit(database, ada, "x = 2")
    with database.read() as connection:
        prof = people.require_person_by_name(connection, "prof")
    for whom, told in ((prof, "would leave no instructor"), (ada, "is not graded yet")):
        with pytest.raises(UsageError, match=told), database.write() as connection:
            people_actions.erase_person(connection, whom, actor="test")
    with database.read() as connection:
        assert people.require_person_by_name(connection, "ada").display_name == NAME


def test_the_commands_for_a_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export is private; only --yes erases, by name or those who were long not here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ETUDE_DATABASE", raising=False)

    def run(words: str) -> str:
        done = CliRunner().invoke(staff.command, words.split())
        return done.stdout or str(done.exception)

    (tmp_path / "r.csv").write_text("id,role\nold,\nnew,\nprof,instructor\n")
    assert run("import r.csv") == "3 added, 0 changed, 0 as they were\n"
    assert run("role new assistant") == "new is assistant\n"
    assert "new  assistant" in run("list --role assistant")
    assert run("role new student") == "new is student\n"
    assert run("export old --output old.json") == "old.json: 0 submissions\n"
    assert (tmp_path / "old.json").stat().st_mode & 0o777 == 0o600
    with Database("sqlite:///etude.db") as opened, opened.write() as connection:
        long_ago = now() - 3 * 366 * 24 * 3600 * 1_000_000
        connection.execute(
            person.update().where(person.c.name == "old").values(created_at=long_ago)
        )
    assert run("erase --keep-years 2") == "old would be erased: say --yes\n"
    assert run("erase --keep-years 2 --yes") == "old is erased\n"
    assert "is erased" not in run("erase --keep-years 2 --yes")
    assert run("erase prof --yes") == "this would leave no instructor: make someone else one first"
