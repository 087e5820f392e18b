"""The server for a site that is being worked on."""

import http.client
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from sitegen.authoring import with_panels
from sitegen.build import make_files
from sitegen.content import Content
from sitegen.live import LiveSite


@pytest.fixture(scope="module")
def live() -> Iterator[LiveSite]:
    with LiveSite(0) as site:
        files = make_files(Content())
        site.publish(
            files | {"pyodide/pyodide.mjs": b"m", "pyodide/a.wasm": b"w", "pyodide/n.whl": b"\xff"}
        )
        yield site


def get(live: LiveSite, path: str, host: str | None = None) -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection(urlsplit(live.url).netloc, timeout=10)
    connection.request("GET", path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    found = answer.status, answer.headers["Content-Type"], answer.read()
    connection.close()
    return found


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/search/", "text/html; charset=utf-8"),
        ("/search/index.html", "text/html; charset=utf-8"),
        ("/offline.js", "text/javascript"),
        ("/pyodide/pyodide.mjs", "text/javascript"),
        ("/pyodide/a.wasm", "application/wasm"),
        ("/pyodide/n.whl", "application/octet-stream"),
    ],
)
def test_each_file_has_its_type(live: LiveSite, path: str, kind: str) -> None:
    """Without it a browser runs no module, and compiles nothing while it loads."""
    status, found, _ = get(live, path)

    assert (status, found) == (200, kind)


def test_a_page_reloads_itself_and_nothing_else_is_touched(live: LiveSite) -> None:
    """Each page gets the script; other files are served unchanged."""
    assert b"/_live/live.js" in get(live, "/about/")[2]
    assert get(live, "/pyodide/n.whl")[2] == b"\xff"


def test_nothing_is_kept_of_an_unfinished_site(live: LiveSite) -> None:
    """In the place of the worker that keeps one is a script that removes it."""
    script = get(live, "/offline.js")[2]

    assert b"unregister()" in script
    assert b"ETUDE_BUILD" not in script


def test_what_is_not_there_is_a_page_that_says_so(live: LiveSite) -> None:
    """With the status of an error, at any address."""
    status, kind, content = get(live, "/no/such/thing.png")

    assert (status, kind) == (404, "text/html; charset=utf-8")
    assert b"This page does not exist" in content


def test_another_name_of_this_machine_is_refused(live: LiveSite) -> None:
    """A page of another site must not read an unpublished exercise."""
    assert get(live, "/", host="example.org")[0] == 403


def test_the_panel_stands_within_the_page() -> None:
    """The page keeps its `main`, and the author's text is escaped in the panel."""
    panels = {"about/index.html": ("Not proven", ["line 1: <b>"])}
    files = with_panels(make_files(Content()), panels, ("Findings", []))

    page = files["about/index.html"].decode()
    assert re.search(r'<main id="content"[^>]*>\s*<aside class="authoring"', page)
    assert "line 1: &lt;b&gt;" in page
    assert "<h2>Findings</h2>" in files["index.html"].decode()
