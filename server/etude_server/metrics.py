"""Metrics for Prometheus: the queue, verdicts and requests.

No metric identifies a person, a submission or an exercise.
"""

from collections.abc import Iterator
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram
from prometheus_client import generate_latest as _render_registry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from etude_server.store import submissions
from etude_server.store.database import Database
from etude_server.store.ids import now

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST

_GRADING_BUCKETS: Final = (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_REQUEST_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Meter:
    """The counters of one process."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self._verdicts = Counter(
            "etude_verdicts", "Verdicts made here.", ["outcome"], registry=registry
        )
        self._faults = Counter(
            "etude_faults", "Submissions given up after three tries.", registry=registry
        )
        text = "From the pool to its verdict."
        self._grading = Histogram(
            "etude_grading_seconds", text, buckets=_GRADING_BUCKETS, registry=registry
        )
        labels, text = ["method", "route", "status"], "Requests that were answered."
        self._requests = Counter("etude_http_requests", text, labels, registry=registry)
        text = "From a request to the end of its answer."
        self._answering = Histogram(
            "etude_http_seconds", text, ["route"], buckets=_REQUEST_BUCKETS, registry=registry
        )

    def register_queue(self, database: Database) -> None:
        """Register the queue's metrics, which each scrape reads from the store."""
        self.registry.register(_Queue(database))

    def count_verdict(self, outcome: str, seconds: float) -> None:
        """Count a verdict."""
        self._verdicts.labels(outcome).inc()
        self._grading.observe(seconds)

    def count_fault(self) -> None:
        """Count a submission that could not be graded."""
        self._faults.inc()

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request by its route's pattern, without ids."""
        self._requests.labels(method, route, str(status)).inc()
        self._answering.labels(route).observe(seconds)

    def render(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return _render_registry(self.registry)


class _Queue(Collector):
    """The queue's metrics, read from the store; none if the store is unavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Return no metrics, because the store is read only during a scrape."""
        return iter(())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the queue's age and length."""
        try:
            with self._database.read() as connection:
                oldest_time = submissions.find_oldest_waiting_time(connection)
                waiting, parked = submissions.count_waiting_and_parked(connection)
        except SQLAlchemyError:
            return
        # A clock that was set back must not give a negative age.
        age = 0.0 if oldest_time is None else max(0, now() - oldest_time) / 1e6
        yield GaugeMetricFamily(
            "etude_queue_oldest_seconds", "How long the oldest submission has waited.", age
        )
        yield GaugeMetricFamily("etude_queue_waiting", "Submissions without a verdict.", waiting)
        yield GaugeMetricFamily("etude_queue_parked", "Submissions that wait for staff.", parked)
