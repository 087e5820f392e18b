"""What Python in a page cannot reach: the site's server, and what the browser keeps of the site."""

from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from tests.browser.learner import Bench

_LOOK = """\
import js
from pyodide.code import run_js
names = ["caches", "indexedDB", "cookieStore", "fetch", "XMLHttpRequest", "WebSocket", "WebTransport",
         "EventSource", "Worker", "SharedWorker", "BroadcastChannel", "localStorage", "document"]
there = [name for name in names if hasattr(js, name) or run_js(f"typeof {name}") != "undefined"]
print("within reach:", there)
"""


def test_a_program_has_no_way_to_the_rest_of_the_site(bench: "Bench") -> None:
    """Somebody else's code, tried in a page, can change no kept script and ask the server nothing."""
    bench.write(_LOOK)
    bench.button("Run").click()
    bench.concludes("Your code ran.")
    expect(bench.results).to_contain_text("within reach: []")
