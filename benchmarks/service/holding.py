"""Delay that a hostile submission causes for another student, and for a stop."""

import tempfile
import time
from pathlib import Path

from benchmarks import hostile
from benchmarks.result_tables import Aim, Row, Section
from benchmarks.service.clients import Client
from benchmarks.service.stage import Running, Stores, running

_SUBMISSIONS = ("64 MB of halves into a product", "as many halves as pass", "a long sum", "a sleep")
_STOPPED_IN = "a long sum"
_LONG_SECONDS = 60.0  # seconds that a submission has while which a stop comes
_BEFORE_STOP = 1.0

_NOTES = """\
- One grading process. Another: seconds from the moment before a hostile submission is submitted,
  with a right one of another student behind it, until both verdicts are there, beyond the
  exercise's limit of {limit:g} s; the longest of {number}.
- SIGTERM: seconds until server and worker have ended that were grading a submission with a limit of
  {long:g} s.
"""


def measure(stores: Stores, *, quick: bool) -> Section:  # noqa: ARG001  one round is enough
    """Submit what holds a grader, and something else behind it; then end the service."""
    rows: list[Row] = []
    aims: list[Aim] = []
    with tempfile.TemporaryDirectory() as folder:
        collection = _collection(Path(folder))
        for dialect in stores.dialects:
            with running(stores.make(dialect), 1, collection=collection) as service:
                other = max(_both(service, name) for name in _SUBMISSIONS) - hostile.LIMIT
                stop = _stop(service)
            rows.append((dialect, f"{other:.2f}", f"{stop:.2f}"))
            aims += [
                Aim(f"held, {dialect}, another student's verdict beyond the limit", other, 2, "s"),
                Aim(f"held, {dialect}, SIGTERM", stop, 10, "s"),
            ]
    notes = _NOTES.format(limit=hostile.LIMIT, number=len(_SUBMISSIONS), long=_LONG_SECONDS)
    title = "held: what a hostile submission costs others"
    return Section(title, ("store", "another s", "SIGTERM s"), rows, notes, aims)


def _collection(folder: Path) -> Path:
    track = folder / "held"
    track.mkdir()
    text = hostile.EXERCISE.read_text("utf-8")
    (track / "01-held.yaml").write_text(text)
    limit = f"wall_seconds: {hostile.LIMIT}", f"wall_seconds: {_LONG_SECONDS}"
    long = text.replace("id: held", "id: held-long").replace(*limit)
    (track / "02-held-long.yaml").write_text(long)
    (track / "track.yaml").write_text(
        "id: held\ntitle: Held\ndescription: d\nexercises: [held, held-long]\n"
    )
    return folder


def _both(service: Running, name: str) -> float:
    with Client(service.port) as client:
        begin = time.perf_counter()
        client.submit(service.tokens[0], "held", hostile.SUBMISSIONS[name])
        client.submit(service.tokens[1], "held", f"{hostile.SOLUTION}# after {name}\n")
        service.wait_until_graded()
        return time.perf_counter() - begin


def _stop(service: Running) -> float:
    with Client(service.port) as client:
        client.submit(service.tokens[0], "held-long", hostile.SUBMISSIONS[_STOPPED_IN])
    time.sleep(_BEFORE_STOP)
    begin = time.perf_counter()
    programs = [service.server, *service.workers]
    for program in programs:
        program.terminate()
    for program in programs:
        program.wait()
    return time.perf_counter() - begin
