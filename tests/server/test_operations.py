"""Operation of the service: health, metrics, logs, and the end of old diagnostics."""

import contextlib
import dataclasses
import io
import json
import logging
import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
import structlog
import uvicorn
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from etude_server import logs
from etude_server.app import create_app
from etude_server.catalog import Catalog
from etude_server.health import OK, Health, SelfTest, serve_health
from etude_server.job_queue import JobQueue
from etude_server.metrics import Meter
from etude_server.service import Service, open_service
from etude_server.settings import Settings
from etude_server.store import people, submissions, verdicts
from etude_server.store.database import Database
from etude_server.store.ids import now
from etude_server.store.tables import grading_run, waiting
from etude_server.sweeper import Sweeper
from grader import errors
from grader.definitions.collection import load_exercise_file
from grader.errors import UsageError
from grader.grading.jobs import Job
from grader.grading.submissions.submission import Submission
from grader.grading.workers.grading_process import GradingProcess
from tests.conftest import DOUBLE
from tests.server.conftest import EXERCISES, accept_sources
from tests.server.postgres import PostgresServer

_DAY = 24 * 60 * 60 * 1_000_000


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.load(EXERCISES)


@pytest.fixture(scope="module")
def pool() -> Iterator[GradingProcess]:
    with GradingProcess(1) as opened:
        yield opened


