"""A line of a hundred thousand: does taking in, telling and fetching get slower?"""

import asyncio
import hashlib
import time
from statistics import median

from sqlalchemy import insert

from benchmarks.result_tables import Aim, Row, Section, ms
from benchmarks.service.clients import Client, percentile
from benchmarks.service.stage import EXERCISE, Running, Stores, new_source, running
from etude_server.job_queue import INTERACTIVE_LANE, JobQueue, make_procrastinate_app
from etude_server.store import people, submissions
from etude_server.store.database import Database
from etude_server.store.ids import make_id, now
from etude_server.store.tables import source, submission, waiting

_TRIES = 100
_FETCHES = 20

_NOTES = """\
- Submissions lie in the store and in the queue; no one grades on PostgreSQL meanwhile, on SQLite
  the server does. One client submits {tries} more and asks for the state of each, which tells its
  place in the line.
- fetch: what an executor asks for next; on PostgreSQL the queue's own function, on SQLite a query.
"""


def measure(stores: Stores, *, quick: bool) -> Section:
    """Submit, ask and fetch with no backlog, then with one."""
    number = 5_000 if quick else 100_000
    rows: list[Row] = []
    aims: list[Aim] = []
    for dialect in stores.dialects:
        with running(stores.make(dialect), 1, grades=False) as service:
            before = _take(service)
            _fill(service.database, number)
            after = _take(service)
        rows += [_row(f"{dialect}, none", before), _row(f"{dialect}, {number:,}", after)]
        aims += [
            Aim(f"backlog, {dialect}, accept p50, with / without", _ratio(before, after, 0), 2),
            Aim(f"backlog, {dialect}, fetch", median(after[2]) * 1000, 10, "ms"),
        ]
    header = ("backlog", "accept p50 ms", "accept p99 ms", "state p50 ms", "fetch p50 ms")
    return Section("backlog: a long line", header, rows, _NOTES.format(tries=_TRIES), aims)


def _fill(database: Database, number: int) -> None:
    """Put submissions into the tables at once: submitted one by one, the first would be too old."""
    made = [(make_id(), new_source()) for _ in range(number)]
    sources = [
        {"hash": hashlib.sha256(each.encode()).hexdigest(), "text": each} for _, each in made
    ]
    with database.write() as connection:
        owner = people.add_person(connection, "bench", "student", actor="bench")
        rows = [
            {
                "id": each,
                "person_id": owner.id,
                "exercise": EXERCISE,
                "source_hash": kept["hash"],
                "received_at": now(),
                "idempotency_key": each,
            }
            for (each, _), kept in zip(made, sources, strict=True)
        ]
        connection.execute(insert(source), sources)
        connection.execute(insert(submission), rows)
        lines = [{"submission_id": each, "parked": False} for each, _ in made]
        connection.execute(insert(waiting), lines)
    if not database.is_sqlite:
        with JobQueue(database) as jobs:
            jobs.defer_submissions([each for each, _ in made])


_Taken = tuple[list[float], list[float], list[float]]


def _take(service: Running) -> _Taken:
    """Return the seconds of submitting, of asking, and of fetching."""
    sent = []
    looks = []
    with Client(service.port) as client:
        for token in service.tokens[:_TRIES]:
            each = client.submit(token)
            sent.append(each.seconds)
            looks.append(client.look(token, each.id))
    return sent, looks, _fetches(service.database)


def _fetches(database: Database) -> list[float]:
    if not database.is_sqlite:
        return asyncio.run(_fetches_from_queue(database))
    seconds = []
    for _ in range(_FETCHES):
        begin = time.perf_counter()
        with database.read() as connection:
            submissions.list_waiting(connection, 4)
        seconds.append(time.perf_counter() - begin)
    return seconds


async def _fetches_from_queue(database: Database) -> list[float]:
    seconds = []
    app = make_procrastinate_app(database)
    async with app.open_async():
        worker = await app.job_manager.register_worker()
        for _ in range(_FETCHES):
            begin = time.perf_counter()
            await app.job_manager.fetch_job([INTERACTIVE_LANE], worker)
            seconds.append(time.perf_counter() - begin)
    return seconds


def _ratio(before: _Taken, after: _Taken, which: int) -> float:
    return median(after[which]) / median(before[which])


def _row(what: str, taken: _Taken) -> Row:
    sent, looks, fetches = taken
    accept = ms(median(sent)), ms(percentile(sent, 99))
    return what, *accept, ms(median(looks)), ms(median(fetches))
