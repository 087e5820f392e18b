"""A fixed exercise, and submissions with verdicts of the previous version."""

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import select

from etude_server.actions import regrades as actions
from etude_server.actions.regrades import RegradePlan
from etude_server.catalog import Catalog
from etude_server.grading import GradingService
from etude_server.job_queue import JobQueue
from etude_server.store import people, submissions, verdicts
from etude_server.store.database import Database
from etude_server.store.regrades import Regrade
from etude_server.store.tables import event, grade, publication
from grader.definitions.exercise import Exercise
from grader.grading.workers.grading_process import GradingProcess
from tests.conftest import DOUBLE
from tests.server.conftest import make_verdict

OLD = "0" * 64
"""The version of all verdicts at the beginning."""

RIGHT = "def double(x):\n    return 2 * x\n"
HALF_RIGHT = "def double(x):\n    return 2 * abs(x)\n"
WRONG = "def double(x):\n    return x\n"
DEFINITION = "id: small\ntitle: Small\ndescription: One exercise.\nexercises: [double]\n"


def write_collection(folder: Path, exercise: str = DOUBLE) -> Path:
    """Write a collection with one exercise, and return its folder."""
    (folder / "small").mkdir(parents=True)
    (folder / "small/track.yaml").write_text(DEFINITION)
    (folder / "small/01-double.yaml").write_text(exercise)
    return folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with the fixed exercise."""
    made = tmp_path_factory.mktemp("collection")
    return write_collection(made)


@pytest.fixture(scope="session")
def pool() -> Iterator[GradingProcess]:
    """A real grading process."""
    with GradingProcess(2) as opened:
        yield opened


@dataclass
class Stored:
    """A store with submissions, and the means to grade them again."""

    grading: GradingService
    exercise: Exercise

    @property
    def database(self) -> Database:
        """The store's database."""
        return self.grading.database

    def submit(self, name: str, source: str, score: int, *, most: int = 5) -> str:
        """Store a submission with its verdict of the old version, and return its id."""
        source_hash = hashlib.sha256(source.encode()).hexdigest()
        made = make_verdict(source_hash, score, most, exercise_hash=OLD, xp=5)
        with self.database.write() as connection:
            # The verdict first, because publishing one locks its table before the person.
            kept = verdicts.store_verdict(connection, made, verdicts.GradingRun("here", 0, 10_000))
            owner = people.add_person(connection, name, "student", actor="test")
            taken = submissions.accept_submission(
                connection, owner, "double", source, key=source
            ).submission
            verdicts.publish_if_waiting(connection, taken, kept)
        return taken.id

    def plan(self) -> RegradePlan:
        """Plan a regrade of all submissions."""
        return actions.plan_regrade(self.grading, "double")

    def begin(self, *, allow_lower: bool = False) -> Regrade:
        """Store a regrade."""
        return actions.start_regrade(
            self.grading, self.plan(), by="prof", reason="mended", allow_lower=allow_lower
        )

    def score(self, submission_id: str) -> tuple[str, int, int]:
        """Return a submission's published version, score and points."""
        with self.database.read() as connection:
            kept = verdicts.find_published_verdict(connection, submission_id)
        assert kept is not None
        return kept.key.exercise_hash, kept.score, kept.max_score

    def projections(self) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
        """Return all publications and grades."""
        with self.database.read() as connection:
            rows = connection.execute(select(publication).order_by(publication.c.submission_id))
            held = [tuple(row) for row in rows]
            columns = grade.c
            best = connection.execute(
                select(grade).order_by(columns.person_id, columns.exercise)
            ).all()
        return held, [tuple(row) for row in best]

    def events(self, kind: str) -> list[str]:
        """Return the subjects of all events of a kind."""
        with self.database.read() as connection:
            chosen = select(event.c.subject).where(event.c.kind == kind)
            return list(connection.execute(chosen.order_by(event.c.seq)).scalars())


@pytest.fixture
def stored(database: Database, pool: GradingProcess, folder: Path) -> Iterator[Stored]:
    """A fresh store, on each dialect."""
    with contextlib.nullcontext() if database.is_sqlite else JobQueue(database) as queue:
        yield store_of(database, pool, folder, queue)


def store_of(
    database: Database, pool: GradingProcess, folder: Path, queue: JobQueue | None = None
) -> Stored:
    """Combine a database and a pool with the fixed exercise."""
    catalog = Catalog.load(folder)
    exercise = catalog.find("double")
    assert exercise is not None
    return Stored(GradingService(database, catalog, pool, regrade_queue=queue), exercise)
