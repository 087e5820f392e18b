"""The store on both dialects: what it takes in once, keeps as written, and can make again."""

import datetime as dt
import random
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
import sqlalchemy
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Table, delete, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from etude_server import gradebook_data
from etude_server.actions import grades as grade_actions
from etude_server.actions import people as people_actions
from etude_server.actions import submissions as submission_actions
from etude_server.api import submission_windows
from etude_server.api.problem_details import ProblemError
from etude_server.store import (
    events,
    grades,
    ids,
    people,
    platforms,
    schedules,
    submissions,
    verdicts,
    windows,
)
from etude_server.store.database import Database, describe_cause
from etude_server.store.migrate import is_current, upgrade_store
from etude_server.store.people import Person
from etude_server.store.platforms import PlatformRegistration
from etude_server.store.submissions import MAX_QUEUE_POSITION, StoredSubmission
from etude_server.store.tables import (
    event,
    grade,
    grading_run,
    lti_person,
    metadata,
    override,
    person,
    publication,
    session,
    submission,
    verdict,
    waiting,
)
from grader.course.roster_file import read_roster
from grader.course.schedule import Window
from grader.course.statistics import Row, summarize_exercises
from grader.errors import UsageError
from grader.grading.results.verdict import Verdict
from grader.reports.canvas_csv import sum_scores
from tests.server.conftest import make_verdict
from tests.server.postgres import PostgresServer

_RUN = verdicts.GradingRun("here", 1, 2)


@pytest.fixture
def ada(database: Database) -> Person:
    with database.write() as connection:
        return people.add_person(connection, "ada", "student", actor="test")


def _submit(
    database: Database, owner: Person, text: str, *, key: str = "", exercise: str = "softmax"
) -> StoredSubmission:
    with database.write() as connection:
        return submissions.accept_submission(
            connection, owner, exercise, text, key=key or text
        ).submission


def _verdict(source_hash: str, score: int, *, exercise_hash: str = "e1") -> Verdict:
    return make_verdict(
        source_hash,
        score,
        4,
        exercise="softmax",
        exercise_hash=exercise_hash,
        test=f"t-{exercise_hash}",
        is_test_passed=score == 4,
        xp=10,
    )


def _publish(
    database: Database, submitted: StoredSubmission, score: int, *, exercise_hash: str = "e1"
) -> None:
    made = _verdict(submitted.source_hash, score, exercise_hash=exercise_hash)
    with database.write() as connection:
        kept = verdicts.store_verdict(connection, made, _RUN)
        if not verdicts.publish_if_waiting(connection, submitted, kept):
            verdicts.publish_verdict(connection, submitted, kept)


def _grades(database: Database) -> list[tuple[str, int, bool, int]]:
    with database.read() as connection:
        rows = connection.execute(
            select(grade.c.submission_id, grade.c.score, grade.c.passed, grade.c.xp)
        )
        return [tuple(row) for row in rows]


def test_migrations_make_exactly_the_tables(database: Database) -> None:
    """What the migrations build is what the statements are written against."""
    with database.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert is_current(connection)


def test_an_upgraded_database_is_left_alone(database: Database) -> None:
    """A second upgrade finds nothing to do."""
    assert not upgrade_store(database)


def test_a_newer_database_is_used_while_it_only_adds(database: Database) -> None:
    """An old program goes on beside a newer one until a step of the next generation."""
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0999'"))
    assert not upgrade_store(database)
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '1000'"))
    with pytest.raises(UsageError, match="newer version"):
        upgrade_store(database)


def test_the_cause_of_an_error_is_told_without_its_text(tmp_path: Path) -> None:
    """SQLite's name, the SQLSTATE or a refusal of PostgreSQL; no address and no value."""
    with Database(f"sqlite:///{tmp_path}/etude.db") as database:
        upgrade_store(database)
        with pytest.raises(IntegrityError) as found, database.write() as connection:
            connection.execute(text("INSERT INTO source VALUES ('secret', NULL)"))
    assert describe_cause(found.value) == "IntegrityError (SQLITE_CONSTRAINT_NOTNULL)"
    starting = psycopg.OperationalError(
        'connection to server at "db" failed: FATAL:  the database system is starting up'
    )
    wrapped = OperationalError("", {}, starting)
    assert describe_cause(wrapped) == "OperationalError (the database system is starting up)"
    unique = OperationalError("", {}, psycopg.errors.UniqueViolation("secret"))
    assert describe_cause(unique) == "OperationalError (23505)"


