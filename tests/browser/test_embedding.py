"""Pages in frames of other sites: without head and foot, as high as they are, and only where named."""

import asyncio
import json
import os
import subprocess
import sys
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, FrameLocator, Page, ViewportSize, expect
from starlette.applications import Starlette
from starlette.routing import Mount

from etude_server.api.site_routes import Site
from grader.definitions.public_exercise import PublicTrack
from grader.definitions.track import TrackId
from grader.errors import UsageError
from sitegen import Content, build_site
from sitegen.hosting import Hosting
from tests.browser.hosting import BASE, hosted
from tests.browser.judging import barriers, shoot, without_python
from tests.browser.learner import PATIENCE_MS, paste
from tests.browser.tools import Tools, write_lessons
from tests.browser.tools import build_site as build_site_with_python

BOOK = Path(__file__).parents[2] / "examples" / "book"

OUTER = """<!DOCTYPE html><title>Course</title>
<iframe title="Etude" src="{inner}masks/index.html?embed" width="600"></iframe>
<script>
addEventListener("message", ({{data}}) => {{
  if (data.kind === "etude:height") document.querySelector("iframe").height = data.height;
  if (data.subject === "lti.frameResize") document.title = data.height;
}});
</script>
"""

LEARNING_SYSTEM = """<!DOCTYPE html><title>Course</title>
<iframe title="Etude" src="{inner}attention/{exercise}/?embed" width="800" height="900"></iframe>
<script>
const stored = {state}, reports = [], events = [];
let heard = 0;
addEventListener("message", ({{data, source, origin}}) => {{
  heard += 1;
  if (data.subject === "SPLICE.reportScoreAndState") reports.push(data);
  if (data.subject === "SPLICE.sendEvent") events.push([data.location, data.name, data.data]);
  if (data.subject !== "SPLICE.getState") return;
  source.postMessage({{subject: "SPLICE.getState.response", message_id: "another", state: {{}}}}, origin);
  const {{message_id}} = data;
  source.postMessage({{subject: "SPLICE.getState.response", message_id, state: stored}}, origin);
}});
</script>
"""
RIGHT = "import numpy as np\ndef scaled_scores(Q, K):\n    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])\n"


def build(folder: Path, *embed_in: str) -> None:
    """Build a site of one empty track."""
    track = PublicTrack(TrackId("masks"), "Masks", "A track. " * 200, 0, ())
    build_site(Content([track]), folder, hosting=Hosting(base_url="/etude/", embed_in=embed_in))


async def get(app: Starlette, path: str) -> httpx.Response:
    """Ask an application for a page."""
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://etude") as client:
        return await client.get(path)


@pytest.mark.slow
def test_an_embedded_page_tells_its_height_to_the_named_site(
    browser: Browser, tmp_path: Path
) -> None:
    """It has neither header nor footer."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    (outside / "404.html").touch()
    with hosted(outside) as outer, hosted(inside) as inner:
        build(inside, outer.removesuffix("/etude/"))
        (outside / "index.html").write_text(OUTER.format(inner=inner), encoding="utf-8")
        page = browser.new_page()  # no watch: there are two sites
        page.goto(outer)
        frame = page.frame_locator("iframe")
        expect(frame.get_by_role("heading", level=1)).to_have_text("Masks")
        expect(frame.get_by_role("banner")).to_be_hidden()
        expect(frame.get_by_role("contentinfo")).to_be_hidden()
        frame.locator("body").evaluate("() => document.fonts.ready.then(() => undefined)")
        height = frame.locator("body").evaluate(
            "(body) => Math.ceil(body.getBoundingClientRect().height)"
        )
        expect(page.locator("iframe")).to_have_attribute("height", str(height))
        expect(page).to_have_title(str(height))  # by the message that learning platforms know
        assert height > 400
        page.close()


@pytest.mark.slow
def test_a_learning_system_is_told_scores_and_gives_the_code_back(
    browser: Browser, tools: Tools, tmp_path: Path
) -> None:
    """By the SPLICE protocol: only the named site, and only for the exercise that it embeds."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "404.html").touch()
    with hosted(outside) as outer, hosted(outside) as stranger:
        more = ("--exercises", write_lessons(tmp_path / "lessons"))
        named = outer.removesuffix(BASE)
        inside = build_site_with_python(
            tmp_path / "inside", tools, BASE, *more, "--embed-in", named
        )
        with hosted(inside) as inner:

            def open_course(
                address: str, state: object, exercise: str = "scaled-scores"
            ) -> tuple[Page, FrameLocator]:
                (outside / "index.html").write_text(
                    LEARNING_SYSTEM.format(inner=inner, state=json.dumps(state), exercise=exercise),
                    encoding="utf-8",
                )
                page = browser.new_context().new_page()  # another device, which has kept nothing
                if state is not None:  # nothing is checked there
                    without_python(page)
                page.goto(address)
                return page, page.frame_locator("iframe")

            page, frame = open_course(outer, None)
            paste(frame.get_by_role("textbox", name="Your solution"), RIGHT)
            page.wait_for_function("reports.length === 1")
            assert last_report(page) == (
                0,
                {"exercise": "scaled-scores", "code": RIGHT, "score": 0},
            )
            frame.get_by_role("button", name="Check", exact=True).click()
            page.wait_for_function("reports.at(-1).score === 1")
            _, state = last_report(page)
            assert state == {"exercise": "scaled-scores", "code": RIGHT, "score": 1}
            page.wait_for_function(
                """() => JSON.stringify(events) === '[["scaled-scores","check",{"score":1}]]'"""
            )
            page.context.close()

            page, frame = open_course(outer, state)
            editor = frame.get_by_role("textbox", name="Your solution")
            expect(editor).to_contain_text("np.swapaxes(K, -1, -2)")
            paste(editor, "worse = 1")
            page.wait_for_function("reports.at(-1)?.state.code === 'worse = 1'")
            assert last_report(page)[0] == 1  # the best score stays
            count = page.evaluate("reports.length")
            frame.get_by_role("link", name="Next").last.click()
            expect(frame.get_by_role("heading", level=1)).not_to_have_text("Scale the scores")
            paste(frame.get_by_role("textbox", name="Your solution"), "other = 1")
            expect(frame.get_by_role("textbox", name="Your solution")).to_have_text("other = 1")
            page.wait_for_timeout(1000)  # longer than a pause after which code is reported
            assert page.evaluate("reports.length") == count
            page.context.close()

            predicted = {
                "exercise": "score-spread",
                "code": 'variance = 64\nstandard_deviation = ...\nfour_times_the_features = "doubles"\n',
                "score": 0.25,
            }
            page, frame = open_course(outer, predicted, "score-spread")
            expect(frame.get_by_label("variance", exact=False).first).to_have_value("64")
            expect(frame.get_by_role("radio", name="doubles")).to_be_checked()
            expect(frame.get_by_text("2 of 4 answers are there.")).to_be_visible()
            page.context.close()

            page, frame = open_course(stranger, state)
            expect(frame.get_by_role("textbox", name="Your solution")).to_contain_text("def ")
            page.wait_for_timeout(1000)
            assert page.evaluate("heard") == 0
            page.context.close()


