"""Rate limits: submissions of a person, the age of the queue, and event streams."""

import contextlib
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import Connection

from grader.service.api.problem_details import ProblemError
from grader.service.store import submissions
from grader.service.store.ids import now

_MINUTE = 60.0
_MOST_PEOPLE = 100_000  # of whom it is remembered


class Rates:
    """Counts each person's submissions within the last minute.

    Args:
        per_minute: how many are let through, 0 for all; those refused for another reason count.
        clock: seconds that never go back.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._lock = threading.Lock()
        self._times: dict[str, deque[float]] = {}

    def seconds_to_wait(self, person_id: str) -> float:
        """Count one more, and return 0; or return how long to wait, without counting it."""
        with self._lock:
            at = self._clock()
            times = self._times.pop(person_id, deque())
            while times and times[0] <= at - _MINUTE:
                times.popleft()
            self._times[person_id] = times  # behind all others: the first is the longest silent
            if len(self._times) > _MOST_PEOPLE:
                del self._times[next(iter(self._times))]
            if self._per_minute and len(times) >= self._per_minute:
                return times[0] + _MINUTE - at
            times.append(at)
            return 0.0


async def rates(request: Request) -> Rates:
    """Return the application's rate limiter."""
    found: Rates = request.app.state.rates
    return found


RatesOf = Annotated[Rates, Depends(rates)]


class Streams:
    """Counts the event streams that are open; each holds a connection.

    Only the event loop's thread uses it, so that a check and a count are one step.

    Args:
        most: how many may be open at once.
        of_one: how many of one person, so that one person cannot take the room of all others.
    """

    def __init__(self, most: int, of_one: int = 50) -> None:
        self._most = most
        self._of_one = of_one
        self._open: Counter[str] = Counter()

    def check(self) -> None:
        """Raise unless there is room for one more stream.

        Raises:
            ProblemError: 429 with Retry-After.
        """
        if self._open.total() >= self._most:
            raise self._full()

    @contextlib.contextmanager
    def one_more(self, person_id: str) -> Iterator[None]:
        """Count a person's stream while it is open.

        Raises:
            ProblemError: 429 with Retry-After.
        """
        self.check()
        if self._open[person_id] >= self._of_one:
            raise self._full()
        self._open[person_id] += 1
        try:
            yield
        finally:
            self._open[person_id] -= 1
            if not self._open[person_id]:
                del self._open[person_id]

    @staticmethod
    def _full() -> ProblemError:
        return _later("Too many event streams are open; ask for the state instead.", 2)


async def streams(request: Request) -> Streams:
    """Return the application's count of streams."""
    found: Streams = request.app.state.streams
    return found


StreamsOf = Annotated[Streams, Depends(streams)]


def check_rate(sent: Rates, person_id: str, per_minute: int) -> None:
    """Raise if a person has sent too many submissions.

    Raises:
        ProblemError: 429 with Retry-After.
    """
    wait = sent.seconds_to_wait(person_id)
    if wait > 0:
        raise _later(f"At most {per_minute} submissions a minute.", wait)


def check_queue(connection: Connection, most: float) -> None:
    """Raise if the oldest submission has waited for more seconds than `most`, unless that is 0.

    Raises:
        ProblemError: 429 with Retry-After.
    """
    oldest = submissions.oldest_waiting(connection)
    age = -math.inf if oldest is None else (now() - oldest) / 1_000_000
    if most and age > most:
        detail = (
            f"The oldest submission has waited {age:.0f} s; come back when the queue is shorter."
        )
        raise _later(detail, most / 4)


def _later(detail: str, seconds: float) -> ProblemError:
    headers = {"Retry-After": str(max(1, round(seconds + 0.5)))}
    return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, detail, headers)
