"""The whole API under the attack of Schemathesis, by what it says of itself, as each role."""

import contextlib
import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from etude_server.grading import GradingService
from etude_server.settings import Settings
from etude_server.store import people, submissions
from tests.server.api.conftest import Served, grading_worker
from tests.server.regrade.conftest import HALF_RIGHT, RIGHT, WRONG, Stored, write_collection

pytestmark = pytest.mark.slow

# `ETUDE_EXAMPLES=500 pytest tests/server/api/test_openapi.py` searches for longer, everywhere.
EXAMPLES = os.environ.get("ETUDE_EXAMPLES")
SEED = os.environ.get("ETUDE_SEED", "1")
ALL, SOME = ("coverage,fuzzing,stateful", "4"), ("fuzzing", "2")  # with the examples of each
TOO_LARGE_IS_REFUSED = """\
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 413, 422, 429]
"""
# The database makes no difference to what a role may do, and an instructor may do everything.
ATTACKS = [
    pytest.param("sqlite", "instructor", ALL, id="sqlite-instructor"),
    pytest.param("sqlite", "student", SOME, id="sqlite-student"),
    pytest.param("sqlite", "grader", SOME, id="sqlite-grader", marks=pytest.mark.release),
    pytest.param("sqlite", "nobody", SOME, id="sqlite-nobody", marks=pytest.mark.release),
    pytest.param(
        "postgresql", "instructor", SOME, id="postgresql-instructor", marks=pytest.mark.release
    ),
]


@dataclass(frozen=True)
class Target:
    """A server, and a description of its API in which ids are those of what is there."""

    served: Served
    description: Path
    settings: Path


@pytest.fixture(scope="module")
def target_on(
    request: pytest.FixtureRequest,
    serving: Callable[[Settings], Served],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str], Target]]:
    """Return a server with submissions in each state and a regrade, one on each database."""

    @functools.cache
    def target_on(dialect: str) -> Target:
        folder = tmp_path_factory.mktemp("attacked")
        write_collection(folder)
        url = f"sqlite:///{folder}/etude.db"
        if dialect == "postgresql":
            url = request.getfixturevalue("postgres").make("attacked")
        served = serving(Settings(url, (folder,), workers=1, per_minute=1_000_000))
        description = httpx.get(f"{served.url}/v1/openapi.json").json()
        _point_at(description, _fill_store(served))
        (folder / "openapi.json").write_text(json.dumps(description))
        if dialect == "postgresql":
            stack.enter_context(grading_worker(url, folder))
        (folder / "settings.toml").write_text(TOO_LARGE_IS_REFUSED)
        return Target(served, folder / "openapi.json", folder / "settings.toml")

    with contextlib.ExitStack() as stack:
        yield target_on


def _fill_store(served: Served) -> dict[str, list[str]]:
    """Store something of each kind; return the ids by the names of their parameters."""
    context = served.context
    exercise = context.catalog.find("double")
    assert context.grading_process is not None
    assert exercise is not None
    stored = Stored(
        GradingService(context.database, context.catalog, context.grading_process), exercise
    )
    graded = [
        stored.submit(name, source, score)
        for name, source, score in (
            ("student", RIGHT, 2),
            ("ada", HALF_RIGHT, 5),
            ("=1+1", WRONG, 0),
        )
    ]
    regrade = stored.begin()  # not woken: this one is there to be looked at and cancelled
    with context.database.write() as connection:
        owner = people.add_person(connection, "student", "student", actor="test")
        taken = submissions.accept_submission(
            connection, owner, "double", "x = 1\n", key="k"
        ).submission
        submissions.park_submission(connection, taken.id, "for this test")
    return {
        "submission_id": [*graded, taken.id],
        "regrade_id": [regrade.id],
        "person_id": [owner.id],
        "exercise": ["double"],
    }


def _point_at(description: dict[str, Any], ids: dict[str, list[str]]) -> None:
    """Let valid requests be about what is there; the invalid ones are about anything."""
    for operations in description["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path":
                    parameter["schema"] = {"type": "string", "enum": ids[parameter["name"]]}
    for schema in description["components"]["schemas"].values():
        if "exercise" in schema.get("properties", ()) and "additionalProperties" in schema:
            schema["properties"]["exercise"] = {"type": "string", "enum": ids["exercise"]}


@pytest.mark.parametrize(("dialect", "role", "how"), ATTACKS)
def test_the_api_does_what_it_says(
    target_on: Callable[[str], Target], dialect: str, role: Any, how: tuple[str, str]
) -> None:
    """No failure of the server; every status, header and body is one that is described."""
    target = target_on(dialect)
    phases, examples = (ALL[0], EXAMPLES) if EXAMPLES else how
    command = [
        sys.executable, "-m", "schemathesis.cli", f"--config-file={target.settings}", "run", str(target.description),
        "--url", target.served.url, "--checks", "all", "--exclude-checks", "use_after_free",  # a regrade that is cancelled stays
        "--seed", SEED, "--no-color",
        "--max-examples", examples, "--phases", phases, "--generation-database", "none",
        "--request-timeout", "60", "--warnings", "off",
    ]  # fmt: skip
    if role != "nobody":
        command += ["--header", f"Authorization: Bearer {target.served.token(role, role)}"]
    folder = target.description.parent  # where it leaves what it remembers
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
