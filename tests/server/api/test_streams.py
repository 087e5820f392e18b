"""Event streams: bounded for each person, let go when their listeners hang up."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from sqlalchemy.exc import OperationalError

from etude_server.api import submission_routes as streaming
from etude_server.settings import Settings
from etude_server.store import people, submissions
from tests.server.api.conftest import Served
from tests.server.conftest import EXERCISES

OF_ONE = 50


@dataclass(frozen=True)
class Answer:
    """The beginning of an answer, on a connection that stays open."""

    status: int
    retry_after: int
    writer: asyncio.StreamWriter


@dataclass(frozen=True)
class Listener:
    """A person with a submission that stays pending."""

    client: httpx.Client
    location: str


def _serve(serving: Callable[[Settings], Served], folder: Path) -> Served:
    """Start a server that grades nothing, so that streams stay open."""
    url = f"sqlite:///{folder}/e.db"
    served = serving(Settings(url, (EXERCISES,), workers=1))
    served.context.executor.stop()
    return served


def _listener(served: Served, name: str) -> Listener:
    client = served.client(name)
    body = {"exercise": "attention-weights", "source": "x = 1\n"}
    answer = client.post("/v1/submissions", json=body).raise_for_status()
    return Listener(client, answer.headers["Location"])


def _port(served: Served) -> int:
    return int(served.url.rpartition(":")[2])


def _head(listener: Listener) -> str:
    """Request a person's event stream."""
    authorization = listener.client.headers["Authorization"]
    path = f"{listener.location}/events"
    return f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {authorization}\r\n\r\n"


async def _open(port: int, listener: Listener) -> Answer:
    """Ask for an event stream and wait for its first event, or for the refusal."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_head(listener).encode())
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
    status = int(lines[0].split()[1])
    if status == HTTPStatus.OK:
        await reader.readuntil(b'"state": "pending"')
    headers = dict(line.split(": ", 1) for line in lines[1:] if line)
    return Answer(status, int(headers.get("retry-after", 0)), writer)


async def _open_many(port: int, listeners: list[Listener], count: int) -> list[Answer]:
    found: list[Answer] = []
    while len(found) < count:
        some = range(len(found), min(len(found) + 100, count))
        found += await asyncio.gather(
            *(_open(port, listeners[number % len(listeners)]) for number in some)
        )
    return found


async def _hang_up(answers: list[Answer]) -> None:
    for each in answers:
        each.writer.close()
    await asyncio.gather(*(each.writer.wait_closed() for each in answers), return_exceptions=True)


@pytest.mark.slow
def test_one_person_has_so_many_streams(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """Beyond the limit they are told to come later; the rest is served, and all are let go."""
    served = _serve(serving, tmp_path)
    port = _port(served)
    greedy, *others = (_listener(served, f"person {number}") for number in range(8))

    async def attack() -> None:
        answers = await _open_many(port, [greedy], OF_ONE + 5)
        assert Counter(each.status for each in answers) == {200: OF_ONE, 429: 5}
        assert all(each.retry_after >= 1 for each in answers if each.status != HTTPStatus.OK)
        # More are open than there are threads and connections to the store.
        answers += await _open_many(port, others, OF_ONE * len(others))
        assert {each.status for each in answers[OF_ONE + 5 :]} == {HTTPStatus.OK}
        for path in ("/v1/exercises", greedy.location, "/v1/progress"):
            answer = await asyncio.to_thread(greedy.client.get, path)
            assert answer.status_code == HTTPStatus.OK
        assert (await asyncio.to_thread(_listener, served, "newcomer")).location
        await _hang_up(answers)
        await _until_free(port, greedy)

    asyncio.run(attack())


async def _until_free(port: int, listener: Listener) -> None:
    """Wait until as many streams can be opened as one person may have."""
    for _ in range(600):
        again = await _open_many(port, [listener], OF_ONE)
        await _hang_up(again)
        if all(each.status == HTTPStatus.OK for each in again):
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the places of streams that ended are not given back")


@pytest.mark.slow
def test_a_stream_does_not_outlive_its_token_for_long(
    serving: Callable[[Settings], Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends after a while in any case, and anyone who has no token any more gets no other."""
    monkeypatch.setattr(streaming, "MAX_STREAM_SECONDS", 1.0)
    served = _serve(serving, tmp_path)
    leaver = _listener(served, "leaver")
    with leaver.client.stream("GET", f"{leaver.location}/events") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "event: state"
        with served.context.database.write() as connection:
            for note in people.list_tokens(connection, "leaver"):
                people.revoke_token(connection, note.id, actor="test")
        assert not [line for line in lines if "graded" in line]  # to its end
    again = leaver.client.get(f"{leaver.location}/events")
    assert again.status_code == HTTPStatus.UNAUTHORIZED


@pytest.mark.slow
def test_the_place_in_the_line_is_told_as_it_changes(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """Who waits behind another hears when that one is graded, and then the end."""
    served = _serve(serving, tmp_path)
    first, second = _listener(served, "first"), _listener(served, "second")
    with second.client.stream("GET", f"{second.location}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        told = (line for line in stream.iter_lines() if line.startswith("data: "))
        assert '"position": 1' in next(told)
        _park(served, first)
        assert '"position": 0' in next(told)
        _park(served, second)
        assert '"state": "parked"' in next(told)
        assert not list(told)


def test_a_store_that_fails_is_told_before_a_stream_begins(
    serving: Callable[[Settings], Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by every other route: an answer that has begun cannot say so any more."""
    served = _serve(serving, tmp_path)
    listener = _listener(served, "early")

    def fails(*_: object) -> None:
        raise OperationalError("", {}, Exception())

    monkeypatch.setattr(submissions, "find_queue_position", fails)
    answer = listener.client.get(f"{listener.location}/events")
    assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert answer.headers["Content-Type"] == "application/problem+json"


def _park(served: Served, listener: Listener) -> None:
    with served.context.database.write() as connection:
        submissions.park_submission(
            connection, listener.location.rpartition("/")[2], "for this test"
        )
