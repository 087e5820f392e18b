"""How much a page makes a browser load, and how much more it loads than it shows."""

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Request, expect

if TYPE_CHECKING:
    from tests.browser.conftest import NewPage

pytestmark = pytest.mark.slow

MOST = 250_000
# Loaded when Python starts: Python itself, and the grader that runs in it.
RUNTIME = ("/pyodide/", "/assets/etude-")


@pytest.mark.parametrize("kind", ["home", "track", "lesson", "exercise", "progress", "search"])
def test_the_heaviest_page_of_each_kind(new_page: "NewPage", site: Path, kind: str) -> None:
    """All that a first visit transfers, without Python's runtime, is at most 250 KB."""
    page = new_page(expected="Failed to load resource")
    page.route("**/pyodide/**", lambda route: route.abort())
    loaded: list[Request] = []
    page.on("requestfinished", lambda request: loaded.append(request))  # noqa: PLW0108  Playwright marks what it is given
    page.goto(_heaviest(site, kind), wait_until="networkidle")
    expect(page.get_by_role("heading", level=1)).to_be_visible()

    own = [each for each in loaded if not any(part in each.url for part in RUNTIME)]
    sizes = {each.url: each.sizes()["responseBodySize"] for each in own}
    assert sum(sizes.values()) <= MOST, sizes


def _heaviest(site: Path, kind: str) -> str:
    """The path of the page that, with what lies beside it, is the largest of its kind."""
    pages = [
        path
        for path in site.rglob("index.html")
        if f'data-page="{kind}"' in path.read_text("utf-8")[:600]
    ]
    heaviest = max(pages, key=lambda path: sum(map(_compressed, path.parent.glob("*.*"))))
    return heaviest.relative_to(site).as_posix()


def _compressed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes()))
