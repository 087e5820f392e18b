"""Every page as it is opened, before anybody does anything on it."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from tests.browser.conftest import NewPage
from tests.browser.judging import (
    DESK,
    LIGHT,
    PHONE,
    Focus,
    focused,
    judge,
    measure_shifts,
    open_settled,
    overflowing,
    shifted,
    without_python,
)
from tests.browser.tools import Tools

HERE = Path(__file__).parent

# One of each kind, and of what only some of them have.
KINDS = {
    "home": "",
    "track-with-lessons": "attention/",
    "track": "numpy-warmup/",
    "lesson": "attention/lessons/causal-masking/",
    "exercise-write": "attention/scaled-scores/",
    "exercise-fix": "attention/forgotten-scale/",
    "exercise-predict": "attention/masked-diagonal/",
    "own-gpt": "own-gpt/",
    "progress": "progress/",
    "search": "search/",
    "concepts": "concepts/",
    "about": "about/",
    "accessibility": "accessibility/",
    "no-network": "offline/",
    "not-found": "404.html",
}
# Larger than others of their templates, or of text alone.
SIMILAR = {
    *("track-with-lessons", "exercise-fix", "concepts", "about", "accessibility"),
    *("no-network", "not-found"),
}


SPACED = """
body * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }
"""
# What hides what is beyond its box; not what is there for screen readers only.
CUT = """
() => {
  const hides = (overflow) => overflow === "hidden" || overflow === "clip";
  return [...document.querySelectorAll("body *:not(.cm-gutters *)")]
    .filter((it) => {
      const { overflowX, overflowY, clipPath } = getComputedStyle(it);
      const { width, height } = it.getBoundingClientRect();
      return clipPath === "none" && width > 1 && height > 1 && it.textContent.trim() !== ""
        && ((hides(overflowX) && it.scrollWidth > it.clientWidth + 1)
          || (hides(overflowY) && it.scrollHeight > it.clientHeight + 4));
    })
    .map((it) => `${it.parentElement.className} ${it.outerHTML.slice(0, 100)}`);
}
"""


@pytest.fixture
def quiet_page(new_page: NewPage) -> NewPage:
    """Make fresh pages on which Python does not start: it has no part in any of this."""

    def make(**options: object) -> Page:
        page = new_page(**options)
        without_python(page)
        return page

    return make


@pytest.mark.slow
def test_every_page_is_valid(site: Path, tools: Tools, tmp_path: Path) -> None:
    """html-validate finds nothing: no error of syntax, structure or naming."""
    node = shutil.which("node")
    assert node
    program = tools.packages / "html-validate" / "bin" / "html-validate.mjs"
    words = [program, "--config", HERE / "htmlvalidate.config.mjs", "--formatter", "json", "."]
    answer = tmp_path / "found.json"
    with answer.open("w") as out:  # a pipe would be cut short when Node ends
        subprocess.run([node, *map(str, words)], cwd=site, stdout=out, check=False)

    found = "\n".join(
        f"{Path(page['filePath']).relative_to(site)}:{each['line']}: {each['ruleId']}: {each['message']}"
        for page in json.loads(answer.read_text("utf-8"))
        for each in page["messages"]
    )
    assert found == ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_no_barriers(quiet_page: NewPage, tools: Tools, kind: str) -> None:
    """Axe finds nothing, whichever the theme, and the page is no wider than its window.

    With the spacing of WCAG 1.4.12 in a window of 320 pixels no text is cut either.
    """
    page = quiet_page(viewport=PHONE, color_scheme=LIGHT)
    open_settled(page, KINDS[kind])

    judge(page, tools, f"{kind}-fresh")

    page.set_viewport_size({"width": 320, "height": 800})
    page.add_style_tag(content=SPACED)
    assert overflowing(page) == []
    assert page.evaluate(CUT) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", ["attention/lessons/softmax/", "attention/attention-weights/"])
def test_what_only_a_screen_can_use_is_not_printed(quiet_page: NewPage, path: str) -> None:
    """Buttons are left out, but for the names of rows, which are buttons too."""
    page = quiet_page()
    open_settled(page, path)
    page.emulate_media(media="print")
    shown = [each for each in page.get_by_role("button").all() if each.is_visible()]
    assert [
        each.inner_text() for each in shown if "row-name" not in str(each.get_attribute("class"))
    ] == []
    expect(page.get_by_role("banner")).to_be_hidden()
    if "lessons" in path:
        expect(page.locator(".row-name").first).to_be_visible()


@pytest.mark.slow
def test_pages_fit_a_phone_and_hold_still(quiet_page: NewPage, site: Path) -> None:
    """No page is wider than a phone, and nothing on it jumps about while it loads.

    Every third of all pages, among which are many of each kind that authors write.
    """
    page = quiet_page(viewport=PHONE)
    measure_shifts(page)
    wide, unsteady = [], {}
    for path in sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))[::3]:
        open_settled(page, path)
        wide += [f"{path}: {each}" for each in overflowing(page)]
        if shifted(page) >= 0.02:
            unsteady[path] = shifted(page)

    assert wide == []
    assert unsteady == {}


@pytest.mark.slow
@pytest.mark.parametrize("path", ["attention/token-lookup/", "attention/lessons/causal-masking/"])
def test_a_page_holds_still_when_its_fonts_come_late(quiet_page: NewPage, path: str) -> None:
    """On a first visit over a slow line the text is read before the fonts are there."""
    page = quiet_page(viewport=PHONE)
    measure_shifts(page)
    asked = []

    def come_late(route: Route) -> None:
        asked.append(route.request.url)
        page.wait_for_timeout(200)  # the text is drawn without it by then
        route.continue_()

    page.route("**/*.woff2", come_late)
    open_settled(page, path)
    page.wait_for_timeout(300)
    assert asked
    assert shifted(page) < 0.02


@pytest.mark.slow
def test_nothing_but_what_is_under_it_is_kept_free_for_a_root(quiet_page: NewPage) -> None:
    """A full stop stands where the root ends, since all forms of its sign are as wide."""
    page = quiet_page()
    open_settled(page, "attention/scaled-scores/")
    gaps = page.locator("msqrt").evaluate_all(
        "(all) => all.map((each) => each.getBoundingClientRect().right"
        " - each.lastElementChild.getBoundingClientRect().right)"
    )
    assert gaps
    assert max(gaps) < 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["exercise-write", "exercise-predict"])
def test_hints_have_their_place_before_the_script_is_there(quiet_page: NewPage, kind: str) -> None:
    """Taken hints are visible, and the offer of the next one moves nothing."""
    page = quiet_page(viewport=PHONE)
    help_of_page = page.locator("#help")
    page.goto(KINDS[kind])
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    for taken in (0, 1, 2):
        page.route("**/exercise.json", hold)
        with page.expect_request("**/exercise.json"):
            page.reload(wait_until="domcontentloaded")
        expect(page.locator(".hints details:visible")).to_have_count(taken)
        page.evaluate("document.fonts.ready.then(() => undefined)")
        before = help_of_page.evaluate("(it) => it.offsetHeight")
        held.pop().continue_()
        page.unroute("**/exercise.json")
        offer = page.get_by_role("button", name=f"Show hint {taken + 1} of")
        expect(offer).to_be_visible()
        assert abs(help_of_page.evaluate("(it) => it.offsetHeight") - before) <= 1
        offer.click()
        expect(page.locator(".hints details:visible")).to_have_count(taken + 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "size"),
    [*((kind, DESK) for kind in KINDS if kind not in SIMILAR), ("lesson", PHONE)],
    ids=[*(kind for kind in KINDS if kind not in SIMILAR), "lesson-phone"],
)
def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    quiet_page: NewPage, kind: str, size: ViewportSize
) -> None:
    """Tab goes through the whole page without a trap, and the focus is always visible.

    The first link leads past the head, but on the search page, which begins with its field.
    """
    page = quiet_page(viewport=size, reduced_motion="reduce")
    open_settled(page, KINDS[kind])
    if kind != "search":
        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="Skip to the content")
        expect(skip).to_be_focused()
        expect(skip).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("#content$"))
        page.keyboard.press("Tab")
        assert not focused(page).is_in_head
        open_settled(page, KINDS[kind])
    stops = _stops(page)

    assert stops
    assert [each.what for each in stops if not each.is_seen] == []


@pytest.mark.slow
def test_the_choice_of_colours_lasts(quiet_page: NewPage) -> None:
    """Dark is dark on the next page too, and the system decides again when asked to."""
    page = quiet_page()
    page.emulate_media(color_scheme="light")
    page.goto("")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.get_by_role("radio", name="Dark").check()
    dark = page.evaluate(background)
    assert dark != light

    page.goto("attention/")
    assert page.evaluate(background) == dark
    expect(page.get_by_role("radio", name="Dark")).to_be_checked()

    page.get_by_role("radio", name="As the system").check()
    assert page.evaluate(background) == light


@pytest.mark.slow
def test_pages_can_be_read_without_scripts(quiet_page: NewPage) -> None:
    """Heading and text are there, and of an exercise all that solving it in a terminal takes."""
    page = quiet_page(java_script_enabled=False)
    for kind in ("home", "track-with-lessons", "lesson", "progress"):
        page.goto(KINDS[kind])
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_role("main").get_by_role("paragraph").first).to_be_visible()

    page.goto("attention/scaled-scores/")

    main = page.get_by_role("main")
    for text in (
        "Write scaled_scores(Q, K)",
        "# 1. Find d_k",
        "two queries, three keys",
        "etude check scaled-scores",
    ):
        expect(main.get_by_text(text).first).to_be_visible()


def _stops(page: Page) -> list[Focus]:
    """Press Tab through the whole page; return the elements that had the focus."""
    stops: list[Focus] = []
    for _ in range(400):
        page.keyboard.press("Escape")  # as the page says: Tab then leaves the editor too
        page.keyboard.press("Tab")
        found = focused(page)
        if found.is_none or found in stops[:1]:
            return stops
        stops.append(found)
    raise AssertionError(f"no end after {stops[-3:]}")
