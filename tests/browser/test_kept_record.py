"""Storage of a record: in every tab, without a storage, and when the stored data are broken."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from grader.definitions.exercise import ExerciseId
from grader.grading.results.verdict import Outcome
from grader.progress.exchange import from_json, to_json
from grader.progress.history import Attempt, History, Surrender, TakenHint
from tests.browser.judging import barriers, shoot, without_python
from tests.browser.tools import Tools

pytestmark = pytest.mark.slow

PAGE = "progress/"
LOOKUP, PROJECTIONS, SOFTMAX = map(
    ExerciseId, ("token-lookup", "qkv-projections", "stable-softmax")
)
NO_STORAGE = (
    "Object.defineProperty(globalThis, 'localStorage',"
    " {get() { throw new DOMException('no', 'SecurityError'); }});"
)


def _attempt(exercise: ExerciseId, minutes: int, outcome: Outcome, xp: int) -> Attempt:
    at = datetime.now(UTC) - timedelta(minutes=minutes)
    hashes = ("ab" * 32, "cd" * 32)
    return Attempt(
        exercise, at, at.date(), outcome, 1, 3, xp, "unscaled", *hashes, "1.0", "namespaces"
    )


@pytest.fixture
def history() -> History:
    """A pass, a failure, a hint and a surrender, made by the command line."""
    at = datetime.now(UTC) - timedelta(minutes=15)
    return History(
        (_attempt(LOOKUP, 20, Outcome.PASSED, 5), _attempt(PROJECTIONS, 10, Outcome.FAILED, 0)),
        (TakenHint(LOOKUP, 1, 2, at - timedelta(minutes=30)),),
        (Surrender(SOFTMAX, at),),
    )


@pytest.fixture
def file(history: History, tmp_path: Path) -> Path:
    """It as a file."""
    path = tmp_path / "mine.json"
    path.write_text(to_json(history))
    return path


@pytest.fixture
def quiet(page: Page) -> Page:
    """The page of the record; Python has no part in it."""
    without_python(page)
    page.goto(PAGE)
    return page


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def add(page: Page, file: Path) -> None:
    """Import a file."""
    with page.expect_file_chooser() as chooser:
        button(page, "Import…").click()
    chooser.value.set_files(file)
    button(page, "Add them").click()


def number(page: Page, name: str) -> Locator:
    return page.locator("dl.sums > div", has_text=name).locator("dd")


def test_an_empty_record_invites(quiet: Page) -> None:
    """Nothing to export or to erase, but somewhere to begin."""
    expect(number(quiet, "XP earned")).to_have_text("0")
    expect(button(quiet, "Export")).to_be_disabled()
    expect(button(quiet, "Erase…")).to_be_disabled()
    quiet.get_by_role("region", name="Begin here").get_by_role("link", name="Start").click()

    expect(quiet).to_have_url(re.compile("/numpy-warmup/lessons/"))


def test_an_import_says_first_what_would_change(quiet: Page, file: Path) -> None:
    """And changes nothing before one agrees."""
    with quiet.expect_file_chooser() as chooser:
        button(quiet, "Import…").click()
    chooser.value.set_files(file)
    said = quiet.locator("#keep-said")
    expect(said).to_contain_text("4 of 4 entries in “mine.json” are new")
    expect(said).to_contain_text("1 more exercise passed: Look up the vectors of tokens")
    expect(said).to_contain_text("XP: 3 instead of 0")
    button(quiet, "Leave it").click()

    assert quiet.evaluate("localStorage.getItem('etude.progress')") is None


def test_a_record_comes_back_as_it_was(
    quiet: Page, file: Path, history: History, tmp_path: Path
) -> None:
    """An import and an export lose nothing, not even a microsecond."""
    add(quiet, file)
    expect(quiet.get_by_text("Every pass was graded by the command line.")).to_be_visible()
    with quiet.expect_download() as download:
        button(quiet, "Export").click()
    download.value.save_as(tmp_path / "back.json")

    assert from_json((tmp_path / "back.json").read_text()) == history + History()


def test_what_is_done_is_marked_wherever_it_is_shown(quiet: Page, file: Path, tools: Tools) -> None:
    """On the start page, a track's map, in a lesson and in the outline beside it."""
    add(quiet, file)

    quiet.goto("")
    resume = quiet.get_by_role("region", name="Continue where you left off")
    expect(resume).to_contain_text("Project to queries, keys and values")
    expect(resume.get_by_role("link", name="Go on")).to_be_visible()

    quiet.goto("attention/")
    expect(quiet.get_by_text("1 of 56 passed · 3 of 740 XP")).to_be_visible()
    rows = quiet.locator(".tasks li")
    expect(rows.nth(0)).to_contain_text("passed: ")
    expect(rows.nth(1)).to_contain_text("tried, not passed yet: ")
    shoot(quiet, "track-begun")
    assert barriers(quiet, tools) == ""

    quiet.goto("attention/lessons/queries-keys-values/")
    expect(quiet.locator(".facts .tally")).to_have_text("1 of 2 passed")
    outline = quiet.get_by_role("navigation", name="Attention from scratch")
    for name in (
        "passed: Look up the vectors of tokens",
        "1 of 2 passed: Queries, keys and values",
    ):
        expect(outline.get_by_role("link", name=name)).to_be_visible()


def test_every_tab_shows_the_same(quiet: Page, file: Path) -> None:
    """An entry that one tab adds or erases changes in all; erasing asks first and keeps drafts."""
    other = quiet.context.new_page()
    other.goto(PAGE)
    add(quiet, file)
    expect(number(other, "XP earned")).to_have_text("3")
    quiet.evaluate("localStorage.setItem('etude.draft.scaled-scores', 'mine')")
    dialog = quiet.get_by_role("dialog", name="Erase your progress?")
    button(quiet, "Erase…").click()
    dialog.get_by_role("button", name="Cancel").click()
    expect(number(quiet, "XP earned")).to_have_text("3")
    button(quiet, "Erase…").click()
    expect(dialog).to_contain_text("4 entries and 3 XP")
    dialog.get_by_role("button", name="Erase").click()

    expect(number(other, "XP earned")).to_have_text("0")
    assert quiet.evaluate("localStorage.getItem('etude.progress')") is None
    assert quiet.evaluate("localStorage.getItem('etude.draft.scaled-scores')") == "mine"


def test_a_storage_that_is_switched_off_is_told_of(page: Page, file: Path) -> None:
    """Everything works for as long as the page is open."""
    without_python(page)
    page.add_init_script(NO_STORAGE)
    page.goto(PAGE)
    expect(page.get_by_text("This browser keeps nothing for this site")).to_be_visible()
    add(page, file)

    expect(number(page, "XP earned")).to_have_text("3")


def test_a_damaged_record_is_put_aside(quiet: Page, file: Path) -> None:
    """It can be had as a file, and a new one has begun."""
    quiet.evaluate("localStorage.setItem('etude.progress', '{damaged')")
    quiet.reload()
    expect(quiet.get_by_text("could not be read")).to_be_visible()
    add(quiet, file)
    quiet.reload()
    expect(number(quiet, "XP earned")).to_have_text("3")
    with quiet.expect_download() as download:
        button(quiet, "Download it").click()
    assert Path(download.value.path()).read_text() == "{damaged"
    button(quiet, "Forget it").click()

    expect(quiet.get_by_text("could not be read")).to_be_hidden()
