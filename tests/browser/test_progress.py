"""Progress in the browser and on the command line: one format, read by either."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from grader.definitions.exercise import ExerciseId
from grader.grading.results.verdict import Outcome
from grader.progress.exchange import to_json
from grader.progress.history import BROWSER, Attempt, History
from tests.browser.judging import judge, open_settled, without_python
from tests.browser.learner import Bench
from tests.browser.tools import Tools
from tests.conftest import Etude

pytestmark = pytest.mark.slow

RIGHT = """\
import numpy as np


def scaled_scores(Q, K):
    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
"""
WRONG = RIGHT.replace(" / np.sqrt(Q.shape[-1])", "")


def test_what_was_done_here_goes_to_the_command_line(
    page: Page, etude: Etude, tmp_path: Path
) -> None:
    """`etude progress import` takes the file of the page, and counts as the page does."""
    page.goto("attention/scaled-scores/")
    bench = Bench(page)
    for code, said in ((WRONG, "Not passed yet"), (RIGHT, "Passed: ")):
        bench.check(code)
        bench.concludes(said)

    page.goto("progress/")
    expect(page.get_by_role("main")).to_contain_text("Scale the scores")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Export", exact=True).click()
    path = tmp_path / "exported.json"
    saving.value.save_as(path)
    assert json.loads(path.read_text())["programs"] == {"scaled-scores": RIGHT}

    imported = etude("progress", "import", path)
    assert imported.stdout == "2 of 2 entries were new\n", imported.stderr
    shown = etude("progress").stdout
    assert "5 XP" in shown
    etude("progress", "export", "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads(path.read_text())


def test_what_was_done_there_comes_to_the_page(page: Page, etude: Etude, tmp_path: Path) -> None:
    """The page takes the file of `etude progress export`, once, and its editors the programs."""
    (tmp_path / "mine.py").write_text(RIGHT)
    etude("hint", "scaled-scores")
    assert etude("check", "scaled-scores", "mine.py").returncode == 0
    etude("progress", "export", "exported.json")

    without_python(page)
    page.goto("progress/")
    _choose(page, tmp_path / "exported.json")
    expect(page.get_by_text("1 more exercise passed: Scale the scores")).to_be_visible()
    page.get_by_role("button", name="Add them").click()
    expect(page.get_by_role("banner").get_by_role("link", name="5 XP")).to_be_visible()

    _choose(page, tmp_path / "exported.json")
    expect(page.get_by_text("Nothing in “exported.json” is new")).to_be_visible()
    page.goto("attention/scaled-scores/")
    expect(Bench(page).editor).to_contain_text("np.sqrt(Q.shape[-1])")
    page.goto("attention/")
    expect(page.get_by_role("main")).to_contain_text("1 of 56 passed")


def test_a_file_that_is_none_changes_nothing(page: Page, tmp_path: Path) -> None:
    """A file that is not a record is refused with a sentence."""
    page.goto("progress/")
    path = tmp_path / "mine.json"
    path.write_text('{"etude_progress": 1, "attempts": [{"exercise": "<b>"}]}')
    _choose(page, path)
    expect(page.get_by_text("“mine.json” is not exported progress")).to_be_visible()
    expect(page.get_by_text("Nothing is recorded yet")).to_be_visible()


def test_a_long_history_can_be_read_by_everybody(page: Page, tools: Tools, site: Path) -> None:
    """Start page, tracks and progress of a busy learner have no barriers."""
    page.goto("404.html")
    page.evaluate("(text) => localStorage.setItem('etude.progress', text)", _long_history(site))
    for name, path in {"home": "", "track": "attention/", "progress": "progress/"}.items():
        open_settled(page, path)
        judge(page, tools, f"{name}-much-done")


def test_who_has_done_all_is_led_to_the_oldest(page: Page, site: Path) -> None:
    """The button leads to an exercise, not to the page that it is on."""
    page.goto("404.html")
    history = _long_history(site, all_passed=True)
    page.evaluate("(text) => localStorage.setItem('etude.progress', text)", history)
    page.goto("progress/")
    finished = page.get_by_role("region", name="All done")
    oldest = json.loads(history)["attempts"][0]["exercise"]
    expect(finished.get_by_role("link", name="Write it again")).to_have_attribute(
        "href", re.compile(f"/{oldest}/")
    )


def _choose(page: Page, path: Path) -> None:
    with page.expect_file_chooser() as choosing:
        page.get_by_role("button", name="Import…").click()
    choosing.value.set_files(path)


def _long_history(site: Path, *, all_passed: bool = False) -> str:
    """A history in which all or every third exercise was passed, and every third only tried."""
    found = [json.loads(path.read_text("utf-8")) for path in sorted(site.rglob("exercise.json"))]
    attempts = []
    for number, exercise in enumerate(found):
        if number % 3 == 2 and not all_passed:
            continue
        has_passed = all_passed or number % 3 == 0
        at = datetime(2026, 1, 5, 10, tzinfo=UTC) + timedelta(days=number // 4, minutes=number)
        attempts.append(
            Attempt(
                ExerciseId(exercise["id"]),
                at=at,
                day=at.date(),
                outcome=Outcome.PASSED if has_passed else Outcome.FAILED,
                score=3 * has_passed,
                max_score=3,
                xp=exercise["xp"] * has_passed,
                diagnosis="",
                submission=f"{number:064x}",
                definition=exercise["hash"],
                grader="0.1.0",
                sandbox=BROWSER,
            )
        )
    return to_json(History(tuple(attempts)))