@contextlib.contextmanager
def _serving(context: Service) -> Iterator[str]:
    """Serve on 127.0.0.1 and give the address."""
    config = uvicorn.Config(create_app(context), port=0, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        threading.Event().wait(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def _samples(exposition: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return each sample by its name and its labels' values."""
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(exposition)
        for sample in family.samples
    }


def test_the_self_test_grades_a_model_answer(pool: GradingProcess, catalog: Catalog) -> None:
    """It is well when a real answer passes in the real sandbox."""
    assert SelfTest(pool, catalog).wait() == OK


def test_the_self_test_tells_what_is_wrong(pool: GradingProcess, catalog: Catalog) -> None:
    """A model answer that does not pass means that this host grades wrongly."""
    first = next(iter(catalog.exercises.values()))
    spoilt = dataclasses.replace(first, solution="x = 1\n")
    test = SelfTest(pool, Catalog(catalog.tracks, {first.id: spoilt}))
    assert test.wait() == f"the model answer of {first.id} does not pass"


def test_a_broken_exercise_does_not_keep_a_host_from_grading(
    pool: GradingProcess, catalog: Catalog
) -> None:
    """Its author has to fix it; that another's model answer passes shows that the host is well."""
    first, second, *_ = catalog.exercises.values()
    spoilt = dataclasses.replace(first, solution="x = 1\n")
    assert SelfTest(pool, Catalog(catalog.tracks, {"a": spoilt, "b": second})).wait() == OK


def test_a_server_without_a_desk_needs_no_self_test(catalog: Catalog) -> None:
    """Its submissions are graded elsewhere."""
    assert SelfTest(None, catalog).state == OK


def test_ready_means_that_everything_is(database: Database, catalog: Catalog) -> None:
    """Each check is told by itself; one that fails makes the whole not ready."""
    unavailable_reason: str | None = None
    health = Health(database, SelfTest(None, catalog), lambda: unavailable_reason)
    assert set(health.run_checks().values()) == {OK}
    unavailable_reason = "the executor does not run"
    assert health.run_checks()["grading"] == unavailable_reason


def test_a_database_without_its_tables_is_not_ready(catalog: Catalog, tmp_path: Path) -> None:
    """A server of a newer version waits for its migration."""
    with Database(f"sqlite:///{tmp_path}/new.db") as database:
        health = Health(database, SelfTest(None, catalog), lambda: None)
        assert health.run_checks()["migrations"] == "a migration is missing"


def test_a_database_that_is_away_is_told(catalog: Catalog, tmp_path: Path) -> None:
    """Not ready, without a word of its address."""
    with Database(f"sqlite:///{tmp_path}/no/folder/etude.db") as database:
        health = Health(database, SelfTest(None, catalog), lambda: None)
        assert health.run_checks()["database"] == "unreachable: UsageError"


def test_the_health_port_answers_probes(database: Database, catalog: Catalog) -> None:
    """Alive at once, ready when it is so, metrics beside, and nothing else."""
    unavailable_reason: str | None = "starting"
    health = Health(database, SelfTest(None, catalog), lambda: unavailable_reason)
    meter = Meter()
    meter.register_queue(database)
    with serve_health("127.0.0.1", 0, health, meter) as port:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
            assert client.get("/livez").json() == {"status": "ok"}
            answer = client.get("/readyz")
            assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE
            assert answer.json()["checks"]["grading"] == "starting"
            unavailable_reason = None
            assert client.get("/readyz").is_success
            assert ("etude_queue_waiting", ()) in _samples(client.get("/metrics").text)
            assert client.get("/secret").status_code == HTTPStatus.NOT_FOUND
        with (
            pytest.raises(UsageError, match="cannot listen on port"),
            serve_health("127.0.0.1", port, health, meter),
        ):
            pass


def test_a_store_that_can_only_be_read_is_not_ready(
    database_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readiness tries a write, which changes nothing."""
    monkeypatch.setattr("etude_server.store.database._BUSY_SECONDS", 0.1)
    with Database(database_url) as database, contextlib.ExitStack() as until_read:
        health = Health(database, SelfTest(None, catalog), lambda: None)
        assert set(health.run_checks().values()) == {OK}
        if database.path is None:
            with database.write() as connection:
                connection.exec_driver_sql(
                    f'ALTER DATABASE "{database.url.database}" '
                    "SET default_transaction_read_only = on"
                )
            database.engine.dispose()
        else:
            other = sqlite3.connect(database.path, isolation_level=None)
            until_read.callback(other.close)
            other.execute("BEGIN IMMEDIATE")
        assert health.run_checks()["database"].startswith("unreachable: ")


def test_metrics_tell_of_the_queue(database: Database) -> None:
    """How long the oldest has waited, how many wait, how many are parked."""
    meter = Meter()
    meter.register_queue(database)
    empty = _samples(meter.render().decode())
    assert empty["etude_queue_oldest_seconds", ()] == 0
    first, *_ = accept_sources(database, "x = 1\n", "x = 2\n", "x = 3\n")
    with database.write() as connection:
        submissions.park_submission(connection, first.id, "test")
    found = _samples(meter.render().decode())
    assert found["etude_queue_oldest_seconds", ()] > 0
    assert found["etude_queue_waiting", ()] == 2
    assert found["etude_queue_parked", ()] == 1


@pytest.mark.slow
def test_a_server_tells_what_it_does(tmp_path: Path) -> None:
    """Verdicts by outcome, grading time, and requests by the pattern of their route."""
    settings = Settings(f"sqlite:///{tmp_path}/etude.db", (EXERCISES,), workers=1)
    with open_service(settings) as context:
        with context.database.write() as connection:
            owner = people.add_person(connection, "ada", "student", actor="test")
            token = people.make_token(connection, owner, "test", actor="test")
        headers = {"Authorization": f"Bearer {token}"}
        with _serving(context) as url, httpx.Client(base_url=url, headers=headers) as client:
            source = next(iter(context.catalog.exercises.values())).solution
            exercise = next(iter(context.catalog.exercises))
            made = client.post("/v1/submissions", json={"exercise": exercise, "source": source})
            location = made.headers["Location"]
            while client.get(location).json()["state"] == "pending":
                threading.Event().wait(0.05)
            assert client.get("/livez").is_success
            assert client.get("/readyz").json()["status"] == OK
            exposition = client.get("/metrics").text
    found = _samples(exposition)
    assert found["etude_verdicts_total", ("passed",)] == 1
    assert found["etude_grading_seconds_count", ()] == 1
    assert found["etude_http_requests_total", ("POST", "/v1/submissions", "202")] == 1
    assert ("etude_http_seconds_count", ("/v1/submissions/{submission_id}",)) in found
    assert location.rpartition("/")[2] not in exposition
    assert "ada" not in exposition


def test_a_log_line_is_json_that_quotes_nothing(log: io.StringIO) -> None:
    """An error is its type and place; of a library's arguments only numbers are told."""

    def fail() -> None:
        raise IntegrityError("INSERT", {"text": "print('my homework')"}, ValueError("secret"))

    try:
        fail()
    except IntegrityError:
        logging.getLogger("uvicorn.error").exception("failed for %s and %d", "secret", 3)
    structlog.get_logger("grader").warning("parked", count=2)
    first, second = (json.loads(line) for line in log.getvalue().splitlines())
    assert first["error"] == "IntegrityError"
    assert first["event"] == "failed for ... and 3"
    assert first["at"][-1].endswith(" fail")
    assert "secret" not in log.getvalue()
    assert "homework" not in log.getvalue()
    assert (second["event"], second["count"], second["level"]) == ("parked", 2, "warning")


def test_a_thread_that_fails_is_a_line(log: io.StringIO) -> None:
    """Not a traceback between the lines, with a sentence that may quote anything."""

    def fail() -> None:
        raise ValueError("my homework")

    thread = threading.Thread(target=fail, name="sender")
    thread.start()
    thread.join()
    told = json.loads(log.getvalue())
    assert (told["error"], told["thread"]) == ("ValueError", "sender")
    assert told["at"][-1].endswith(" fail")
    assert "homework" not in log.getvalue()


def test_what_grading_processes_write_is_a_line(log: io.StringIO) -> None:
    """How much, which error, and where in our own files: a quote that looks like them is not told."""
    ours = Path(errors.__file__)
    written = (
        "a print of an author's code\n"
        f'Traceback (most recent call last):\n  File "{ours}", line 3, in my_homework\n'
        f'  File "my homework", line 5, in f\n  File "{ours}/../my homework", line 7, in f\n'
        "grader.errors.SandboxFault: my homework\nMyHomework: 1\n"
    )
    with logs.capture_grader_stderr() as descriptor:
        os.write(descriptor, written.encode())
    told = json.loads(log.getvalue())
    assert (told["error"], told["at"]) == ("SandboxFault", ["errors.py:3"])
    assert told["characters"] == len(written)
    assert "omework" not in log.getvalue()


@pytest.mark.slow
def test_what_an_author_s_code_prints_is_told_of(log: io.StringIO, tmp_path: Path) -> None:
    """The pool's processes write to the pipe, and a new pool does after the first one was killed."""
    drawn = "x = rng.standard_normal(5)\n"
    path = tmp_path / "01-double.yaml"
    path.write_text(DOUBLE.replace(drawn, f"{drawn}      print('my homework')\n"))
    loud = load_exercise_file(path)
    job = Job(loud, Submission.from_bytes(Path("double.py"), loud.solution.encode()))
    with logs.capture_grader_stderr() as descriptor, GradingProcess(1, descriptor) as pool:
        pool.grade(job).result()
        os.kill(pool.pid, signal.SIGKILL)
        pool.grade(job).result()
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert {line["event"] for line in lines} == {"a grading process wrote to stderr"}
    assert sum(line["characters"] for line in lines) >= 2 * len("my homework\n")
    assert "homework" not in log.getvalue()


def test_a_statement_that_fails_does_not_quote_its_values(database: Database) -> None:
    """What was to be written may be a submission's text."""
    with database.write() as connection, pytest.raises(IntegrityError) as caught:
        connection.execute(waiting.insert().values(submission_id="my homework", parked=None))
    assert "[SQL parameters hidden" in str(caught.value)


def test_each_request_has_an_id_in_answer_and_log(log: io.StringIO, tmp_path: Path) -> None:
    """A complaint thus leads to its line, which has no token and no id in its path."""
    settings = Settings(f"sqlite:///{tmp_path}/etude.db", (EXERCISES,), workers=1)
    path = "/v1/submissions/00000000-0000-0000-0000-000000000000"
    with open_service(settings) as context, _serving(context) as url:
        answer = httpx.get(f"{url}{path}", headers={"Authorization": "Bearer tell-nobody"})
    [line] = [each for each in map(json.loads, log.getvalue().splitlines()) if "route" in each]
    assert line["request_id"] == answer.headers["X-Request-ID"]
    assert line["route"] == "/v1/submissions/{submission_id}"
    assert line["status"] == HTTPStatus.UNAUTHORIZED
    assert "tell-nobody" not in log.getvalue()
    assert "0000" not in log.getvalue().replace(line["request_id"], "")


def test_old_diagnostics_go_and_verdicts_stay(database: Database) -> None:
    """The sweep forgets who graded what long ago; newer ones are kept."""
    run = verdicts.GradingRun("here", now() - 91 * _DAY, now() - 91 * _DAY)
    with database.write() as connection:
        verdicts.record_fault(connection, "e", "s", run, "old")
        verdicts.record_fault(
            connection, "e", "s", verdicts.GradingRun("here", now(), now()), "new"
        )
    Sweeper(database, 40_000).sweep()  # for longer than there are computers
    Sweeper(database, 90).sweep()
    with database.read() as connection:
        left = connection.execute(select(grading_run.c.message)).scalars().all()
    assert left == ["new"]


def test_the_sweep_finds_what_was_lost(postgres: PostgresServer) -> None:
    """A submission that waits without a job gets one."""
    with Database(postgres.make("sweep", "etude_template")) as database, JobQueue(database) as jobs:
        [lost] = accept_sources(database, "x = 1\n")
        assert Sweeper(database, 90, jobs).sweep() == 1
        assert Sweeper(database, 90, jobs).sweep() == 0
        with database.read() as connection:
            queued = text("SELECT args->>'submission_id' FROM procrastinate_jobs")
            assert connection.execute(queued).scalars().all() == [lost.id]
        jobs.defer_submissions([f"{number}" for number in range(1_500)])  # more than one batch
        with database.read() as connection:
            assert len(connection.execute(queued).all()) == 1 + 1_500
    postgres.drop("sweep")
