"""How verdicts are written down: together where several are ready, and none at another's cost."""

import threading
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pytest
from sqlalchemy import Connection, event, func, select, text

from benchmarks.postgres import PostgresServer
from grader.grading.verdict import Outcome, TestResult, Verdict
from grader.service import publishing
from grader.service.executors import queue
from grader.service.publishing import Made, Publisher, Wish
from grader.service.store import people, submissions
from grader.service.store.database import Database
from grader.service.store.submissions import Submitted
from grader.service.store.tables import grade, publication
from grader.service.store.verdicts import Run

if TYPE_CHECKING:
    from grader.service.desk import Desk

_RUN = Run("here", 0, 1)


@dataclass
class _Line:
    """A desk as a publisher sees it: how many jobs it has, and how many it grades at once."""

    in_hand: int = 100
    workers: int = 1


class _Told:
    """What those who wished were told."""

    def __init__(self) -> None:
        self.errors: list[str | None] = []
        self._changed = threading.Condition()

    def done(self, error: Exception | None) -> None:
        with self._changed:
            self.errors.append(None if error is None else str(error))
            self._changed.notify()

    def wait(self, number: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.errors) >= number, 60)


def _hand_in(database: Database, number: int) -> list[Submitted]:
    with database.write() as connection:
        owner = people.add_person(connection, "ada", "student", actor="test")
        return [
            submissions.accept(connection, owner, "double", f"x = {each}", key=str(each)).submission
            for each in range(number)
        ]


def _made(submitted: Submitted, score: int) -> Made:
    test = TestResult("t", "", hidden=False, outcome=Outcome.PASSED, points=score, max_points=9)  # type: ignore[arg-type]  # a name in place of a NewType
    made = Verdict(
        exercise="double",  # type: ignore[arg-type]  # likewise
        title="Double it",
        outcome=Outcome.PASSED if score == 9 else Outcome.FAILED,
        message="",
        line=None,
        tests=(test,),
        output="",
        hidden_elsewhere=0,
        xp=score,
        sandbox="bubblewrap",
        exercise_hash="e",
        submission_hash=submitted.source_hash,
        grader_version="0",
    )
    return Made(made, _RUN)


@pytest.fixture
def told() -> _Told:
    return _Told()


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let those who wait for company wait as long as this machine needs."""
    monkeypatch.setattr(publishing, "_COMPANY_SECONDS", 60.0)


def test_what_is_ready_at_once_is_one_transaction(database: Database, told: _Told) -> None:
    """While there is a line at the desk; eight do not wait for a ninth."""
    commits: list[int] = []
    event.listen(database.engine, "commit", lambda _: commits.append(1))
    handed_in = _hand_in(database, 8)
    commits.clear()
    publisher = Publisher(database, cast("Desk", _Line()))
    for score, each in enumerate(handed_in[:7]):
        publisher.put([Wish(each, told.done)], _made(each, score))
    threading.Event().wait(0.2)  # in which they would be written, were they not to wait
    assert told.errors == []
    publisher.put([Wish(handed_in[7], told.done)], _made(handed_in[7], 7))
    told.wait(8)
    assert told.errors == [None] * 8
    assert len(commits) == 1
    with database.read() as connection:
        assert connection.execute(select(func.count()).select_from(publication)).scalar() == 8
        assert connection.execute(select(grade.c.score, grade.c.submission_id)).all() == [
            (7, handed_in[7].id)
        ]


def test_one_alone_waits_for_nobody(database: Database, told: _Told) -> None:
    """Where nothing waits at the desk each is written as it comes."""
    publisher = Publisher(database, cast("Desk", _Line(in_hand=1)))
    for number, each in enumerate(_hand_in(database, 3), 1):
        publisher.put([Wish(each, told.done)], _made(each, 9))
        told.wait(number)
    assert told.errors == [None] * 3
    with database.read() as connection:
        assert submissions.count_waiting(connection) == (0, 0)


def test_what_cannot_be_written_takes_no_other_along(database: Database, told: _Told) -> None:
    """Its neighbours in the transaction are written one by one, and only its own wish is told."""
    handed_in = _hand_in(database, 8)
    publisher = Publisher(database, cast("Desk", _Line()))

    def fail(_: Connection) -> None:
        raise ValueError("a fault of its own")

    for each in handed_in[:7]:
        publisher.put([Wish(each, told.done)], _made(each, 9))
    publisher.put([Wish(handed_in[7], told.done)], fail)
    told.wait(8)
    assert sorted(told.errors, key=str) == [None] * 7 + ["a fault of its own"]
    with database.read() as connection:
        assert submissions.line(connection) == [handed_in[7].id]


def test_a_job_leaves_the_queue_with_its_verdict(postgres: PostgresServer, told: _Told) -> None:
    """In the same transaction: a job whose verdict could not be written is still there."""
    with Database(postgres.make(f"publishing_{uuid.uuid4().hex}", "etude_template")) as database:
        queue.prepare(database)
        handed_in = _hand_in(database, 2)
        with database.write() as connection:
            names = [{"submission_id": each.id} for each in handed_in]
            queue.defer(connection, queue.INTERACTIVE, queue.GRADE, names)
        with database.read() as connection:
            first, second = queue.take(connection, queue.INTERACTIVE, _worker(connection), 2)
        publisher = Publisher(database, cast("Desk", _Line(in_hand=1)))

        def fail(_: Connection) -> None:
            raise ValueError("a fault of its own")

        publisher.put([Wish(handed_in[0], told.done, first.id)], _made(handed_in[0], 9))
        publisher.put([Wish(handed_in[1], told.done, second.id)], fail)
        told.wait(2)
        with database.read() as connection:
            left = connection.execute(text("SELECT id FROM procrastinate_jobs")).scalars().all()
    assert left == [second.id]


def _worker(connection: Connection) -> int:
    found = text("SELECT worker_id FROM procrastinate_register_worker_v1()")
    return int(connection.execute(found).scalar_one())
