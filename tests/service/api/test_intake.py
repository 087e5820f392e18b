"""Taking in under load: what comes at once is committed together, and nobody answers for another."""

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Sequence
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, event, func, select

from grader.service.api.batched_insert import Intake, Taken
from grader.service.api.problem_details import ProblemError
from grader.service.service import Parts
from grader.service.settings import Settings
from grader.service.store import people, submissions
from grader.service.store.submissions import KeyReusedError, Wanted
from grader.service.store.tables import source
from tests.service.api.conftest import Served
from tests.service.conftest import EXERCISES


@pytest.fixture
def parts(serving: Callable[[Settings], Served], tmp_path: Path) -> Parts:
    """A service that grades nothing, so that each commit is one of taking in."""
    served = serving(Settings(f"sqlite:///{tmp_path}/e.db", EXERCISES, workers=1))
    served.parts.executor.stop()
    return served.parts


def _wanted(parts: Parts, bodies: Sequence[tuple[str, str]]) -> list[Wanted]:
    with parts.database.write() as connection:
        owner = people.add_person(connection, "ada", "student", actor="test")
    return [Wanted(owner, "attention-weights", text, key) for text, key in bodies]


def _all_at_once(parts: Parts, wanted: list[Wanted]) -> tuple[list[Taken | BaseException], int]:
    """Return what became of each, and how many commits that took."""
    commits: list[str] = []

    def note(_connection: Connection) -> None:  # in the thread that commits
        commits.append(threading.current_thread().name)

    async def take() -> list[Taken | BaseException]:
        intake = Intake(parts)
        return await asyncio.gather(*map(intake.take, wanted), return_exceptions=True)

    event.listen(parts.database.engine, "commit", note)
    try:
        results = asyncio.run(take())
    finally:
        event.remove(parts.database.engine, "commit", note)
    return results, sum(name.startswith("intake") for name in commits)


def test_those_that_come_at_once_share_a_commit(parts: Parts) -> None:
    """Ten submissions, one durable transaction; each has its place, in the order in which they came."""
    wanted = _wanted(parts, [(f"x = {each}\n", f"{each}") for each in range(10)])
    results, commits = _all_at_once(parts, wanted)
    taken = [each for each in results if isinstance(each, Taken)]
    assert [each.place for each in taken] == list(range(10))
    assert commits == 1
    with parts.database.read() as connection:
        assert submissions.count_waiting(connection) == (10, 0)
        for each, one in zip(taken, wanted, strict=True):
            assert submissions.text_of(connection, each.submission.source_hash) == one.text


def test_what_cannot_be_taken_in_takes_no_other_along(parts: Parts) -> None:
    """A key that came with another text is refused alone, and of its text nothing is kept."""
    _all_at_once(parts, _wanted(parts, [("x = 0\n", "old")]))
    wanted = _wanted(parts, [("x = 1\n", "a"), ("x = 2\n", "old"), ("x = 3\n", "b")])
    (first, refused, last), _ = _all_at_once(parts, wanted)
    assert isinstance(refused, KeyReusedError)
    assert isinstance(first, Taken)
    assert isinstance(last, Taken)
    assert (first.place, last.place) == (1, 2)
    with parts.database.read() as connection:
        assert connection.execute(select(func.count()).select_from(source)).scalar_one() == 3


def test_a_repeated_request_is_told_of_the_first(parts: Parts) -> None:
    """Two with one key at once are one submission in one place, and so is one that comes later."""
    (one, two), _ = _all_at_once(parts, _wanted(parts, [("x = 1\n", "k"), ("x = 1\n", "k")]))
    (three,), _ = _all_at_once(parts, _wanted(parts, [("x = 1\n", "k")]))
    assert isinstance(one, Taken)
    assert isinstance(two, Taken)
    assert isinstance(three, Taken)
    assert one.submission == two.submission == three.submission
    assert (one.place, two.place, three.place) == (0, 0, None)


def test_an_old_queue_refuses_all_that_come(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """Each is told so, and none is taken in."""
    settings = Settings(f"sqlite:///{tmp_path}/e.db", EXERCISES, workers=1, queue_seconds=-1)
    parts = serving(settings).parts
    parts.executor.stop()
    _all_at_once(parts, _wanted(parts, [("x = 0\n", "0")]))
    results, _ = _all_at_once(parts, _wanted(parts, [("x = 1\n", "1"), ("x = 2\n", "2")]))
    assert [isinstance(each, ProblemError) for each in results] == [True, True]
    with parts.database.read() as connection:
        assert submissions.count_waiting(connection) == (1, 0)


def test_grading_yields_to_those_who_hand_in(parts: Parts) -> None:
    """The grading processes have less of a claim to the cores than the server."""
    assert parts.desk is not None
    mine = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, parts.desk.pid) == min(mine + 5, 19)


def test_metrics_can_have_a_port_of_their_own(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """Then they are told there and nowhere else, while probes are answered at both."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    served = serving(Settings(f"sqlite:///{tmp_path}/e.db", EXERCISES, workers=1, health_port=port))
    aside = f"http://127.0.0.1:{port}"
    assert httpx.get(f"{served.url}/metrics").status_code == HTTPStatus.NOT_FOUND
    assert "etude_queue_waiting 0.0" in httpx.get(f"{aside}/metrics").text
    assert httpx.get(f"{served.url}/livez").is_success
    assert httpx.get(f"{aside}/livez").is_success