@pytest.mark.slow
def test_a_book_has_exercises_in_its_pages(browser: Browser, tools: Tools, tmp_path: Path) -> None:
    """As high as they are, in the book's colours, with word of each check; elsewhere a link stays."""
    book, lessons = tmp_path / "book", write_lessons(tmp_path / "lessons")
    book.mkdir()
    (book / "404.html").touch()
    with hosted(book) as outer, hosted(book) as stranger, hosted(tmp_path / "inside") as inner:
        named = ("--exercises", lessons, "--embed-in", outer.removesuffix(BASE))
        build_site_with_python(tmp_path / "inside", tools, BASE, *named)
        build_book(book, inner)
        size: ViewportSize = {"width": 1280, "height": 400}
        page = browser.new_context(color_scheme="dark", viewport=size).new_page()
        page.goto(outer)
        page.evaluate(
            "globalThis.checks = [];"
            "document.addEventListener('etude-check', ({detail}) => checks.push(detail))"
        )
        first, second = (page.locator("etude-exercise").nth(each) for each in range(2))
        frame = first.frame_locator("iframe")
        expect(frame.get_by_role("heading", level=1)).to_have_text("Scale the scores")
        expect(first.get_by_role("link", name="Scale the scores")).to_be_hidden()
        expect(second.locator("iframe")).to_have_count(0)  # it is far below
        expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
        shoot(page, "book-dark")
        assert barriers(page, tools) == ""
        page.locator("body").evaluate("(body) => body.dataset.theme = 'light'")
        expect(frame.locator("html")).to_have_attribute("data-theme", "light")
        shoot(page, "book-light")

        paste(frame.get_by_role("textbox", name="Your solution"), RIGHT)
        frame.get_by_role("button", name="Check", exact=True).click()
        page.wait_for_function("checks.length === 1", timeout=PATIENCE_MS)
        assert page.evaluate("checks") == [{"exercise": "scaled-scores", "score": 1}]
        assert int(first.locator("iframe").get_attribute("height") or 0) > 400
        second.scroll_into_view_if_needed()
        expect(second.locator("iframe")).to_have_count(1)

        page.clock.install()
        page.goto(stranger)
        expect(first.locator("iframe")).to_have_count(1)
        page.clock.run_for(30_000)
        expect(first.get_by_role("status")).to_have_text(
            "The exercise did not load here; the link leads to it."
        )
        expect(first.get_by_role("link", name="Scale the scores")).to_have_attribute(
            "href", f"{inner}attention/scaled-scores/"
        )
        page.context.close()


def build_book(folder: Path, site: str) -> None:
    """Build the sample book, which names a site."""
    words = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", str(BOOK), str(folder)]
    subprocess.run(words, env={**os.environ, "ETUDE_SITE_URL": site}, check=True)


def last_report(page: Page) -> tuple[float, dict[str, Any]]:
    """Return the score and the state of the last report, whose form the protocol names."""
    report = page.evaluate("reports.at(-1)")
    assert set(report) == {"subject", "message_id", "score", "state"}
    return report["score"], report["state"]


def test_a_server_allows_frames_only_where_asked_for_and_named(tmp_path: Path) -> None:
    """By `?embed`, for the sites that the builder named."""
    build(tmp_path / "one", "https://lms.example.org")
    build(tmp_path / "two")
    for name, path, allowed in (
        ("one", "/masks/?embed", "frame-ancestors 'self' https://lms.example.org"),
        ("one", "/masks/", None),
        ("two", "/masks/?embed", "frame-ancestors 'self'"),
    ):
        app = Starlette(routes=[Mount("/", Site(tmp_path / name, lambda: "'self'"))])
        answer = asyncio.run(get(app, path))
        assert answer.status_code == HTTPStatus.OK
        assert answer.headers.get("Content-Security-Policy") == allowed


def test_a_site_to_embed_in_is_an_origin() -> None:
    """An invalid address is refused, since it would stand in a header."""
    with pytest.raises(UsageError, match="named like"):
        Hosting(embed_in=("https://lms.example.org/; frame-ancestors *",))
