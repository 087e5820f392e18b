"""Sixteen clients at once: submissions taken in a second, and how long an answer takes."""

import time

import numpy as np

from benchmarks.result_tables import Aim, Row, Section, ms
from benchmarks.service.clients import percentile, submit_all
from benchmarks.service.stage import Running, Stores, running

_CLIENTS = 16
_WARM_UP = 160

_NOTES = """\
- {clients} clients, each with a connection that it keeps, submit {number:,} different sources as
  fast as they are answered, which is once it is durable, while two workers grade.
- Server CPU: of the process that takes in, for each; on SQLite it publishes verdicts, too.
- Cores: of the server, its workers and the database, over the time of submitting, and of the
  clients, which run on the same cores.
"""


def measure(stores: Stores, *, quick: bool) -> Section:
    """Submit from several clients, each as fast as it is answered."""
    number = 800 if quick else 6_400
    rows: list[Row] = []
    aims: list[Aim] = []
    for dialect in stores.dialects:
        with running(stores.make(dialect)) as service:
            submit_all(service, _WARM_UP, _CLIENTS)
            before, begin = _cpu(service), time.perf_counter()
            seconds = sorted(each.seconds for each in submit_all(service, number, _CLIENTS))
            wall = time.perf_counter() - begin
            server, everything, clients = np.subtract(_cpu(service), before)
        rate, late = number / wall, percentile(seconds, 99)
        cells = (ms(each) for each in (seconds[0], percentile(seconds, 50), late, server / number))
        used = (f"{everything / wall:.2f}", f"{clients / wall:.2f}")
        rows.append((dialect, f"{rate:.0f}", *cells, *used))
        aims += [
            Aim(f"accepted, {dialect}", rate, 200, "/s", at_least=True),
            Aim(f"accepted, {dialect}, p99", late * 1000, 250, "ms"),
        ]
    waits = ("min ms", "p50 ms", "p99 ms")
    header = ("store", "accepted /s", *waits, "server CPU ms", "cores", "clients' cores")
    notes = _NOTES.format(clients=_CLIENTS, number=number)
    return Section(f"accept: {_CLIENTS} clients submit", header, rows, notes, aims)


def _cpu(service: Running) -> tuple[float, float, float]:
    """Return the CPU seconds of the server alone, of all that serves, and of the clients."""
    return service.server_cpu(), service.cpu(), time.process_time()
