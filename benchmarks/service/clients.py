"""Clients that submit over HTTP, each on a connection that it keeps."""

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from itertools import cycle
from typing import Self, TypeAlias

from benchmarks.service.stage import EXERCISE, Running, exercise, new_source


class RefusedError(Exception):
    """A submission was not taken in, so no figure of this run means anything."""


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A submission that was taken in."""

    id: str
    began: float  # seconds since 1970
    seconds: float  # until the answer was there


_Share: TypeAlias = Callable[[int], list[HandedIn]]


class Client:
    """One connection. Use as a context manager."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def hand_in(self, token: str, exercise: str = EXERCISE, source: str = "") -> HandedIn:
        """Submit a source, by default a new one that is right.

        Raises:
            RefusedError: it was not taken in.
        """
        body = json.dumps({"exercise": exercise, "source": source or new_source()})
        began, begin = time.time(), time.perf_counter()
        status, said = self._ask("POST", "/v1/submissions", token, body)
        seconds = time.perf_counter() - begin
        if status != HTTPStatus.ACCEPTED:
            raise RefusedError(f"a submission was not taken in: {status} {said!r}")
        return HandedIn(json.loads(said)["id"], began, seconds)

    def look(self, token: str, submission_id: str) -> float:
        """Ask for a submission's state, and return the seconds that it took.

        Raises:
            RefusedError: it was not told.
        """
        begin = time.perf_counter()
        status, said = self._ask("GET", f"/v1/submissions/{submission_id}", token, None)
        seconds = time.perf_counter() - begin
        if status != HTTPStatus.OK:
            raise RefusedError(f"a state was not told: {status} {said!r}")
        return seconds

    def _ask(self, method: str, path: str, token: str, body: str | None) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()


class _Turns:
    """Takes turns among tokens, for any number of threads."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._lock = threading.Lock()
        self._tokens = cycle(tokens)

    def next(self) -> str:
        with self._lock:
            return next(self._tokens)


def hand_in_all(running: Running, number: int, clients: int) -> list[HandedIn]:
    """Submit that many, each client as fast as it is answered."""
    turns = _Turns(running.tokens)
    exercise()  # once, before every client would load the collection for itself

    def one(share: int) -> list[HandedIn]:
        with Client(running.port) as client:
            return [client.hand_in(turns.next()) for _ in range(share)]

    return _together(one, [number // clients] * clients)


def hand_in_steadily(
    running: Running, number: int, per_second: float, clients: int
) -> list[HandedIn]:
    """Submit at a pace that does not wait for answers, as long as a client is free."""
    turns = _Turns(running.tokens)
    start = time.perf_counter()

    def one(first: int) -> list[HandedIn]:
        with Client(running.port) as client:
            done = []
            for turn in range(first, number, clients):
                time.sleep(max(0.0, start + turn / per_second - time.perf_counter()))
                done.append(client.hand_in(turns.next()))
            return done

    return _together(one, range(clients))


def _together(one: _Share, shares: Iterable[int]) -> list[HandedIn]:
    every = list(shares)
    with ThreadPoolExecutor(len(every)) as threads:
        return [each for part in threads.map(one, every) for each in part]
