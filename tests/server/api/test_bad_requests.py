"""Requests that lie: about their length, their coding, their path, or who they are from."""

import gzip
import json
import socket
from http import HTTPStatus

import pytest
from sqlalchemy import func, select

from etude_server.store import people
from etude_server.store.ids import now
from etude_server.store.tables import session, submission
from tests.server.api.conftest import Served

BODY = json.dumps({"exercise": "attention-weights", "source": "x = 1\n"}).encode()
CHUNKS = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)


def _connected(served: Served) -> socket.socket:
    host, port = served.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=120)


def _count(served: Served) -> int:
    with served.context.database.read() as connection:
        return connection.execute(select(func.count()).select_from(submission)).scalar_one()


def _raw(served: Served, headers: str, body: bytes, *, ends: bool = False) -> list[int]:
    """Send a request to submit something, as it is, and return the status of each answer."""
    head = (
        "POST /v1/submissions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {served.token('liar')}\r\n{headers}Connection: close\r\n\r\n"
    )
    with _connected(served) as line:
        line.sendall(head.encode() + body)
        if ends:
            line.shutdown(socket.SHUT_WR)  # there is no more to come, whatever was promised
        answer = b""
        while part := line.recv(65_536):
            answer += part
    return [int(each[:3]) for each in answer.split(b"HTTP/1.1 ")[1:]]


@pytest.mark.parametrize(
    ("headers", "body", "statuses", "taken"),
    [
        pytest.param(f"Content-Length: {len(BODY)}\r\n", BODY, [202], 1, id="honest"),
        pytest.param("Transfer-Encoding: chunked\r\n", CHUNKS, [202], 1, id="chunked"),
        pytest.param("Content-Length: 9\r\n", BODY, [422], 0, id="shorter"),
        pytest.param(f"Content-Length: {len(BODY) + 9}\r\n", BODY, [], 0, id="longer"),
        pytest.param("Transfer-Encoding: chunked\r\n", CHUNKS[:-5], [], 0, id="no last chunk"),
        pytest.param("Transfer-Encoding: chunked\r\n", b"zz\r\n", [400], 0, id="no chunk"),
        pytest.param(
            f"Content-Length: {len(CHUNKS)}\r\nTransfer-Encoding: chunked\r\n",
            CHUNKS,
            [400],
            0,
            id="length and coding",
        ),
        pytest.param(
            "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n",
            CHUNKS,
            [400],
            0,
            id="coding and length",
        ),
        pytest.param("Transfer-Encoding: gzip\r\n", BODY, [400], 0, id="another coding"),
        pytest.param("", BODY, [422], 0, id="no length"),
        pytest.param("Content-Length: -1\r\n", BODY, [400], 0, id="negative"),
        pytest.param("Content-Length: 1e1\r\n", BODY, [400], 0, id="no number"),
        pytest.param("Content-Length: 9\r\nContent-Length: 8\r\n", BODY, [400], 0, id="two"),
        pytest.param(f"Content-Length: {'9' * 30}\r\n", BODY, [400], 0, id="astronomic"),
    ],
)
def test_a_length_that_is_a_lie(
    served: Served, headers: str, body: bytes, statuses: list[int], taken: int
) -> None:
    """What is not a whole body is submitted by no one, and never read as a second request."""
    before = _count(served)
    assert _raw(served, headers, body, ends=not statuses) == statuses
    assert _count(served) - before == taken


