"""Rate limits of submissions per person, and of event streams."""

import contextlib
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from http import HTTPStatus

from etude_server.api.problem_details import ProblemError

_MINUTE = 60.0
_MAX_STREAMS_PER_PERSON = 50  # open event streams of one person
_TOO_MANY_STREAMS = "Too many event streams are open; ask for the state instead."


class SubmissionRates:
    """The number of each person's submissions within the last minute.

    A limit of 0 refuses none. Submissions that are refused for other reasons count as well.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._lock = threading.Lock()
        self._times: defaultdict[str, deque[float]] = defaultdict(deque)

    def count_submission(self, person_id: str) -> None:
        """Count one more submission of a person, or raise a 429."""
        with self._lock:
            time_now = time.monotonic()
            times = self._times[person_id]
            while times and times[0] <= time_now - _MINUTE:
                times.popleft()
            if self._per_minute and len(times) >= self._per_minute:
                detail = f"At most {self._per_minute} submissions a minute."
                raise make_retry_later_error(detail, times[0] + _MINUTE - time_now)
            times.append(time_now)


class OpenStreams:
    """The number of open event streams, each of which holds a connection.

    Only the event loop's thread uses it, so a check and a count are one step.
    """

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextlib.contextmanager
    def count_stream(self, person_id: str) -> Iterator[None]:
        """Count a person's stream while it is open; raise a 429 if they have too many."""
        if self._open[person_id] >= _MAX_STREAMS_PER_PERSON:
            raise make_retry_later_error(_TOO_MANY_STREAMS, 2)
        self._open[person_id] += 1
        try:
            yield
        finally:
            self._open[person_id] -= 1
            if not self._open[person_id]:
                del self._open[person_id]


def make_retry_later_error(detail: str, seconds: float) -> ProblemError:
    """Return the problem of a request that may succeed after some seconds."""
    headers = {"Retry-After": str(max(1, round(seconds + 0.5)))}
    return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, detail, headers)
