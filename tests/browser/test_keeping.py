"""The offline copy of a site: of the newest build, whole, and no error."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from grader.definitions.public_exercise import PublicTrack
from grader.definitions.track import TrackId
from sitegen import Content, build_site
from tests.browser.conftest import NewContext
from tests.browser.hosting import hosted

pytestmark = pytest.mark.slow

_PATHS = """
async () => {
  const names = await caches.keys();
  const keys = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return keys.flat().map(({url}) => new URL(url).pathname.replace("/etude/", ""));
}
"""
_WAITS = "async () => Boolean((await navigator.serviceWorker.ready).waiting)"
_STEP, _PATIENCE = 100.0, 30_000.0  # milliseconds


def build(folder: Path, title: str, modules: bytes) -> list[str]:
    """Build a site of one empty track; returns the paths of its assets, not of compressed copies."""
    track = PublicTrack(TrackId("masks"), title, "A track.", 0, ())
    build_site(Content([track], python=modules), folder)
    found = (path for path in (folder / "assets").iterdir() if path.suffix != ".gz")
    return sorted(f"assets/{path.name}" for path in found)


def cached_paths(page: Page) -> set[str]:
    """The paths of all that is kept for the site, in whatever cache."""
    return set(page.evaluate(_PATHS))


def wait_until(page: Page, is_so: Callable[[set[str]], bool]) -> None:
    """Wait until the stored data are as expected."""
    waited = 0.0
    while not is_so(paths := cached_paths(page)):
        assert waited < _PATIENCE, paths
        page.wait_for_timeout(_STEP)
        waited += _STEP


def test_a_new_build_takes_the_place_of_the_old_one(
    new_context: NewContext, tmp_path: Path
) -> None:
    """Once no page of the old one is open: with its assets, and the pages that one had kept."""
    old = build(tmp_path, "Old title", b"old modules")
    with hosted(tmp_path) as address:
        context = new_context(address, service_workers="allow", expected="Failed to load resource")
        page = context.new_page()
        page.goto("masks/")
        wait_until(page, {*old, "index.html", "masks/index.html", "offline/index.html"}.issubset)

        new = build(tmp_path, "New title", b"new modules")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("New title")
        page.evaluate("async () => (await navigator.serviceWorker.ready).update()")
        while not page.evaluate(_WAITS):
            page.wait_for_timeout(_STEP)
        page.goto("about:blank")
        page.goto("about/")
        wait_until(page, {*new, "index.html", "masks/index.html"}.issubset)
        wait_until(page, (set(old) - set(new)).isdisjoint)
    context.set_offline(True)

    page.goto("masks/")
    expect(page.get_by_role("heading", level=1)).to_have_text("New title")


def test_what_a_host_does_not_have_is_not_kept(new_context: NewContext, tmp_path: Path) -> None:
    """The error page is not cached, not even under the requested address."""
    build(tmp_path, "Title", b"")
    with hosted(tmp_path) as address:
        context = new_context(address, service_workers="allow", expected="404")
        page = context.new_page()
        page.goto("")
        page.evaluate("navigator.serviceWorker.ready")
        page.reload()
        page.goto("nowhere/")
        expect(page.get_by_role("heading", level=1)).to_have_text("This page does not exist")
        page.goto("concepts/")
        wait_until(page, {"concepts/index.html", "search/index.html"}.issubset)

        assert not [path for path in cached_paths(page) if path.startswith(("nowhere", "404"))]
