"""The whole way of a learner: through one exercise, and through courses.

The last two lessons of a course are played, and their exercises; ETUDE_WHOLE_COURSES=1 has every
track of all courses played on one site with all that comes with Etude, in half an hour. Each exercise is tried in a page's Python by `tests/browser_engine`, too.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from grader.definitions.collection import Collection
from grader.definitions.exercise import Exercise
from grader.definitions.track import Track
from tests.browser.conftest import NewContext, NewPage
from tests.browser.hosting import BASE, hosted
from tests.browser.judging import DARK, DESK, LIGHT, PHONE, Theme, barriers, overflowing, shoot
from tests.browser.learner import Bench, Hand, Keyboard, Mouse, predict, predictions
from tests.browser.tools import Tools, add_package, build_site, write_lessons
from tests.own_collection import COLLECTION, COURSES

SCORES = "import numpy as np\ndef scaled_scores(Q, K):\n    return Q @ np.swapaxes(K, -1, -2)"
WITHOUT_ROOT = f"{SCORES} / Q.shape[-1]"
RIGHT = f"{SCORES} / np.sqrt(Q.shape[-1])"


@pytest.mark.parametrize(
    ("hand", "theme", "size"),
    [
        pytest.param(Mouse(), LIGHT, PHONE, id="mouse-light-phone"),
        pytest.param(Keyboard(), DARK, DESK, id="keyboard-dark-desk", marks=pytest.mark.slow),
    ],
)
def test_from_the_start_page_to_the_next_exercise(
    first_page: NewPage, tools: Tools, size: ViewportSize, theme: Theme, hand: Hand
) -> None:
    """Fail, fail again, take the hint that is offered, pass, earn XP, and go on; no barriers."""
    page = first_page(viewport=size, color_scheme=theme)
    bench = Bench(page)
    main = page.get_by_role("main")

    def judge(state: str) -> None:
        shoot(page, f"journey-{state}")
        assert barriers(page, tools) == ""
        assert overflowing(page) == []

    page.goto("")
    for name in ("Attention from scratch", "Why the scores are scaled", "Scale the scores"):
        hand.press(main.get_by_role("link", name=name).first)
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page).to_have_url(re.compile("attention/scaled-scores/"))

    hand.write(bench, WITHOUT_ROOT)
    hand.press(bench.button("Check"))
    bench.concludes("Not passed yet")
    expect(bench.results).to_contain_text("It is the variance that grows like")
    expect(page.get_by_text("Stuck? A hint may help.")).not_to_be_visible()
    judge("failed")

    hand.press(bench.button("Check"))
    expect(page.get_by_text("Stuck? A hint may help.")).to_be_visible()
    hand.press(bench.results.get_by_role("button", name=re.compile("^Show hint 1 of 3")))
    expect(main.get_by_text("What is left is one division; by what?")).to_be_visible()
    judge("hint-open")

    hand.write(bench, RIGHT)
    expect(page.get_by_text("Your code has changed since these results.")).to_be_visible()
    hand.press(bench.button("Check"))
    bench.concludes("Passed: ")
    expect(bench.results).to_contain_text("Passed +5 XP")
    judge("passed")

    hand.press(bench.results.get_by_role("link", name="Next: "))
    expect(page).not_to_have_url(re.compile("scaled-scores"))
    expect(page.get_by_role("banner").get_by_role("link", name="5 XP")).to_be_visible()


IS_WHOLE = os.environ.get("ETUDE_WHOLE_COURSES") == "1"

# Pyodide's matplotlib is not among the tools. This one takes every call and draws an empty picture.
PYPLOT = """
import numpy as np

_open = False


class _Anything:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **options):
        return self


def __getattr__(name):
    global _open
    _open = True
    return _Anything()


def subplots(rows=1, columns=1, **options):
    global _open
    _open = True
    axes = np.empty((rows, columns), object)
    axes[:] = _Anything()
    return _Anything(), axes.squeeze() if axes.size > 1 else axes.item()


def get_fignums():
    return [1] if _open else []


def savefig(file, **options):
    file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"></svg>')


def close(which=None):
    global _open
    _open = False
"""
MATPLOTLIB = {
    "matplotlib/__init__.py": "rcParams = {}\ndef use(backend): pass\n",
    "matplotlib/pyplot.py": PYPLOT,
}
CYCLER = {"cycler/__init__.py": "def cycler(**options): pass\n"}

# What stands below a cell, but for what matplotlib draws and how a figure can be read.
BELOW = """
(all) => all.map((each) => {
  const copy = each.cloneNode(true);
  for (const drawing of copy.querySelectorAll("svg, img, [role=status]")) drawing.remove();
  return copy.textContent.replace(/\\s+/g, "");
})
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Collection]:
    """The courses that are played."""
    if IS_WHOLE:
        return COURSES
    *_, last = COURSES["learning-from-data"].tracks
    folder = tmp_path_factory.mktemp("short") / "course"
    short = write_lessons(folder, last.definition.where.path.parent, slice(-2, None))
    return {"learning-from-data": Collection.load(short)}


