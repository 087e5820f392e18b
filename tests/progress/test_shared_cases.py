"""The table of cases that the scripts of the pages are held to as well, run through the grader's rules."""

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.errors import UsageError
from grader.progress.exchange import from_json
from grader.progress.history import History
from grader.progress.status import (
    ExerciseStatus,
    choose_next_exercise,
    compute_statuses,
    compute_streak,
)
from grader.progress.store import Store

if TYPE_CHECKING:
    from grader.definitions.exercise import ExerciseId

TABLE = json.loads(
    (Path(__file__).parents[2] / "site" / "frontend" / "tests" / "cases.json").read_text("utf-8")
)
ATTEMPT = {
    "score": 1,
    "max_score": 2,
    "xp": 0,
    "diagnosis": "",
    "submission": "ab",
    "definition": "cd",
    "grader": "1.0",
    "sandbox": "namespaces",
}


def _history(data: dict[str, Any], folder: Path) -> History:
    """Read it as an import does, through the record."""
    attempts = [ATTEMPT | {"day": each["at"][:10]} | each for each in data.get("attempts", [])]
    store = Store(folder)
    store.add(from_json(json.dumps({"etude_progress": 1} | data | {"attempts": attempts})))
    return store.read()


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_a_history_comes_to_what_the_table_says(case: dict[str, Any], tmp_path: Path) -> None:
    """States, XP, streak and what is next."""
    history = _history(case["history"], tmp_path)
    requires: dict[ExerciseId, list[ExerciseId]] = TABLE["requires"]
    known = compute_statuses(history)
    found = choose_next_exercise(history, tuple(requires), requires.__getitem__)

    assert {name: _plain(each) for name, each in known.items()} == {
        name: _plain(ExerciseStatus()) | fields for name, fields in case["standings"].items()
    }
    assert sum(each.total for each in known.values()) == case["xp"]
    running = compute_streak(history, date.fromisoformat(case["today"]))
    assert [running.current, running.longest] == case["streak"]
    assert (found and [found.exercise, found.is_started]) == case["next"]


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=name) for name, text in TABLE["not_histories"]]
)
def test_what_is_no_history_is_refused(text: str) -> None:
    """With a usage error, whatever is wrong with it."""
    with pytest.raises(UsageError):
        from_json(text)


def _plain(exercise_status: ExerciseStatus) -> dict[str, Any]:
    fields = asdict(exercise_status)
    passed_at = exercise_status.passed_at and exercise_status.passed_at.isoformat()
    return fields | {"passed_at": passed_at, "broken": len(exercise_status.broken)}