def test_ids_sort_by_when_they_were_made() -> None:
    """Also those made within one microsecond, and in several threads at once."""
    made: list[list[str]] = [[] for _ in range(4)]

    def make(mine: list[str]) -> None:
        mine += [ids.make_id() for _ in range(2000)]

    threads = [threading.Thread(target=make, args=(each,)) for each in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everything = [each for mine in made for each in mine]
    assert len(set(everything)) == len(everything)
    assert all(mine == sorted(mine) for mine in made)


def test_ids_go_on_when_the_clock_jumps_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is set back an hour does not sort new submissions before old ones."""
    before = ids.make_id()
    monkeypatch.setattr(ids, "now", lambda: 1_000_000)
    assert ids.make_id() > before


def test_a_submission_waits_once_it_is_taken_in(database: Database, ada: Person) -> None:
    """It is kept with its text, its event and its place in the queue."""
    submitted = _submit(database, ada, "x = 1\n")
    with database.read() as connection:
        assert submissions.find_submission(connection, submitted.id) == submitted
        assert submissions.read_source(connection, submitted.source_hash) == "x = 1\n"
        assert submissions.list_waiting(connection, 5) == [submitted]
        kinds = connection.execute(select(event.c.kind).order_by(event.c.seq)).scalars().all()
    assert kinds == [events.PERSON_ADDED, events.SUBMITTED]


def test_fifty_posts_at_once_are_one_submission(database: Database, ada: Person) -> None:
    """A client that repeats itself in parallel is taken in once, without an error."""
    results: list[object] = []

    def post() -> None:
        try:
            results.append(_submit(database, ada, "x = 1", key="k").id)
        except Exception as error:  # noqa: BLE001  what went wrong is what the test shows
            results.append(error)

    threads = [threading.Thread(target=post) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1
    assert isinstance(results[0], str)
    with database.read() as connection:
        logged = select(func.count()).where(event.c.kind == events.SUBMITTED)
        assert connection.execute(logged).scalar() == 1


def test_waiting_ends_with_a_published_verdict(database: Database, ada: Person) -> None:
    """Publishing, the grade and the end of waiting are one step."""
    submitted = _submit(database, ada, "x")
    _publish(database, submitted, 3)
    with database.read() as connection:
        assert submissions.list_waiting(connection, 5) == []
        held = verdicts.find_published_verdict(connection, submitted.id)
    assert held is not None
    assert (held.score, held.max_score, held.passed) == (3, 4, False)
    assert held.body["tests"][0]["points"] == 3
    assert _grades(database) == [(submitted.id, 3, False, 0)]


def test_the_first_verdict_of_a_key_holds(database: Database, ada: Person) -> None:
    """Two workers that graded the same code at once leave one verdict, and two grading runs."""
    submitted = _submit(database, ada, "x")
    with database.write() as connection:
        first = verdicts.store_verdict(connection, _verdict(submitted.source_hash, 3), _RUN)
        second = verdicts.store_verdict(connection, _verdict(submitted.source_hash, 4), _RUN)
        assert second == first
        assert connection.execute(select(func.count()).select_from(grading_run)).scalar() == 2


def test_the_best_verdict_is_the_grade(database: Database, ada: Person) -> None:
    """A later, worse submission takes nothing away; of equal ones the first counts."""
    for source_text, score in (("a", 2), ("b", 4), ("c", 1), ("d", 4)):
        _publish(database, _submit(database, ada, source_text), score)
    with database.read() as connection:
        best = connection.execute(
            select(submission.c.id).where(submission.c.idempotency_key == "b")
        ).scalar_one()
    assert _grades(database) == [(best, 4, True, 10)]


@pytest.mark.parametrize("table", [event, verdict], ids=["event", "verdict"])
@pytest.mark.parametrize("change", ["update", "delete"])
def test_what_is_written_is_not_changed(
    database: Database, ada: Person, table: Table, change: str
) -> None:
    """The database itself refuses an update of an append-only table."""
    _publish(database, _submit(database, ada, "x"), 4)
    statement = delete(table) if change == "delete" else update(table).values(at=0)
    with pytest.raises(DBAPIError, match="what is written is not changed"), database.write() as c:
        c.execute(statement)


def test_a_parked_submission_waits_for_staff(database: Database, ada: Person) -> None:
    """It leaves the queue until a person releases it, and both are logged."""
    submitted = _submit(database, ada, "x")
    with database.write() as connection:
        submissions.park_submission(connection, submitted.id, "the sandbox broke")
        assert submissions.list_waiting(connection, 5) == []
        assert submission_actions.release_submission(connection, submitted.id, actor="staff")
        assert not submission_actions.release_submission(connection, submitted.id, actor="staff")
        assert submissions.list_waiting(connection, 5) == [submitted]


@pytest.mark.slow
def test_queue_positions_are_counted_up_to_a_thousand(database: Database, ada: Person) -> None:
    """Reading one's place takes no longer in a very long queue."""
    with database.write() as connection:
        ids = [
            submissions.accept_submission(
                connection, ada, "e", f"x = {n}", key=str(n)
            ).submission.id
            for n in range(MAX_QUEUE_POSITION + 3)
        ]
    asked = {ids[0]: 0, ids[999]: 999, ids[1000]: 1000, ids[1002]: 1000, "nobody's": None}
    with database.read() as connection:
        assert {each: submissions.find_queue_position(connection, each) for each in asked} == asked
        first = submissions.find_submission(connection, ids[0])
        assert first is not None
        assert submissions.find_oldest_waiting_time(connection) == first.received_at


def test_a_token_speaks_for_its_owner(database: Database, ada: Person) -> None:
    """It is kept as a hash only, and stops at once when it is revoked."""
    with database.write() as connection:
        secret = people.make_token(connection, ada, "laptop", actor="test")
        assert people.find_person_by_token(connection, secret) == ada
        assert people.find_person_by_token(connection, secret[:-1]) is None
        rows = [
            str(row) for each in metadata.sorted_tables for row in connection.execute(select(each))
        ]
        assert not any(secret in row for row in rows)
        (token_id,) = connection.execute(text("SELECT id FROM token")).scalars()
        assert people.revoke_token(connection, token_id, actor="test")
        assert not people.revoke_token(connection, token_id, actor="test")
        assert people.find_person_by_token(connection, secret) is None


def test_a_person_keeps_one_role(database: Database, ada: Person) -> None:
    """Adding a person again is harmless in the same role, and refused in another."""
    with database.write() as connection:
        assert people.add_person(connection, "ada", "student", actor="test") == ada
        with pytest.raises(UsageError, match="as student"):
            people.add_person(connection, "ada", "instructor", actor="test")


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201])
def test_a_name_is_one(database: Database, name: str) -> None:
    """A text that would break a log or a page cannot be a name."""
    with database.write() as connection, pytest.raises(UsageError):
        people.add_person(connection, name, "student", actor="test")


