"""What the other tests rely on: that whatever goes wrong on a page is noticed."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser

from tests.browser.hosting import hosted
from tests.browser.watching import Watch

if TYPE_CHECKING:
    from collections.abc import Callable

HEAD = "<!DOCTYPE html><html lang=en><title>Page</title><link rel=icon href=data:,>"
POLICY = "<meta http-equiv=Content-Security-Policy content=\"script-src 'self'\">"


@pytest.fixture
def complaints_about(browser: Browser, tmp_path: Path) -> "Callable[..., list[str]]":
    """Open a page of this text, and return what was noticed."""

    def open_page(text: str, **files: str) -> list[str]:
        (tmp_path / "index.html").write_text(HEAD + text)
        for name, content in files.items():
            (tmp_path / f"{name}.js").write_text(content)
        with hosted(tmp_path) as address, browser.new_context() as context:
            watch = Watch(context, address)
            page = context.new_page()
            page.goto(address, wait_until="networkidle")
            return watch.complaints

    return open_page


def test_a_page_in_order_is_left_alone(complaints_about: "Callable[..., list[str]]") -> None:
    """What is in order brings no complaint."""
    text = f"{POLICY}<script src=own.js></script>"
    assert complaints_about(text, own="console.log('fine')") == []


@pytest.mark.parametrize(
    ("text", "noticed"),
    [
        ("<script>console.error('oh')</script>", "console error: oh"),
        ("<script>console.warn('hm')</script>", "console warning: hm"),
        ("<script>throw new Error('loose')</script>", "not caught: loose"),
        ("<script>Promise.reject(new Error('late'))</script>", "not caught: late"),
        ("<script>alert('boo')</script>", "dialog: boo"),
        ("<script src=missing.js></script>", "console error: Failed to load resource"),
        (f"{POLICY}<script>1</script>", "console error: policy: script-src-elem keeps out inline"),
        ("<img alt='' src=http://127.0.0.1:9/pixel.png>", "request to another site"),
        ("<img alt='' src=https://elsewhere.example/pixel.png>", "request to another site"),
        ("<script>new Worker('own.js')</script>", "console error: from the worker"),
    ],
)
def test_what_goes_wrong_is_noticed(
    complaints_about: "Callable[..., list[str]]", text: str, noticed: str
) -> None:
    """Each of the things that no page may do is a complaint."""
    found = complaints_about(text, own="console.error('from the worker')")
    assert any(each.startswith(noticed) for each in found), found


@pytest.mark.usefixtures("_browser")
def test_the_browser_leaves_event_loops_to_other_tests() -> None:
    """While no test drives the browser, an event loop can be run."""
    assert asyncio.run(asyncio.sleep(0, "ran")) == "ran"
