"""The bytes that a page makes a browser load, and those that it loads without need."""

import gzip
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import NewContext
from tests.browser.hosting import hosted

pytestmark = pytest.mark.slow

MAX_BYTES = {"exercise": 250_000, "gpt": 400_000}  # a GPT has its weights
# Loaded when Python starts: Python itself, the grader that runs in it, and what it judges by.
RUNTIME = ("/pyodide/", "/assets/etude-", "/engine.txt")


@pytest.mark.parametrize(
    "kind", ["home", "track", "lesson", "exercise", "progress", "search", "gpt"]
)
def test_the_heaviest_page_of_each_kind(new_context: NewContext, site: Path, kind: str) -> None:
    """A first visit, without Python's runtime, stays within the limit of its kind."""
    with hosted(site, without="pyodide/") as address:
        page = new_context(address, expected="Failed to load resource").new_page()
        loaded = _visit(page, _heaviest(site, kind))

    assert sum(loaded.values()) <= MAX_BYTES.get(kind, 150_000), loaded


def _visit(page: Page, path: str) -> dict[str, int]:
    """Visit a page; return the bytes of each file that it loaded, without Python's runtime."""
    # Not "networkidle": it also waits for a worker that starts Python, sometimes forever.
    under_way: set[Request] = set()
    loaded: list[Request] = []

    def note(request: Request) -> None:
        if not any(part in request.url for part in RUNTIME):
            under_way.add(request)

    def finish(request: Request) -> None:
        if request in under_way:
            under_way.remove(request)
            loaded.append(request)

    page.on("request", note)
    page.on("requestfinished", finish)
    page.goto(path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    for _ in range(100):
        page.wait_for_timeout(500)
        if not under_way:
            break
    assert not under_way, under_way
    return {each.url: each.sizes()["responseBodySize"] for each in loaded}


def _heaviest(site: Path, kind: str) -> str:
    """Return the path of the largest page of a kind, with the files beside it."""
    pages = [
        path
        for path in site.rglob("index.html")
        if f'data-page="{kind}"' in path.read_text("utf-8")[:600]
    ]
    heaviest = max(pages, key=lambda path: sum(map(_compressed, path.parent.glob("*.*"))))
    return heaviest.relative_to(site).as_posix()


def _compressed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes()))