def test_a_transaction_is_whole_or_nothing(database: Database, ada: Person) -> None:
    """What fails half-way leaves no trace."""

    def fail_half_way() -> None:
        with database.write() as connection:
            submissions.accept_submission(connection, ada, "softmax", "x", key="k")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    with database.read() as connection:
        assert connection.execute(select(func.count()).select_from(submission)).scalar() == 0
        assert connection.execute(select(func.count()).select_from(waiting)).scalar() == 0


def test_a_second_server_on_one_file_is_refused(tmp_path: Path) -> None:
    """Two servers would grade everything twice; the sentence says what to do instead."""
    url = f"sqlite:///{tmp_path}/one.db"
    with (
        Database(url) as first,
        Database(url) as second,
        first.lock_for_server(),
        pytest.raises(UsageError, match="a second one needs PostgreSQL"),
        second.lock_for_server(),
    ):
        pass
    with Database(url) as third, third.lock_for_server():
        pass


@pytest.mark.parametrize("url", ["", "mysql://x/y", "nonsense", "postgres"])
def test_an_address_of_nothing_is_refused(url: str) -> None:
    """Without quoting it: it may hold a password."""
    with pytest.raises(UsageError, match="a database is sqlite:///FILE or postgresql://"):
        Database(url)


@pytest.mark.parametrize("seed", range(3))
def test_a_grade_that_follows_is_the_one_that_would_be_computed(
    database: Database, ada: Person, seed: int
) -> None:
    """Whatever the order in which verdicts come, of however many points, and which are replaced."""
    dice = random.Random(seed)  # noqa: S311  no secret
    handed = [_submit(database, ada, f"x = {each}") for each in range(6)]
    for submitted in [*dice.sample(handed, 6), *dice.sample(handed, 3)]:
        version = dice.choice("12345678")
        _publish(database, submitted, dice.choice([1, 2, 4]), exercise_hash=version)
        with database.write() as connection:
            followed = _projections(connection)
            verdicts.rebuild_projections(connection)
            assert _projections(connection) == followed


