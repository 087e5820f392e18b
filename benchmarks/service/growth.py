"""Memory of the server while thousands of submissions go through it."""

from benchmarks.processes import Memory, children_of, memory
from benchmarks.result_tables import Aim, Row, Section
from benchmarks.service.clients import submit_all
from benchmarks.service.stage import Running, Stores, running

_CLIENTS = 4
_BLOCK = 500  # in the queue at once
_FLAT = 1.1

_NOTES = """\
- `etude serve` on SQLite with two workers; every submission of another source, submitted over HTTP
  and graded. MB of a million bytes, RSS: between two submissions.
- server: the process that answers. pool: the one that has submissions graded; its workers are
  replaced now and then.
- store: what the file grew by, and that divided by the submissions: source, verdict, events, all.
"""


def measure(stores: Stores, *, quick: bool) -> Section:
    """Look at a server now and then."""
    looks = (500, 1_000, 2_000) if quick else (1_000, 2_000, 5_000, 10_000, 15_000, 20_000)
    rows: list[Row] = []
    held: list[tuple[Memory, Memory]] = []
    done = 0
    with running(stores.make("SQLite")) as service:
        empty = service.size()
        for look in looks:
            while done < look:
                submit_all(service, _BLOCK, _CLIENTS)
                service.wait_until_graded()
                done += _BLOCK
            each = _held(service)
            if each is not None:
                held.append(each)
            rows.append(_row(done, each, service.size() - empty))
    aims = []
    if held:
        (server, pool), (last_server, last_desk) = held[0], held[-1]
        aims = [
            Aim("memory: server, RSS, last / first", last_server.rss / server.rss, _FLAT),
            Aim("memory: pool, RSS, last / first", last_desk.rss / pool.rss, _FLAT),
        ]
    header = ("graded", "server MB", "pool MB", "store MB", "bytes each")
    return Section("memory: a long run", header, rows, _NOTES, aims)


def _held(service: Running) -> tuple[Memory, Memory] | None:
    server = memory([service.server.pid])
    pool = memory(sorted(children_of(service.server.pid)))
    return (server, pool) if server and pool else None


def _row(done: int, held: tuple[Memory, Memory] | None, size: int) -> Row:
    cells = [f"{each.rss:.1f}" for each in held] if held else ["?", "?"]
    return f"{done:,}", *cells, f"{size / 1e6:.1f}", f"{size / done:,.0f}"
