"""Browsers that sign in at once, on PostgreSQL, where two transactions meet."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import httpx
import pytest
from sqlalchemy import Connection, update

from etude_server.settings import Settings
from etude_server.store import people
from etude_server.store.ids import now
from etude_server.store.people import Person
from etude_server.store.tables import session
from tests.server.api.conftest import Served
from tests.server.conftest import EXERCISES
from tests.server.postgres import PostgresServer

BROWSERS = 8


@pytest.fixture(scope="module")
def served(serving: Callable[[Settings], Served], postgres: PostgresServer) -> Served:
    """A server on PostgreSQL that grades nothing."""
    return serving(Settings(postgres.make(f"test_{uuid.uuid4().hex}"), (EXERCISES,), workers=0))


def _sign_in(browser: httpx.Client, token: str) -> int:
    return browser.post("/v1/session", json={"token": token}).status_code


@pytest.mark.slow
@pytest.mark.parametrize("people_there", [BROWSERS, 1])
def test_many_come_back_at_once(served: Served, people_there: int) -> None:
    """All are let in whose sessions are over, be they many or one in many browsers."""
    tokens = [served.token(f"person {number % people_there}") for number in range(BROWSERS)]
    browsers = [httpx.Client(base_url=served.url, timeout=120) for _ in tokens]
    with ThreadPoolExecutor(BROWSERS) as threads:
        for _ in range(5):
            assert set(map(_sign_in, browsers, tokens)) == {HTTPStatus.OK}
            with served.context.database.write() as connection:
                connection.execute(update(session).values(expires_at=now() - 1))
            found = list(threads.map(_sign_in, browsers, tokens))
            assert set(found) == {HTTPStatus.OK}
    for each in browsers:
        each.close()


@pytest.mark.slow
def test_a_token_that_is_revoked_meanwhile_opens_nothing(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anyone who signs in at that moment is out again, or was never let in."""
    token, opened = served.token("thief"), people.open_session
    with served.context.database.read() as connection:
        [note] = people.list_tokens(connection, "thief")

    def revoke() -> None:
        with served.context.database.write() as connection:
            assert people.revoke_token(connection, note.id, actor="test")

    revoking = threading.Thread(target=revoke)

    def slowly(connection: Connection, owner: Person, until: int | None) -> str:
        revoking.start()
        revoking.join(2)  # it waits for us, or has been faster
        return opened(connection, owner, until)

    monkeypatch.setattr(people, "open_session", slowly)
    with httpx.Client(base_url=served.url, timeout=120) as browser:
        _sign_in(browser, token)
        revoking.join()
        assert browser.get("/v1/session").status_code == HTTPStatus.UNAUTHORIZED


@pytest.mark.parametrize("destination", ["script", "json", "font", "image", "worker", "empty"])
def test_a_session_answers_a_page_alone(served: Served, destination: str) -> None:
    """A program in a page can make the browser import an address, with the reader's cookie."""
    with httpx.Client(base_url=served.url) as browser:
        browser.post("/v1/session", json={"token": served.token("reader")}).raise_for_status()
        answer = browser.get("/v1/session", headers={"Sec-Fetch-Dest": destination})
    expected = HTTPStatus.OK if destination == "empty" else HTTPStatus.FORBIDDEN
    assert answer.status_code == expected
