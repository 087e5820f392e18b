"""Pages in frames of other sites: without head and foot, as high as they are, and only where named."""

import asyncio
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from starlette.applications import Starlette
from starlette.routing import Mount

from grader.definitions.public import PublicTrack
from grader.definitions.track import TrackId
from grader.errors import UsageError
from grader.service.api.site_routes import Site
from sitegen import Content, build_site
from sitegen.hosting import Hosting
from tests.browser.hosting import hosted

OUTER = """<!DOCTYPE html><title>Course</title>
<iframe title="Etude" src="{inner}masks/index.html?embed" width="600"></iframe>
<script>
addEventListener("message", ({{data}}) => {{
  if (data.kind === "etude:height") document.querySelector("iframe").height = data.height;
}});
</script>
"""


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
        assert height > 400
        page.close()


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
    """What is none is refused, since it would stand in a header."""
    with pytest.raises(UsageError, match="named like"):
        Hosting(embed_in=("https://lms.example.org/; frame-ancestors *",))
