"""The site without a network, after it was visited once."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import NewContext
from tests.browser.hosting import hosted
from tests.browser.learner import Bench

pytestmark = pytest.mark.slow

_KEPT = """
async () => {
  const names = await caches.keys();
  const keys = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  const paths = keys.flat().map(({url}) => new URL(url).pathname);
  const core = ["pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"];
  const wanted = ["numpy-warmup/keepdims/exercise.json", ".whl", "pyodide-lock.json", ...core];
  return wanted.every((end) => paths.some((path) => path.endsWith(end)));
}
"""


def test_what_was_visited_can_be_solved_without_a_network(
    new_context: NewContext, site: Path
) -> None:
    """The exercise, its neighbours, the search and Python are there; of the rest the page says so."""
    with hosted(site) as address:
        context = new_context(address, service_workers="allow", expected="Failed to load resource")
        bench = Bench(context.new_page())
        page = bench.page
        page.goto("numpy-warmup/axis-sums/")
        bench.says("Python is ready")
        page.wait_for_function(_KEPT, polling=200)
    context.set_offline(True)

    page.reload()
    bench.write("print(6 * 7)")
    bench.button("Run").click()
    bench.concludes("Your code ran.")
    expect(bench.results).to_contain_text("42")

    page.get_by_role("link", name="Next").last.click()
    expect(page).to_have_url(re.compile("numpy-warmup/(?!axis-sums)"))
    expect(bench.editor).to_contain_text("def ")

    page.goto("search/?q=softmax")
    expect(page.get_by_role("list", name="Results").get_by_role("link").first).to_be_visible()
    page.goto("nowhere/at/all/")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no network")


def test_a_page_from_a_disk_says_that_it_needs_a_server(site: Path, browser: Browser) -> None:
    """A browser loads no module there, only the script that puts the sentence in."""
    with browser.new_page() as page:
        page.goto((site / "index.html").as_uri())
        expect(page.locator("p.notice").first).to_contain_text("Serve its folder instead")
