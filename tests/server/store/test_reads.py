"""Every read of the store may fail in the middle of its rows, and the store still writes."""

import datetime as dt
import inspect
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from etude_server import gradebook_data
from etude_server.actions import grades as grade_actions
from etude_server.actions import people as people_actions
from etude_server.actions import submissions as submission_actions
from etude_server.store import (
    events,
    grades,
    people,
    personal_data,
    platforms,
    regrades,
    schedules,
    submissions,
    unsent_scores,
    verdicts,
    windows,
)
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from etude_server.store.platforms import PlatformRegistration
from etude_server.store.regrades import RegradeTerms, VerdictSummary
from etude_server.store.unsent_scores import LineItem
from grader.course.roster_file import read_roster
from grader.course.schedule import Window
from grader.definitions.exercise import Exercise
from tests.server.store.test_store import _publish, _submit

READS: Final[tuple[Callable[..., Any], ...]] = (
    events.list_events,
    gradebook_data.make_csv,
    gradebook_data.make_batch,
    gradebook_data.make_overview,
    gradebook_data.compute_statistics,
    gradebook_data.make_table,
    gradebook_data.make_matrix_csv,
    gradebook_data.make_moodle_csv,
    grades.list_person_grades,
    grades.list_student_grades,
    grades.find_grade,
    grades.sum_grades,
    people.find_person_by_name,
    people.require_person_by_name,
    people.find_person_by_id,
    people.get_person,
    people.list_tokens,
    people.find_person_by_token,
    people.find_person_by_session,
    people.find_invitee,
    people.list_people,
    people.find_person_by_login,
    personal_data.export_person,
    personal_data.find_inactive_students,
    platforms.list_platforms,
    platforms.get_platform,
    platforms.find_platform,
    regrades.count_published_versions,
    regrades.list_sources,
    regrades.compute_mean_seconds,
    regrades.find_changes,
    regrades.find_regrade,
    regrades.list_regrades,
    regrades.list_running_regrades,
    regrades.is_regrade_running,
    regrades.list_open_sources,
    schedules.list_extensions,
    schedules.list_recent_submission_times,
    submissions.find_submission,
    submissions.read_source,
    submissions.list_waiting,
    submissions.find_waiting,
    submissions.count_waiting_and_parked,
    submissions.count_waiting_before,
    submissions.find_queue_position,
    submissions.find_oldest_waiting_time,
    submissions.list_submissions,
    submissions.find_stuck_students,
    submissions.list_comments,
    submissions.list_commented_submissions,
    unsent_scores.is_score_due,
    unsent_scores.list_unsent_grades,
    verdicts.find_verdict,
    verdicts.find_published_verdict,
    verdicts.count_mistakes,
    windows.find_windows,
    windows.find_window,
)


class FailedError(Exception):
    """A row could not be read."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A store in a file: PostgreSQL sends all rows at once."""
    with Database(f"sqlite:///{tmp_path}/etude.db") as made:
        upgrade_store(made)
        yield made


def _fill_store(database: Database, exercise: Exercise) -> dict[str, Any]:
    """Store one thing of each kind; return possible arguments of reads, by parameter name."""
    issuer, name = "https://lms.example", str(exercise.id)
    registration = PlatformRegistration(issuer, "tool", issuer, issuer, issuer, issuer)
    due = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    with database.write() as connection:
        table = "id,name,login,section\nada,Ada,ada@x.y,A\nbob,Bob,,A\neve,,,"
        people_actions.import_people(connection, read_roster(table, "r"), actor="test")
        ada, bob = (people.require_person_by_name(connection, each) for each in ("ada", "bob"))
        secret = people.make_token(connection, ada, "", actor="test")
        cookie = people.open_session(connection, ada)
        platform = platforms.register_platform(connection, registration, ["1"], actor="test")
        line = LineItem(ada.id, name, platform.id, "5", f"{issuer}/line")
        unsent_scores.store_line_item(connection, line)
        schedules.store_schedule(
            connection, {name: Window(due=due.timestamp(), daily_factor=0.5)}, actor="test"
        )
        for whom in (ada, bob):
            grade_actions.extend_due_date(connection, whom, name, due, actor="test")
            grade_actions.override_points(connection, whom, exercise, 1, "why", actor="test")
    taken = [
        _submit(database, whom, f"{number} {whom.name}", exercise=name)
        for number in range(4)
        for whom in (ada, bob)
    ]
    for each in taken[:6]:
        _publish(database, each, 1)
    with database.write() as connection:
        submission_actions.add_comment(connection, taken[6], "so", None, actor="test")
        invite = people_actions.make_invite(connection, ada, 1, actor="test")
        terms = RegradeTerms(name, "e1", "e2", by="test", reason="why", allow_lower=False)
        begun = regrades.store_regrade(connection, terms, [taken[0].source_hash])
    with database.read() as connection:
        kept = verdicts.find_published_verdict(connection, taken[0].id)
    assert kept is not None
    return {
        "person_id": ada.id, "owner": ada, "name": "ada", "login": "ada@x.y", "years": -1.0,
        "secret": secret, "people.key": invite, "cookie": cookie, "issuer": issuer,
        "platform_id": platform.id, "exercise": name, "source_hash": taken[0].source_hash,
        "exercise_hash": "e1", "from_hash": "e1", "to_hash": "e2", "regrade_id": begun.id,
        "regrade": begun, "after": VerdictSummary("passed", 1, 1), "min_failures": 1, "limit": 5, "max_stuck": 5, "subject": taken[0].id,
        "stored_submission": taken[0], "key": kept.key, "submission_id": taken[0].id,
        "submissions.submission_id": taken[6].id, "submission_ids": [taken[6].id],
    }  # fmt: skip


def test_no_read_that_fails_keeps_the_store_from_writing(
    database: Database, double: Exercise
) -> None:
    """Its snapshot is older than what another program wrote meanwhile, and it is given up."""
    given = _fill_store(database, double)
    failing = []
    with Database(str(database.url)) as other:
        for function in READS:
            name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
            module = name.partition(".")[0]
            wanted = [
                given.get(f"{module}.{each.name}", given.get(each.name))
                for each in list(inspect.signature(function).parameters.values())[1:]
                if each.default is each.empty
            ]
            with pytest.raises(FailedError) as kept:
                _read(database, function, wanted)
            for writing in (other, database):
                try:
                    with writing.write() as connection:
                        people.make_token(connection, given["owner"], name, actor="test")
                except Exception as error:  # noqa: BLE001  told below
                    failing.append(f"{name}: {error}")
            assert kept.value  # until here it held the frame of the unread rows
    assert not failing, failing


def _read(database: Database, function: Callable[..., Any], wanted: list[object]) -> None:
    """Read, and fail at the first row."""
    with database.read() as connection:
        driver: Any = connection.connection.dbapi_connection
        driver.row_factory = _fail
        list(function(connection, *wanted) or ())


def _fail(_cursor: sqlite3.Cursor, row: object) -> object:
    raise FailedError(f"{row} cannot be read")
