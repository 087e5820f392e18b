"""Connections that somebody holds for nothing end; those of clients that are only slow do not."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from grader.service.api.slow_clients import impatient

pytestmark = pytest.mark.slow  # nearly all of it is waiting

SECONDS = 2.0
ASK = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"

Connect = Callable[[], socket.socket]


async def _answer(scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer with as many bytes as the path says, in one piece, without a look at the body."""
    if scope["type"] != "http":
        return
    size = int(scope["path"].strip("/") or 2)
    headers = [(b"content-length", str(size).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"x" * size})


@pytest.fixture(scope="module")
def connect() -> Iterator[Connect]:
    """Connect to a server that waits for nobody, through little that the kernel would hold."""
    yield from _served(4096)


@pytest.fixture
def roomy() -> Iterator[Connect]:
    """Connect to such a server as the kernel would have it."""
    yield from _served(None)


def _served(buffer: int | None) -> Iterator[Connect]:
    listener = socket.socket()
    if buffer is not None:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
    listener.bind(("127.0.0.1", 0))
    address = listener.getsockname()
    config = uvicorn.Config(_answer, http=impatient(SECONDS), log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)

    def connected() -> socket.socket:
        line = socket.socket()
        if buffer is not None:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        line.settimeout(120)
        line.connect(address)
        return line

    yield connected
    server.should_exit = True
    thread.join()
    listener.close()


def _is_hung_up_on(line: socket.socket, part: bytes) -> bool:
    """Send a bit now and then; tell whether the server hangs up, within a minute."""
    line.settimeout(0.1)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            line.sendall(part)
            if line.recv(65_536) == b"":
                return True
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


def _length(line: socket.socket) -> int:
    """Return how many bytes come until the server hangs up."""
    found = 0
    with contextlib.suppress(ConnectionError):
        while part := line.recv(16_384):
            found += len(part)
            time.sleep(0.01)
    return found


def _first(line: socket.socket) -> bytes:
    """Return the beginning of an answer."""
    found = b""
    while b"\r\n\r\nxx" not in found:
        found += line.recv(4096)
    return found


@pytest.mark.parametrize("before", [b"", ASK], ids=["a new one", "one that was used"])
def test_a_head_that_trickles_is_not_waited_for(connect: Connect, before: bytes) -> None:
    """What was asked before it is answered all the same."""
    with connect() as line:
        line.sendall(before)
        if before:
            assert b" 200 OK" in _first(line)
        assert _is_hung_up_on(line, b"G")


@pytest.mark.parametrize(
    ("header", "part"),
    [
        (b"Content-Length: 100000", b"x"),
        (b"Transfer-Encoding: chunked", b"1\r\nx\r\n"),
    ],
)
def test_a_body_behind_its_answer_is_not_waited_for(
    connect: Connect, header: bytes, part: bytes
) -> None:
    """Nobody reads it, and its sender keeps no connection by never coming to its end."""
    with connect() as line:
        line.sendall(ASK.replace(b"Host: x", b"Host: x\r\n" + header))
        assert b" 200 OK" in _first(line)
        assert _is_hung_up_on(line, part)


@pytest.mark.parametrize("size", [60_000, 4_000_000])
def test_an_answer_that_nobody_takes_is_not_held(connect: Connect, size: int) -> None:
    """Be it small or large: whoever asks for it and reads nothing is hung up on."""
    with connect() as line:
        line.sendall(ASK.replace(b"GET /", b"GET /%d" % size))
        time.sleep(3 * SECONDS)
        assert _length(line) < size


def test_a_slow_reader_gets_all_of_it(connect: Connect) -> None:
    """However long that takes, as long as it goes on."""
    size = 4_000_000
    with connect() as line:
        began = time.monotonic()
        line.sendall(
            ASK.replace(b"GET /", b"GET /%d" % size).replace(
                b"x\r\n", b"x\r\nConnection: close\r\n"
            )
        )
        assert _length(line) > size
    assert time.monotonic() - began > SECONDS


def test_a_slow_reader_behind_large_buffers_is_not_cut_off(roomy: Connect) -> None:
    """Where the kernel holds megabytes, it is still seen that they are taken."""
    size, found = 40_000_000, 0
    with roomy() as line:
        line.sendall(ASK.replace(b"GET /", b"GET /%d" % size))
        until = time.monotonic() + 5 * SECONDS
        while found < size and (part := line.recv(1 << 20 if time.monotonic() > until else 16_384)):
            found += len(part)
            time.sleep(0 if time.monotonic() > until else 0.1)
    assert found >= size


def test_a_connection_serves_on(connect: Connect) -> None:
    """One request after another, with pauses, for longer than any of them may take."""
    until = time.monotonic() + 2 * SECONDS
    with connect() as line:
        while time.monotonic() < until:
            line.sendall(ASK)
            assert b" 200 OK" in _first(line)
            time.sleep(SECONDS / 4)
