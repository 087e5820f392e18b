"""From one exercise or lesson to the next: in one document, so that Python need not start again."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.judging import focused, pretend_python, without_python
from tests.browser.learner import Bench

FIRST, SECOND = "attention/scaled-scores/", "attention/forgotten-scale/"
LONG_IN_C = "import numpy as np\nnp.ones((900, 900)).astype(object) @ np.ones((900, 900))\n"


def _go_on(page: Page, link: str = "Next") -> None:
    page.get_by_role("navigation", name=re.compile("^Previous and next")).get_by_role(
        "link", name=re.compile(f"^{link}")
    ).click()


def _mark(page: Page) -> None:
    page.evaluate("globalThis.isTheSame = true")


def _is_marked(page: Page) -> bool:
    return bool(page.evaluate("globalThis.isTheSame ?? false"))


@pytest.mark.slow
def test_the_next_page_is_shown_in_the_same_document(page: Page) -> None:
    """With its title, its address, its draft and the focus at its top; back and forward work."""
    pretend_python(page, "{}")
    page.goto(FIRST)
    bench = Bench(page)
    bench.write("first = 1")
    _mark(page)
    _go_on(page)
    expect(page).to_have_title("Find the forgotten scale · Etude")
    expect(page).to_have_url(re.compile(f"{SECOND}(index.html)?$"))
    expect(bench.editor).to_contain_text("def ")
    expect(page.get_by_role("status").filter(has_text="Find the forgotten scale")).to_be_attached()
    page.keyboard.press("Tab")
    assert "skip" in focused(page).what
    bench.write("second = 2")

    page.go_back()
    expect(page).to_have_title("Scale the scores · Etude")
    expect(bench.editor).to_have_text("first = 1")
    page.go_forward()
    expect(bench.editor).to_have_text("second = 2")
    assert _is_marked(page)
    page.reload()
    expect(bench.editor).to_have_text("second = 2")
    assert not _is_marked(page)


@pytest.mark.slow
def test_a_page_of_another_kind_is_loaded(page: Page) -> None:
    """Going back restores the page as it was left."""
    without_python(page)
    page.goto(FIRST)
    _mark(page)
    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link").nth(1).click()
    expect(page).to_have_title("Attention from scratch · Etude")
    assert not _is_marked(page)
    page.go_back()
    expect(Bench(page).editor).to_be_visible()


@pytest.mark.slow
def test_a_browser_without_the_means_loads_each_page(page: Page) -> None:
    """Links are links."""
    without_python(page)
    page.add_init_script("delete globalThis.navigation")
    page.goto(FIRST)
    _mark(page)
    _go_on(page)
    expect(page).to_have_title("Find the forgotten scale · Etude")
    assert not _is_marked(page)


@pytest.mark.slow
def test_python_goes_on(page: Page) -> None:
    """One worker at a time for exercises and a lesson, until a program has run in it.

    Each page has its own tests, and cells begin afresh.
    """
    page.goto(FIRST)
    bench = Bench(page)
    bench.says("Python is ready")
    fresh = page.workers
    _go_on(page)
    expect(page).to_have_title("Find the forgotten scale · Etude")
    bench.says("Python is ready")
    assert page.workers == fresh
    bench.write("def scaled_scores(Q, K):\n    return Q @ K.T\n")
    page.keyboard.press("Control+Shift+Enter")
    bench.concludes("Not passed yet")

    _go_on(page, "Back to the lesson")
    cell = page.locator("[data-cell]").first
    for _ in range(2):
        cell.get_by_role("button", name=re.compile("^Run")).first.click()
        expect(cell.get_by_role("status").filter(has_text="Ran in")).to_be_visible()
        page.go_back()
        expect(page).to_have_title("Find the forgotten scale · Etude")
        page.go_forward()
        expect(page.locator("html")).to_have_attribute("data-page", "lesson")
    assert len(page.workers) == 1
    assert page.workers != fresh


@pytest.mark.slow
def test_what_still_runs_ends_with_its_page(page: Page) -> None:
    """The next page gets a Python that is not at work, also where no signal would interrupt it."""
    page.goto(FIRST)
    bench = Bench(page)
    bench.says("Python is ready")
    bench.write(LONG_IN_C)
    bench.button("Run").click()
    bench.says("Running")
    _go_on(page)
    expect(page).to_have_title("Find the forgotten scale · Etude")
    bench.check()
    bench.concludes("Not passed yet")
