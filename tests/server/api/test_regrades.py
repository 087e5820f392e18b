"""Grading again over HTTP: previewed, run beside submissions, resumed, cancelled; staff only."""

import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest

from etude_server.grading import GradingService
from etude_server.settings import Settings
from etude_server.store import events
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from tests.server.api.conftest import Served
from tests.server.regrade.conftest import HALF_RIGHT, OLD, RIGHT, Stored, write_collection

Start = Callable[[str], tuple[Served, Stored]]


@pytest.fixture(scope="module")
def start(serving: Callable[[Settings], Served], tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Serve a collection of one exercise from a database file."""
    folder = tmp_path_factory.mktemp("collection")
    write_collection(folder)

    def begin(url: str) -> tuple[Served, Stored]:
        served = serving(Settings(url, (folder,), workers=1, per_minute=10_000))
        context = served.context
        exercise = context.catalog.find("double")
        assert context.grading_process is not None
        assert exercise is not None
        return served, Stored(
            GradingService(context.database, context.catalog, context.grading_process), exercise
        )

    return begin


@pytest.fixture
def both(start: Start, tmp_path: Path) -> tuple[Served, Stored]:
    """A server on a fresh store, and the store."""
    return start(f"sqlite:///{tmp_path}/etude.db")


def _end(client: httpx.Client, location: str) -> dict[str, Any]:
    """Wait until a regrade has ended."""
    for _ in range(2400):
        told: dict[str, Any] = client.get(location).raise_for_status().json()
        if told["state"] != "running":
            return told
        time.sleep(0.05)
    raise AssertionError("it did not end within two minutes")


@pytest.mark.slow
def test_a_regrade_is_previewed_and_run(both: tuple[Served, Stored]) -> None:
    """What the preview says comes about in the background; what would be lowered is listed."""
    served, stored = both
    raised = stored.submit("ada", RIGHT, 2)
    lowered = stored.submit("bob", HALF_RIGHT, 5)
    prof = served.client("prof", "instructor")
    seen = prof.post("/v1/regrades/preview", json={"exercise": "double"}).raise_for_status().json()
    assert (seen["from_hash"], seen["sources"], seen["submissions"]) == (OLD, 2, 2)
    assert {each["submission"]: each["effect"] for each in seen["changes"]} == {
        raised: "raised",
        lowered: "lowered",
    }
    assert stored.score(raised) == (OLD, 2, 5)
    wanted = {"exercise": "double", "from_hash": OLD[:8], "reason": "mended"}
    answer = prof.post("/v1/regrades", json=wanted)
    assert answer.status_code == HTTPStatus.ACCEPTED
    ended = _end(prof, answer.headers["Location"])
    assert (ended["state"], ended["done"], ended["sources"]) == ("finished", 2, 2)
    assert (ended["by_name"], ended["reason"]) == ("prof", "mended")
    changes = prof.get(f"{answer.headers['Location']}/changes").json()["items"]
    assert {each["submission"]: each["held"] for each in changes} == {raised: False, lowered: True}
    first = prof.get(f"{answer.headers['Location']}/changes", params={"limit": 1}).json()
    after = {"after": first["next"]}
    rest = prof.get(f"{answer.headers['Location']}/changes", params=after).json()
    assert first["items"] + rest["items"] == changes
    verdict = served.client("ada").get(f"/v1/submissions/{raised}/verdict").json()
    assert (verdict["score"], verdict["exercise_hash"]) == (5, stored.exercise.digest)
    assert [each["id"] for each in prof.get("/v1/regrades").json()["items"]] == [ended["id"]]
    again = prof.delete(answer.headers["Location"])
    assert again.status_code == HTTPStatus.CONFLICT


@pytest.mark.slow
def test_a_server_goes_on_with_what_another_left(start: Start, tmp_path: Path) -> None:
    """A regrade that was running when the server went down is finished by the next one."""
    url = f"sqlite:///{tmp_path}/etude.db"
    with Database(url) as made:
        upgrade_store(made)
    served, stored = start(f"sqlite:///{tmp_path}/other.db")
    database = Database(url)
    before = Stored(
        GradingService(database, stored.grading.catalog, stored.grading.process), stored.exercise
    )
    raised = before.submit("ada", RIGHT, 2)
    begun = before.begin()
    database.engine.dispose()
    served, stored = start(url)
    assert _end(served.client("prof", "instructor"), f"/v1/regrades/{begun.id}")["done"] == 1
    assert stored.score(raised) == (stored.exercise.digest, 5, 5)


def test_a_regrade_is_undone_once_it_has_ended(both: tuple[Served, Stored]) -> None:
    """The undo runs like any regrade; what the regrade replaced holds again."""
    served, stored = both
    raised = stored.submit("ada", RIGHT, 2)
    prof = served.client("prof", "instructor")
    path = f"/v1/regrades/{stored.begin().id}"
    early = prof.post(f"{path}/undo", json={"reason": "too early"})
    assert early.status_code == HTTPStatus.CONFLICT
    assert early.headers["Content-Type"] == "application/problem+json"
    assert early.json()["detail"].startswith("There is no regrade")
    again = prof.post("/v1/regrades", json={"exercise": "double", "reason": "wake it"})
    assert again.headers["Location"] == path
    assert _end(prof, path)["state"] == "finished"
    assert stored.score(raised) == (stored.exercise.digest, 5, 5)
    assert prof.post(f"{path}/undo", json={}).status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    answer = prof.post(f"{path}/undo", json={"reason": "it was right"})
    assert answer.status_code == HTTPStatus.ACCEPTED
    undone = _end(prof, answer.headers["Location"])
    assert undone["id"] == answer.json()["id"]
    assert (undone["state"], undone["by_name"]) == ("finished", "prof")
    assert stored.score(raised) == (OLD, 2, 5)


def test_what_there_is_none_of_is_refused(both: tuple[Served, Stored]) -> None:
    """As problems with a sentence."""
    served, stored = both
    prof = served.client("prof", "instructor")
    nothing = prof.post("/v1/regrades", json={"exercise": "double", "reason": "x"})
    assert nothing.status_code == HTTPStatus.CONFLICT
    assert "older version" in nothing.json()["detail"]
    assert stored.events(events.REGRADE_BEGUN) == []
    for reason in ("", "  \n", "a\x00b"):
        blank = prof.post("/v1/regrades", json={"exercise": "double", "reason": reason})
        assert blank.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    unknown = prof.get(f"/v1/regrades/{'0' * 36}")
    assert unknown.status_code == HTTPStatus.NOT_FOUND
