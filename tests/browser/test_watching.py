"""The watch that other tests rely on: it notices whatever goes wrong on a page."""

import asyncio
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.hosting import hosted
from tests.browser.watching import Watch

pytestmark = pytest.mark.slow

HEAD = "<!DOCTYPE html><html lang=en><title>Page</title><link rel=icon href=data:,>"
POLICY = "<meta http-equiv=Content-Security-Policy content=\"script-src 'self'\">"


def test_what_goes_wrong_is_noticed(browser: Browser, tmp_path: Path) -> None:
    """Each of the things that no page may do is a complaint; a page in order is left alone."""
    pages = {
        f"{POLICY}<script src=fine.js></script>": "",
        "<script>console.error('oh')</script>": "console error: oh",
        "<script>console.warn('hm')</script>": "console warning: hm",
        "<script>throw new Error('loose')</script>": "not caught: loose",
        "<script>Promise.reject(new Error('late'))</script>": "not caught: late",
        "<script>alert('boo')</script>": "dialog: boo",
        "<script src=missing.js></script>": "console error: Failed to load resource",
        f"{POLICY}<script>1</script>": "console error: policy: script-src-elem keeps out inline",
        "<img alt='' src=http://127.0.0.1:9/pixel.png>": "request to another site",
        "<img alt='' src=https://elsewhere.example/pixel.png>": "request to another site",
        "<script>new Worker('worker.js')</script>": "console error: from the worker",
    }
    (tmp_path / "fine.js").write_text("console.log('fine')")
    (tmp_path / "worker.js").write_text("console.error('from the worker')")
    with hosted(tmp_path) as address:
        for text, noticed in pages.items():
            (tmp_path / "index.html").write_text(HEAD + text)
            with browser.new_context() as context:
                watch = Watch(context, address)
                context.new_page().goto(address, wait_until="networkidle")
                complaints = watch.complaints
            assert bool(complaints) == bool(noticed), (text, complaints)
            assert not noticed or any(each.startswith(noticed) for each in complaints), complaints


@pytest.mark.usefixtures("_browser")
def test_the_browser_leaves_event_loops_to_other_tests() -> None:
    """While no test drives the browser, an event loop can be run."""
    assert asyncio.run(asyncio.sleep(0, "ran")) == "ran"
