"""Twenty submissions a second, as in an exam: from the request to the published verdict."""

from sqlalchemy import select

from benchmarks.result_tables import Aim, Row, Section, ms
from benchmarks.service.clients import percentile, submit_all, submit_steadily
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
            submit_all(service, _WARM_UP, _CLIENTS)
            service.wait_until_graded()
            cpu, size = service.cpu(), service.size()
            sent = submit_steadily(service, number, _PER_SECOND, _CLIENTS)
            service.wait_until_graded()
            cpu, size = service.cpu() - cpu, service.size() - size
            published = _published(service)
        once = sum(len(published[each.id]) == 1 for each in sent)
        seconds = [published[each.id][0] - each.began for each in sent]
        answer = percentile([each.seconds for each in sent], 99)
        middle, late = percentile(seconds, 50), percentile(seconds, 99)
        cells = (ms(each) for each in (min(seconds), middle, late, cpu / number))
        rows.append((dialect, *cells, f"{size / number:,.0f}"))
        aims += [
            Aim(f"verdict, {dialect}, p50", middle, 0.5, "s"),
            Aim(f"verdict, {dialect}, p99", late, 2, "s"),
            Aim(f"verdict, {dialect}, accept p99", answer * 1000, 1_000, "ms"),
            Aim(f"verdict, {dialect}, one verdict each", once, number, at_least=True),
        ]
    header = ("store", "min ms", "p50 ms", "p99 ms", "CPU ms each", "bytes each")
    notes = _NOTES.format(number=number, per_second=_PER_SECOND)
    title = f"verdict: from submission to verdict at {_PER_SECOND} a second"
    return Section(title, header, rows, notes, aims)


def _published(service: Running) -> dict[str, list[float]]:
    """Return when verdicts were published for each submission, in seconds since 1970."""
    chosen = select(event.c.subject, event.c.at).where(event.c.kind == events.PUBLISHED)
    times: dict[str, list[float]] = {}
    with service.database.read() as connection:
        for row in connection.execute(chosen):
            times.setdefault(row.subject, []).append(row.at / 1e6)
    return times