def _projections(connection: Connection) -> list[list[tuple[Any, ...]]]:
    return [
        sorted(tuple(row) for row in connection.execute(select(table)))
        for table in (publication, grade)
    ]


@pytest.fixture
def statements(database: Database) -> Iterator[list[str]]:
    """Every statement that is executed from now on."""
    executed: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_: object) -> None:
        executed.append(statement)

    sqlalchemy.event.listen(database.engine, "before_cursor_execute", note)
    yield executed
    sqlalchemy.event.remove(database.engine, "before_cursor_execute", note)


def test_a_verdict_costs_the_same_however_many_there_are(
    database: Database, ada: Person, statements: list[str]
) -> None:
    """The twentieth of a student takes as many statements as the first."""
    counts = []
    for each in range(20):
        submitted = _submit(database, ada, f"x = {each}")
        statements.clear()
        _publish(database, submitted, 2)
        counts.append(len(statements))
    assert max(counts) <= counts[0]


@pytest.mark.slow
def test_numbers_of_an_exercise_read_no_single_submission(
    database: Database, ada: Person, statements: list[str]
) -> None:
    """After thousands of failures as many statements and rows as after four, but for who is stuck."""
    with database.write() as connection:
        bob = people.add_person(connection, "bob", "student", actor="test")
    read, most = [], 1_000 if database.is_sqlite else 50
    for number in (2, most):
        for owner in (ada, bob):
            _fail(database, owner, number)
        statements.clear()
        with database.read() as connection:
            rows = _rows_of(connection)
            (found,) = gradebook_data.compute_statistics(connection)
            read.append((len(statements), len(rows)))
        assert found.statistics.students == 2
        assert found.statistics.failed_tests == {"t-e1": 2}
    assert [(each.student, each.failed) for each in found.stuck] == [
        ("ada", most + 2),
        ("bob", most + 2),
    ]
    few, many = read
    assert many == (few[0], few[1] + (len(found.stuck) if database.is_sqlite else 0))


def test_the_database_adds_up_as_the_files_do(database: Database) -> None:
    """The statistics of a store are those of a result file with the same results."""
    rng = np.random.default_rng(7)
    points = {"easy": 3, "hard": 10, "alike": 4, "rare": 7}
    rows = []
    with database.write() as connection:
        for number in range(40):
            owner = people.add_person(connection, f"student {number}", "student", actor="test")
            chosen = [name for name in points if name != "rare" or number < 2]
            for name in chosen:
                score = (
                    points[name]
                    if name == "alike"
                    else int(rng.integers(points[name], endpoint=True))
                )
                passed = score == points[name]
                share = score / points[name]
                rows.append(Row(owner.name, name, passed, share, (), ()))
                held = (owner.id, name, owner.id, score, points[name], passed, 0, number)
                connection.execute(insert(grade).values(held))
        staff = people.add_person(connection, "prof", "instructor", actor="test")
        connection.execute(insert(grade).values((staff.id, "hard", staff.id, 10, 10, True, 5, 99)))
    with database.read() as connection:
        found = [each.statistics for each in gradebook_data.compute_statistics(connection)]
        (alone,) = gradebook_data.compute_statistics(connection, "rare")
    expected = summarize_exercises(rows)
    assert [each.exercise for each in found] == [each.exercise for each in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours.students, ours.pass_rate) == (theirs.students, theirs.pass_rate)
        assert ours.mean_score == pytest.approx(theirs.mean_score)
        assert ours.discrimination == pytest.approx(theirs.discrimination)
    told = {each.exercise: each.discrimination for each in found}
    assert alone.statistics.students == 2
    assert told["hard"] is not None
    assert told["alike"] is None
    assert told["rare"] is None