def test_two_lengths_are_not_two_requests(served: Served) -> None:
    """A second request behind the chunks, as a proxy might see it, is not a request here."""
    before = _count(served)
    inner = b"GET /v1/progress HTTP/1.1\r\nHost: x\r\n\r\n"
    statuses = _raw(served, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", CHUNKS + inner)
    assert statuses in ([400], [202]), statuses
    assert _count(served) - before == statuses.count(202)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_nothing_is_unpacked(served: Served, coding: str) -> None:
    """A small body that would be a large one is refused as the bytes that it is."""
    bomb = gzip.compress(b" " * 20_000_000)
    assert len(bomb) < served.context.settings.max_body
    headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
    answer = served.client("ada").post("/v1/submissions", content=bomb, headers=headers)
    assert answer.status_code in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../progress",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/etc/passwd",
        "..%5c..%5cetc",
        "attention-weights%00",
        "attention-weights%0a",
        "Attention-Weights",
        "attention\u2010weights",
        "\uff41ttention-weights",
        "attention-weights%ed%a0%80",
        "attention-weights;a=b",
        "attention-weights%20",
        "%25%32%65",
    ],
)
def test_an_id_plays_no_tricks(served: Served, name: str) -> None:
    """An exercise is its very id, in a path and in a submission; nothing is opened by it."""
    client = served.client("ada")
    answer = client.get(f"/v1/exercises/{name}")
    if answer.status_code == HTTPStatus.OK:  # the client itself resolved the dots
        assert answer.request.url.path in {"/v1/exercises/", "/v1/progress"}
        return
    assert answer.status_code in {HTTPStatus.NOT_FOUND, HTTPStatus.TEMPORARY_REDIRECT}
    sent = {"exercise": name, "source": "x = 1\n"}
    assert client.post("/v1/submissions", json=sent).status_code == HTTPStatus.NOT_FOUND


def test_an_expired_token_is_worth_nothing(served: Served) -> None:
    """Neither as a token nor to sign in with; one that has yet to expire is."""
    client = served.client("late")
    with served.context.database.write() as connection:
        owner = people.find_person_by_name(connection, "late")
        assert owner is not None
        secrets = [
            people.make_token(
                connection, owner, "", actor="test", expires_at=now() + seconds * 10**6
            )
            for seconds in (-1, 3600)
        ]
    for secret, status in zip(secrets, (HTTPStatus.UNAUTHORIZED, HTTPStatus.OK), strict=True):
        headers = {"Authorization": f"Bearer {secret}"}
        assert client.get("/v1/exercises", headers=headers).status_code == status
        assert client.post("/v1/session", json={"token": secret}).status_code == status
        client.cookies.clear()


def test_a_session_ends_with_its_token(served: Served) -> None:
    """Anyone who signs in shortly before is not let in for twelve hours more."""
    until = now() + 3600 * 10**6
    client = served.client("leaving")
    with served.context.database.write() as connection:
        owner = people.find_person_by_name(connection, "leaving")
        assert owner is not None
        ends = people.make_token(connection, owner, "", actor="test", expires_at=until)
    for secret in (ends, served.token("leaving")):
        client.post("/v1/session", json={"token": secret}).raise_for_status()
        client.cookies.clear()
    with served.context.database.read() as connection:
        chosen = select(session.c.expires_at).where(session.c.person_id == owner.id)
        first, second = connection.execute(chosen.order_by(session.c.created_at)).scalars()
    assert first == until < second


@pytest.mark.parametrize(
    "header", ["Basic YTpi", "Bearer", "bearer\u00a0x", "Digest x", "Bearer a b", "Bearer \udcff"]
)
def test_other_credentials_are_none(served: Served, header: str) -> None:
    """401, whatever stands in the header."""
    client = served.client("ada")
    client.headers.pop("Authorization")
    sent = {b"Authorization": header.encode(errors="surrogateescape")}
    assert client.get("/v1/exercises", headers=sent).status_code == HTTPStatus.UNAUTHORIZED


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_a_deep_body_is_refused(served: Served, depth: int, brackets: str) -> None:
    """A body of any depth is a bad request, never a failure of the server."""
    opening, closing = ("[", "]") if brackets == "[]" else ('{"a":', "}")
    inner = opening * (depth // len(opening)) + "1" + closing * (depth // len(opening))
    body = f'{{"exercise": "attention-weights", "source": {inner}}}'
    answer = served.client("ada").post(
        "/v1/submissions", content=body.encode(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}
    assert len(answer.content) < 1_000


def test_many_unknown_fields_are_named_briefly(served: Served) -> None:
    """An answer does not grow with the number of things that are wrong."""
    body = json.dumps({f"field {number}": 1 for number in range(10_000)}).encode()
    answer = served.client("ada").post(
        "/v1/submissions", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert len(answer.content) < 5_000
