"""An exam: a thousand students who all submit within one minute."""

import os
import time
from collections import Counter

from sqlalchemy import func, select

from benchmarks.result_tables import Aim, Row, Section, ms
from benchmarks.service.clients import hand_in_steadily
from benchmarks.service.figures import percentile
from benchmarks.service.stage import Stores, exercise, running
from etude_server.store.tables import publication

_CLIENTS = 64

_NOTES = """\
- {number:,} students submit once each within {seconds} s, every source another, while two workers
  grade.
  `--queue-seconds 0`: no one is refused.
- A thousand in a minute are 17 a second. Those that wait at the end are graded afterwards.
"""


def measure(stores: Stores, *, quick: bool) -> Section:
    """Have everybody submit, and see that each has one verdict."""
    number, seconds = (200, 12) if quick else (1_000, 60)
    rows: list[Row] = []
    aims: list[Aim] = []
    os.environ["ETUDE_QUEUE_SECONDS"] = "0"
    try:
        for dialect in stores.dialects:
            with running(stores.make(dialect)) as service:
                exercise()  # once, before every client would load the collection for itself
                begin = time.perf_counter()
                handed = hand_in_steadily(service, number, number / seconds, _CLIENTS)
                took = time.perf_counter() - begin
                service.wait_until_graded()
                with service.database.read() as connection:
                    chosen = select(publication.c.submission_id, func.count())
                    found = connection.execute(chosen.group_by(publication.c.submission_id))
                    verdicts = Counter({row[0]: row[1] for row in found})
            once = sum(verdicts[each.id] == 1 for each in handed)
            waits = [each.seconds for each in handed]
            late = percentile(waits, 99)
            rows.append(
                (
                    dialect,
                    f"{len(handed)}",
                    f"{took:.0f}",
                    ms(percentile(waits, 50)),
                    ms(late),
                    f"{once}",
                )
            )
            aims += [
                Aim(f"exam, {dialect}, accept p99", late * 1000, 1_000, "ms"),
                Aim(f"exam, {dialect}, one verdict each", once, number, at_least=True),
            ]
    finally:
        del os.environ["ETUDE_QUEUE_SECONDS"]
    header = ("store", "accepted", "within s", "p50 ms", "p99 ms", "one verdict")
    notes = _NOTES.format(number=number, seconds=seconds)
    return Section("exam: everybody in a minute", header, rows, notes, aims)
