"""Every exercise of the site, checked by Python in the browser."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page

from tests.browser.interpreter import Interpreter
from tests.own_collection import COLLECTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.definitions.exercise import Exercise

pytestmark = pytest.mark.slow


def _exercises() -> "Iterator[tuple[str, Exercise]]":
    """Every exercise that has to be solved by a program, with the folder of its page."""
    for track in COLLECTION.tracks:
        for exercise in track.exercises:
            yield f"{track.definition.id}/{exercise.id}", exercise


def test_every_starter_fails_and_every_solution_passes(page: Page, site: Path) -> None:
    """What the site ships of each exercise tells right from wrong, in the browser as elsewhere."""
    python = Interpreter.start(page, "attention/scaled-scores/")
    wrong = {}
    for folder, exercise in _exercises():
        python.open_exercise((site / folder / "engine.txt").read_text("utf-8"))
        starter, solution = (python.check(code) for code in (exercise.starter, exercise.solution))
        if starter["outcome"] in {"passed", "grader fault"} or solution["outcome"] != "passed":
            wrong[folder] = starter["outcome"], solution["outcome"], solution.get("message")

    assert wrong == {}
