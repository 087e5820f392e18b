"""Clients that submit over HTTP, each on a connection that it keeps."""

import http.client
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from typing import Self

from benchmarks.service.stage import EXERCISE, Running, exercise, new_source


class RefusedError(Exception):
    """A submission was not accepted, so no figure of this run means anything."""


@dataclass(frozen=True, slots=True)
class Sent:
    """An accepted submission."""

    id: str
    began: float  # seconds since 1970
    seconds: float  # until the answer was there


class Client:
    """One connection. Use as a context manager."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def submit(self, token: str, exercise: str = EXERCISE, source: str = "") -> Sent:
        """Submit a source, by default a new one that is right.

        Raises:
            RefusedError: it was not accepted.
        """
        body = json.dumps({"exercise": exercise, "source": source or new_source()})
        began, begin = time.time(), time.perf_counter()
        status, said = self._ask("POST", "/v1/submissions", token, body)
        seconds = time.perf_counter() - begin
        if status != HTTPStatus.ACCEPTED:
            raise RefusedError(f"a submission was not accepted: {status} {said!r}")
        return Sent(json.loads(said)["id"], began, seconds)

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


def submit_all(running: Running, number: int, clients: int) -> list[Sent]:
    """Submit that many, each client as fast as it is answered."""
    return _together(running, number - number % clients, clients, lambda _turn: 0.0)


def submit_steadily(running: Running, number: int, per_second: float, clients: int) -> list[Sent]:
    """Submit at a pace that does not wait for answers, as long as a client is free."""
    start = time.perf_counter()
    return _together(running, number, clients, lambda turn: start + turn / per_second)


def _together(
    running: Running, number: int, clients: int, begins: Callable[[int], float]
) -> list[Sent]:
    exercise()  # once, before every client would load the collection for itself

    def one(first: int) -> list[Sent]:
        with Client(running.port) as client:
            sent = []
            for turn in range(first, number, clients):
                time.sleep(max(0.0, begins(turn) - time.perf_counter()))
                sent.append(client.submit(running.tokens[turn % len(running.tokens)]))
            return sent

    with ThreadPoolExecutor(clients) as threads:
        return [each for part in threads.map(one, range(clients)) for each in part]


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the least value that so many percent of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