def test_a_student_who_submitted_nothing_has_no_points(database: Database, ada: Person) -> None:
    """In what another student was graded in; not while a submission waits, nor once disabled.

    Points by hand have their place among them, in pages of any size.
    """
    with database.write() as connection:
        names = ("bob", "eve", "gone", "zoe")
        bob, _, gone, zoe = [
            people.add_person(connection, each, "student", actor="test") for each in names
        ]
        people_actions.change_person(connection, gone, disabled=True, actor="test")
        prof = people.add_person(connection, "prof", "instructor", actor="test")
    with database.read() as connection:
        assert grades.list_student_grades(connection) == []
    _publish(database, _submit(database, ada, "a"), 4)
    _publish(database, _submit(database, prof, "p", exercise="tried by staff"), 4)
    _submit(database, bob, "b")
    by_hand = {"points": 2.0, "excused": False, "reason": "on paper", "by": "prof", "at": 1}
    with database.write() as connection:
        row = {"id": "1", "person_id": zoe.id, "exercise": "softmax", **by_hand}
        connection.execute(insert(override).values(row))
    with database.read() as connection:
        whole = grades.list_student_grades(connection)
        assert [(each.person, each.exercise, each.points, each.note) for each in whole] == [
            ("ada", "softmax", 4.0, ""),
            ("eve", "softmax", 0.0, "not submitted"),
            ("zoe", "softmax", 2.0, "set by hand by prof: on paper"),
        ]
        assert grades.list_student_grades(connection, "softmax") == whole
        paged, after = [], None
        while found := grades.list_student_grades(connection, after=after, limit=1):
            paged += found
            after = (found[-1].person, found[-1].exercise)
        assert paged == whole
        assert gradebook_data.make_csv(connection).count("not submitted") == 1
        scores = sum_scores(gradebook_data.make_batch(connection))
        assert scores == {"ada": (4.0, 4), "eve": (0.0, 4), "zoe": (2.0, 4)}


def _rows_of(connection: Connection) -> list[object]:
    """Return a list that grows by each row that is read; only SQLite's driver tells."""
    rows: list[object] = []

    def note(_cursor: object, row: object) -> object:
        rows.append(row)
        return row

    driver: Any = connection.connection.dbapi_connection
    if isinstance(driver, sqlite3.Connection):
        driver.row_factory = note
    return rows


def _fail(database: Database, owner: Person, number: int) -> None:
    """Submit the same wrong program that many times."""
    keys = [f"{number} {each}" for each in range(number)]
    with database.write() as connection:
        taken = [
            submissions.accept_submission(connection, owner, "softmax", owner.name, key=key)
            for key in keys
        ]
        made = _verdict(taken[0].submission.source_hash, 1)
        kept = verdicts.store_verdict(connection, made, _RUN)
        for each in taken:
            verdicts.publish_if_waiting(connection, each.submission, kept)


