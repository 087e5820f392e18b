"""Twenty submissions a second: from the request to the published verdict."""

from sqlalchemy import select

from benchmarks.result_tables import Aim, Row, Section, ms
from benchmarks.service.clients import HandedIn, hand_in_all, hand_in_steadily
from benchmarks.service.figures import percentile
from benchmarks.service.stage import Running, Stores, running
from etude_server.store import events
from etude_server.store.tables import event

_PER_SECOND = 20
_CLIENTS = 8
_WARM_UP = 40

_NOTES = """\
- {number:,} submissions at {per_second} a second, each of another source, to two workers; from the
  moment before the request to the time in the event that publishes the verdict, one clock. A page
  is told at most 0.2 s later.
- CPU: of server, workers, grading and database, taking in included. Bytes: what the database grew
  by.
- PostgreSQL: two `etude worker` processes.
"""


def measure(stores: Stores, *, quick: bool) -> Section:
    """Submit at a steady pace, and see when the verdicts come."""
    number = _PER_SECOND * (10 if quick else 60)
    rows: list[Row] = []
    aims: list[Aim] = []
    for dialect in stores.dialects:
        with running(stores.make(dialect)) as service:
            hand_in_all(service, _WARM_UP, _CLIENTS)
            service.wait_until_graded()
            cpu, size = service.cpu(), service.size()
            handed = hand_in_steadily(service, number, _PER_SECOND, _CLIENTS)
            service.wait_until_graded()
            cpu, size = service.cpu() - cpu, service.size() - size
            seconds = _until_published(service, handed)
        middle, late = percentile(seconds, 50), percentile(seconds, 99)
        cells = (ms(each) for each in (min(seconds), middle, late, cpu / number))
        rows.append((dialect, *cells, f"{size / number:,.0f}"))
        aims += [
            Aim(f"verdict, {dialect}, p50", middle, 0.5, "s"),
            Aim(f"verdict, {dialect}, p99", late, 2, "s"),
        ]
    header = ("store", "min ms", "p50 ms", "p99 ms", "CPU ms each", "bytes each")
    notes = _NOTES.format(number=number, per_second=_PER_SECOND)
    title = f"verdict: from submission to verdict at {_PER_SECOND} a second"
    return Section(title, header, rows, notes, aims)


def _until_published(service: Running, handed: list[HandedIn]) -> list[float]:
    chosen = select(event.c.subject, event.c.at).where(event.c.kind == events.PUBLISHED)
    with service.database.read() as connection:
        at = {str(row.subject): row.at / 1e6 for row in connection.execute(chosen)}
    return [at[each.id] - each.began for each in handed]