@pytest.fixture(scope="module")
def all_courses(
    tools: Tools, tmp_path_factory: pytest.TempPathFactory, played: dict[str, Collection]
) -> Iterator[str]:
    """The address of one site with the courses that are played."""
    pyodide = tmp_path_factory.mktemp("pyodide")
    shutil.copytree(tools.pyodide, pyodide, dirs_exist_ok=True)
    add_package(pyodide, "matplotlib", MATPLOTLIB)
    add_package(pyodide, "cycler", CYCLER)
    folders = [
        str(folder)
        for each in (*[COLLECTION] * IS_WHOLE, *played.values())
        for folder in each.folders
    ]
    words = [word for folder in folders for word in ("--exercises", folder)]
    site = tmp_path_factory.mktemp("built") / "site"
    with hosted(build_site(site, tools, BASE, *words, "--pyodide-dir", pyodide)) as address:
        yield address


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("name", COURSES if IS_WHOLE else ["learning-from-data"])
def test_a_course_from_first_lesson_to_last_exercise(
    all_courses: str, new_context: NewContext, played: dict[str, Collection], name: str
) -> None:
    """Each lesson's cells give the results of the build, and each exercise is passed.

    Pictures of matplotlib are left out.
    """
    page = new_context(all_courses).new_page()
    tracks = played[name].tracks
    for track in tracks:
        page.goto("")
        page.get_by_role("main").get_by_role(
            "link", name=track.definition.title, exact=True
        ).click()
        read_lessons(page, track)
        pass_exercises(page, track)

    page.goto("")
    xp = sum(exercise.xp for track in tracks for exercise in track.exercises)
    expect(page.get_by_role("banner").get_by_role("link", name=f"{xp} XP")).to_be_visible()
    record = json.loads(page.evaluate("localStorage.getItem('etude.progress')"))
    passed = {each["exercise"] for each in record["attempts"] if each["outcome"] == "passed"}
    assert passed == {exercise.id for track in tracks for exercise in track.exercises}


def go_on(page: Page) -> None:
    """Follow the way on at the end of a page."""
    page.locator(".turn-on").click()


def read_lessons(page: Page, track: Track) -> None:
    """Run all cells of a track's lessons, one lesson after the other; end at the track."""
    main = page.get_by_role("main")
    for number, lesson in enumerate(track.definition.lessons):
        if number == 0:
            main.get_by_role("link", name=lesson.title, exact=True).first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text(lesson.title)
        before = page.locator(".cell .results").evaluate_all(BELOW)
        cell = page.locator(".cell:has(.cell-code)").last
        cell.get_by_role("button", name=re.compile("^Run cell")).click()
        expect(cell.locator(".cell-said")).to_contain_text("Ran in")
        assert page.locator(".cell .results").evaluate_all(BELOW) == before
        expect(page.locator("[data-stale]")).to_have_count(0)
        go_on(page)


def pass_exercises(page: Page, track: Track) -> None:
    """Pass a track's exercises, from its page on and back to it."""
    count = len(track.exercises)
    title = page.get_by_role("heading", level=1)
    first = track.exercises[0].title
    main = page.get_by_role("main")
    main.get_by_role("link", name=first, exact=True).first.click()
    opened = {each.exercises[0]: each for each in track.definition.lessons[1:] if each.exercises}
    for exercise in track.exercises:
        if lesson := opened.get(exercise.id):  # which comes before its first exercise
            expect(title).to_have_text(lesson.title)
            main.get_by_role("link", name=exercise.title, exact=True).first.click()
        expect(title).to_have_text(exercise.title)
        results = page.get_by_role("region", name="Results")
        solve(page, exercise)
        # A hidden test that no page can run leaves the rest to be passed.
        expect(results).to_contain_text(re.compile(rf"(Passed|tests pass) \+{exercise.xp} XP"))
        results.get_by_role("link", name=re.compile("^(Next: |Back to )")).click()
    expect(title).to_have_text(track.definition.title)
    expect(main).to_contain_text(f"{count} of {count} passed")


def solve(page: Page, exercise: Exercise) -> None:
    """Write the solution of an exercise, or its answers, and check them."""
    if exercise.kind == "predict":
        form = page.get_by_role("region", name="Your answers")
        for name, text in predictions(exercise).items():
            predict(Mouse(), form, name, text)
        form.get_by_role("button", name="Check", exact=True).click()
    else:
        bench = Bench(page)
        bench.editor.click()
        bench.check(exercise.solution)
        bench.concludes("Passed: ")