def test_nobody_has_more_sessions_by_coming_in_at_once(database: Database, ada: Person) -> None:
    """The oldest end, also where several transactions count them."""
    for _ in range(20):
        with database.write() as connection:
            people.open_session(connection, ada)
    together = threading.Barrier(4)

    def come_in() -> None:
        together.wait()
        with database.write() as connection:
            people.open_session(connection, ada)

    for _ in range(5):
        threads = [threading.Thread(target=come_in) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with database.read() as connection:
            assert connection.execute(select(func.count()).select_from(session)).scalar() == 20


def test_attempts_that_come_at_once_are_counted(postgres: PostgresServer) -> None:
    """One of them is the first; SQLite, which has one writer, takes them one after the other."""
    together = threading.Barrier(3)
    statuses: list[int] = []

    with Database(postgres.make("attempts")) as database:
        upgrade_store(database)
        with database.write() as connection:
            ada = people.add_person(connection, "ada", "student", actor="test")
            schedules.store_schedule(
                connection, {"softmax": Window(max_submissions_per_day=1)}, actor="test"
            )

        def submit(key: str) -> None:
            try:
                with database.write() as connection:
                    together.wait(60)
                    made = submissions.accept_submission(connection, ada, "softmax", key, key=key)
                    submission_windows.require_open_window(connection, ada, made.submission)
            except ProblemError as refused:
                statuses.append(refused.status)

        threads = [threading.Thread(target=submit, args=[key]) for key in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert statuses == [423, 423]
    postgres.drop("attempts")


def test_a_connection_that_was_cut_is_replaced(postgres: PostgresServer) -> None:
    """Anyone who asks next notices nothing."""
    with Database(postgres.make("cut")) as database:
        with database.read() as connection:
            mine = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        with psycopg.connect(postgres.url("cut"), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [mine])
            while other.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [mine]).fetchone():
                pass
        with database.write() as connection:
            assert connection.execute(text("SELECT pg_backend_pid()")).scalar_one() != mine
    postgres.drop("cut")


def test_an_error_while_rows_are_read_keeps_no_connection_from_writing(database: Database) -> None:
    """Its snapshot would be older than what another program wrote meanwhile."""
    rows = text(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
        "SELECT i FROM n, person"
    )

    def fail() -> None:
        with database.read() as connection:
            unread = iter(connection.execute(rows))
            next(unread)
            raise ZeroDivisionError

    url = database.url.set(drivername=database.url.get_backend_name())
    with Database(url.render_as_string(hide_password=False)) as other:
        for number in range(3):
            with other.write() as connection:
                people.add_person(connection, f"other-{number}", "student", actor="test")
            with pytest.raises(ZeroDivisionError) as kept:
                fail()
            with other.write() as connection:
                people.add_person(connection, f"again-{number}", "student", actor="test")
            with database.write() as connection:
                people.add_person(connection, f"own-{number}", "student", actor="test")
            assert kept.value  # until here it held the frame of the unread rows


def test_late_work_counts_nothing_where_only_an_extension_gives_a_date(
    database: Database, ada: Person
) -> None:
    """The schedule does not name the exercise."""
    _publish(database, _submit(database, ada, "late"), 4)
    with database.write() as connection:
        grade_actions.extend_due_date(
            connection, ada, "softmax", dt.datetime(2020, 1, 1, tzinfo=dt.UTC), actor="test"
        )
    with database.read() as connection:
        [one] = grades.list_person_grades(connection, ada.id)
        [same] = grades.list_student_grades(connection)
    assert one.points == same.points == 0
    assert one.note == same.note != ""


def test_a_gradebook_is_of_one_moment(
    database: Database, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A verdict that is published between two statements is in none of them, or in all."""
    with database.write() as connection:
        abe = people.add_person(connection, "abe", "student", actor="test")
    _publish(database, _submit(database, ada, "a"), 4)
    late = _submit(database, abe, "b")
    select_grades = vars(grades)["_select_grades"]

    def after_another(*arguments: object) -> object:
        monkeypatch.undo()
        _publish(database, late, 4, exercise_hash="e2")
        return select_grades(*arguments)

    monkeypatch.setattr(grades, "_select_grades", after_another)
    with database.read(snapshot=True) as connection:
        before = grades.list_student_grades(connection, limit=10)
    with database.read(snapshot=True) as connection:
        after = grades.list_student_grades(connection)
    assert [each.person for each in before] == ["ada"]
    assert [each.person for each in after] == ["abe", "ada"]


def test_two_first_launches_at_once_are_one_person(database: Database) -> None:
    """The second waits until the first has added them."""
    issuer = "https://lms.example"
    registration = PlatformRegistration(issuer, "tool", issuer, issuer, issuer, issuer)
    with database.write() as connection:
        platforms.register_platform(connection, registration, ["1"], actor="test")
    both = threading.Barrier(2)

    def launch(_: int) -> Person:
        both.wait()
        with database.write() as connection:
            return platforms.admit_person(connection, issuer, "5", "student")

    for _ in range(10):
        with database.write() as connection:
            connection.execute(delete(lti_person))
            connection.execute(delete(person))
        with ThreadPoolExecutor(2) as pool:
            one, other = pool.map(launch, range(2))
        assert one == other


def test_an_extension_holds_where_the_schedule_says_nothing(
    database: Database, ada: Person
) -> None:
    """The student sees the date by which they are graded."""
    due = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    with database.write() as connection:
        schedules.store_schedule(
            connection, {"softmax": Window(due=due.timestamp(), daily_factor=0.5)}, actor="test"
        )
        grade_actions.extend_due_date(connection, ada, "other", due, actor="test")
    with database.read() as connection:
        assert windows.find_window(connection, ada.id, "other").due == due.timestamp()
        assert windows.find_window(connection, ada.id, "softmax").daily_factor == 0.5
        assert windows.find_windows(connection).keys() == {"softmax"}


def test_a_roster_is_imported_beside_verdicts(postgres: PostgresServer) -> None:
    """Neither waits for the other forever, in whatever order the roster lists people."""
    with Database(postgres.make("imported")) as database:
        upgrade_store(database)
        with database.write() as connection:
            first, second = (
                people.add_person(connection, name, "student", actor="test") for name in ("a", "b")
            )
        table = read_roster("id,name\nb,Bob\na,Ada", "r")

        def read_in() -> people_actions.ImportCounts:
            with database.write() as connection:
                return people_actions.import_people(connection, table, actor="test")

        with ThreadPoolExecutor(1) as other:
            with database.write() as connection:
                people.lock_person(connection, first.id)
                done = other.submit(read_in)
                with pytest.raises(TimeoutError):
                    done.result(0.5)
                people.lock_person(connection, second.id)
            assert done.result(60).changed == 2
    postgres.drop("imported")
