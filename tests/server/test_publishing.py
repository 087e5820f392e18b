"""Publishing of verdicts: none at another's cost."""

import threading
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import Connection, func, select, text

from etude_server.grading import GradingRequest, Publisher, WriteResult, make_submission_request
from etude_server.store import events, submissions, verdicts
from etude_server.store.database import Database
from etude_server.store.submissions import StoredSubmission
from etude_server.store.tables import event as event_table
from etude_server.store.tables import grading_run, publication
from etude_server.store.verdicts import GradingRun
from tests.server.conftest import accept_sources, make_verdict
from tests.server.postgres import PostgresServer

if TYPE_CHECKING:
    from concurrent.futures import Future

_RUN = GradingRun("here", 0, 1)
_PUBLISHED = select(event_table.c.subject).where(event_table.c.kind == events.PUBLISHED)
_IS_BLOCKED = text(
    "SELECT EXISTS (SELECT FROM pg_locks"
    " WHERE NOT granted AND pg_blocking_pids(pid) @> ARRAY[pg_backend_pid()])"
)


class _Told:
    """The messages to those who requested a verdict."""

    def __init__(self) -> None:
        self._futures: list[Future[None]] = []

    def request(self, submitted: StoredSubmission) -> GradingRequest:
        request = make_submission_request(submitted)
        self._futures.append(request.future)
        return request

    def wait(self) -> list[str | None]:
        errors = [each.exception(60) for each in self._futures]
        return [None if each is None else str(each) for each in errors]


def _submit(database: Database, number: int) -> list[StoredSubmission]:
    return accept_sources(database, *(f"x = {each}" for each in range(number)))


def _new_verdict(submitted: StoredSubmission, score: int, **test: Any) -> WriteResult:
    made = make_verdict(submitted.source_hash, score, 9, xp=score, **test)
    return lambda connection: verdicts.store_verdict(connection, made, _RUN)


@pytest.fixture
def told() -> _Told:
    return _Told()


def test_what_cannot_be_written_takes_no_other_along(database: Database, told: _Told) -> None:
    """Only its own request is told; those that wait behind it are published."""
    first, second = _submit(database, 2)
    publisher = Publisher(database)
    publisher.enqueue([told.request(first)], _fail)
    publisher.enqueue([told.request(second)], _new_verdict(second, 9))
    assert told.wait() == ["not now", None]
    with database.read() as connection:
        assert submissions.list_waiting(connection, 9) == [first]


@pytest.mark.slow
def test_what_can_never_be_written_waits_for_staff(database: Database, told: _Told) -> None:
    """A verdict that no column takes is not graded forever; its neighbours are published."""
    accepted = _submit(database, 8)
    publisher = Publisher(database)
    publisher.enqueue([told.request(accepted[0])], _new_verdict(accepted[0], 2**70))
    for each in accepted[1:]:
        publisher.enqueue([told.request(each)], _new_verdict(each, 9))
    assert told.wait() == [None] * 8
    with database.read() as connection:
        assert submissions.count_waiting_and_parked(connection) == (0, 1)
        [*_, last] = events.list_events(connection, accepted[0].id)
        assert connection.execute(select(func.count()).select_from(publication)).scalar() == 7
    assert last.kind == events.PARKED
    assert last.data["reason"].startswith("its verdict cannot be written (")


def test_what_a_fault_quotes_can_be_written(database: Database) -> None:
    """Also with a NUL and half a character: it could not be parked, and would be graded forever."""
    with database.write() as connection:
        verdicts.record_fault(connection, "e", "s", _RUN, "it printed a\0b and \udc80")
    with database.read() as connection:
        found = connection.execute(select(grading_run.c.message)).scalar_one()
    assert found == "it printed a\\0b and \\udc80"


def test_a_test_of_any_name_can_be_failed(database: Database, told: _Told) -> None:
    """What students got wrong is counted by as much of a name as the column takes."""
    (submitted,) = _submit(database, 1)
    publisher = Publisher(database)
    publisher.enqueue(
        [told.request(submitted)], _new_verdict(submitted, 3, test="t" * 500, is_test_passed=False)
    )
    told.wait()
    with database.read() as connection:
        assert submissions.count_waiting_and_parked(connection) == (0, 0)
        assert verdicts.count_mistakes(connection)["double"].failed_tests == {"t" * 200: 1}


@pytest.fixture
def on_postgres(postgres: PostgresServer) -> Iterator[Database]:
    """A database on PostgreSQL."""
    name = f"publishing_{uuid.uuid4().hex}"
    with Database(postgres.make(name, "etude_template")) as database:
        yield database
    postgres.drop(name)


def test_two_publish_for_one_source(on_postgres: Database, told: _Told) -> None:
    """At once, each the same verdicts for the same submissions: each is published once."""
    accepted = _submit(on_postgres, 40)
    publishers = [Publisher(on_postgres) for _ in range(2)]
    together = threading.Barrier(2)

    def put(publisher: Publisher) -> None:
        together.wait()
        for each in accepted:
            publisher.enqueue([told.request(each)], _new_verdict(each, 9))

    threads = [threading.Thread(target=put, args=(each,)) for each in publishers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told.wait() == [None] * 80
    with on_postgres.read() as connection:
        told_of = connection.execute(_PUBLISHED).scalars().all()
        assert submissions.count_waiting_and_parked(connection) == (0, 0)
    assert sorted(told_of) == sorted(each.id for each in accepted)


def test_a_verdict_survives_a_deadlock(on_postgres: Database, told: _Told) -> None:
    """Where PostgreSQL undoes our transaction for another's sake it is written again, not graded."""
    (submitted,) = _submit(on_postgres, 1)
    publisher = Publisher(on_postgres)
    own = {"person": submitted.person_id, "submission": submitted.id}
    with on_postgres.write() as connection:
        connection.execute(text("SET LOCAL deadlock_timeout = '1h'"))  # so that ours is undone
        connection.execute(text("SELECT FROM person WHERE id = :person FOR UPDATE"), own)
        publisher.enqueue([told.request(submitted)], _new_verdict(submitted, 9))
        while not connection.execute(_IS_BLOCKED).scalar():
            threading.Event().wait(0.01)
        connection.execute(
            text("SELECT FROM waiting WHERE submission_id = :submission FOR UPDATE"), own
        )
    assert told.wait() == [None]
    with on_postgres.read() as connection:
        assert connection.execute(_PUBLISHED).scalars().all() == [submitted.id]


def test_a_lost_connection_leaves_what_it_was_about(on_postgres: Database, told: _Told) -> None:
    """Anyone who wished is told, nothing of the transaction stays, and the next one is written."""
    first, second = _submit(on_postgres, 2)
    publisher = Publisher(on_postgres)
    publisher.enqueue([told.request(first)], _lose_the_connection)
    told.wait()
    with on_postgres.read() as connection:
        assert submissions.list_waiting(connection, 9) == [first, second]
    publisher.enqueue([told.request(second)], _new_verdict(second, 9))
    [lost, written] = told.wait()
    assert lost is not None
    assert written is None
    with on_postgres.read() as connection:
        assert submissions.list_waiting(connection, 9) == [first]


def _lose_the_connection(connection: Connection) -> None:
    connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))


def _fail(_: Connection) -> None:
    raise RuntimeError("not now")
