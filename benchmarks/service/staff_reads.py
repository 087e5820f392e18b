"""Fifty thousand stored: what pages and exports for staff cost the process that accepts."""

import hashlib
import random
import time
from statistics import median

import httpx
from sqlalchemy import insert, select

from benchmarks.result_tables import Aim, Row, Section, ms
from benchmarks.service.stage import Running, Stores, running
from etude_server.store import people
from etude_server.store.database import Database
from etude_server.store.ids import make_id, now
from etude_server.store.tables import grade, mistake, person, publication, submission, verdict
from etude_server.store.tables import source as source_table

_EXERCISES = 20
_TRIES = 5
_PASSES, _FAILS = ("passed", 5), ("failed", 2)

_NOTES = """\
- {number:,} graded submissions of 1,000 students in {exercises} exercises, written at once.
- CPU: of the process that accepts; what it has done aside, by another process, is not counted.
- The first read starts that other process, and is left out.
"""


def measure(stores: Stores, *, quick: bool) -> Section:
    """Ask for the overview, the statistics and the gradebook."""
    each = 1 if quick else 5  # submissions of a student in an exercise, at most
    rows: list[Row] = []
    aims: list[Aim] = []
    number = 0
    for dialect in stores.dialects:
        with running(stores.make(dialect), 1, grades=False) as service:
            number = _fill(service.database, each)
            token = _instructor(service.database)
            with httpx.Client(base_url=f"http://127.0.0.1:{service.port}", timeout=60) as client:
                client.post("/sign-in", data={"token": token})
                for what, path in (
                    ("overview", "/staff/"),
                    ("statistics", "/v1/statistics"),
                    ("gradebook, CSV", "/v1/gradebook?format=csv"),
                ):
                    cpu, wall = _cost(service, client, path)
                    rows.append((f"{dialect}, {what}", ms(cpu), ms(wall)))
                    if what == "overview":
                        aims.append(Aim(f"staff overview, {dialect}", cpu * 1000, 50, "ms CPU"))
    notes = _NOTES.format(number=number, exercises=_EXERCISES)
    return Section("staff: pages and exports", ("read", "CPU ms", "wall ms"), rows, notes, aims)


def _cost(service: Running, client: httpx.Client, path: str) -> tuple[float, float]:
    """Return the CPU seconds of the server for one answer, and the wall seconds."""
    client.get(path).raise_for_status()
    walls = []
    before = service.server_cpu()
    for _ in range(_TRIES):
        begin = time.perf_counter()
        client.get(path).raise_for_status()
        walls.append(time.perf_counter() - begin)
    return (service.server_cpu() - before) / _TRIES, median(walls)


def _instructor(database: Database) -> str:
    with database.write() as connection:
        owner = people.add_person(connection, "prof", "instructor", actor="bench")
        return people.make_token(connection, owner, "bench", actor="bench")


def _fill(database: Database, most: int) -> int:
    """Write graded submissions of everybody in every exercise; return how many."""
    drawn = random.Random(1)  # noqa: S311  no secret
    rows: dict[str, list[dict[str, object]]] = {"submission": [], "publication": [], "grade": []}
    with database.write() as connection:
        owners = connection.execute(select(person.c.id)).scalars().all()
        for name in (f"bench-{number}" for number in range(_EXERCISES)):
            keys = {}
            for outcome, score in (_PASSES, _FAILS):
                digest = hashlib.sha256(f"{name} {outcome}".encode()).hexdigest()
                key = {"exercise_hash": hashlib.sha256(name.encode()).hexdigest(),
                       "source_hash": digest, "grader_version": "0"}  # fmt: skip
                keys[outcome] = key
                connection.execute(insert(source_table), {"hash": digest, "text": outcome})
                told = {"exercise": name, "outcome": outcome, "score": score, "max_score": 5}
                connection.execute(insert(verdict), {**key, **told, "xp": 0, "body": "{}", "at": 0})
            for kind in ("test", "misconception"):
                connection.execute(insert(mistake), {**key, "kind": kind, "name": kind})
            for owner in owners:
                solves, count = drawn.random() < 0.8, drawn.randint(1, most)  # noqa: PLR2004  most do
                for turn in range(count):
                    outcome = "passed" if solves and turn == count - 1 else "failed"
                    made = make_id()
                    rows["submission"].append({
                        "id": made, "person_id": owner, "exercise": name, "received_at": now(),
                        "source_hash": keys[outcome]["source_hash"], "idempotency_key": made,
                    })  # fmt: skip
                    rows["publication"].append({"submission_id": made, **keys[outcome],
                                                "event_seq": 0})  # fmt: skip
                rows["grade"].append({
                    "person_id": owner, "exercise": name, "submission_id": made, "xp": 0,
                    "score": 5 if solves else 2, "max_score": 5, "passed": solves, "event_seq": 0,
                })  # fmt: skip
        for table in (submission, publication, grade):
            connection.execute(insert(table), rows[table.name])
    return len(rows["submission"])
