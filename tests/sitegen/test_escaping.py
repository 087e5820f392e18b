"""A definition is text: nothing in it becomes an element, a script or a link that runs code."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from sitegen.build import build_site
from sitegen.content import Content, OtherWay, Runnable, Solution
from sitegen.hosting import Hosting
from tests.sitegen.conftest import (
    Page,
    Site,
    make_exercise,
    make_lesson,
    make_prose,
    make_test,
    make_track,
)

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "</code></pre></main><h1>gone</h1>",
    "{{ 7 * 7 }}{% raw %}&lt;",
    "<!-- ",
    "<style>*{display:none}</style>",
    '<iframe src="https://example.org/"></iframe>',
)
LINKS = (
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](vbscript:x)",
    "[x](data:text/html,<script>alert(1)</script>)",
    "<javascript:alert(1)>",
    '[x](https://example.org/ "\\" onclick=\\"alert(1)")',
    "[x]: javascript:alert(1)\n\n[x]",
)


@pytest.fixture(scope="module")
def content() -> Callable[[str], Content]:
    """The input of a site, with the text in every field of free text."""

    def make(text: str) -> Content:
        test = make_test(
            id=text,
            description=text,
            code=text,
            given={text: text, "array": np.array([text]), "x": np.eye(2)},
            expected={text: np.eye(2), "text": text},
        )
        printed = make_test(kind="output", description="", expected=text)
        exercise = make_exercise(
            title=text,
            requires=(text,),
            concepts=(text,),
            instructions=f"{text}\n\n`{text}`\n\n```\n{text}\n```\n\n$\\text{{<b>}}$",
            starter=text,
            defines=(text,),
            hints=(text,),
            tests=(test, printed),
        )
        lesson = replace(make_lesson("begin", make_prose(text)), title=text)
        solution = Solution(text, text, [OtherWay(text, text)])
        return Content(
            [make_track(exercise, title=text, description=text)],
            {"attention": [lesson]},
            {"weights": Runnable(lambda: text, {text: text}, solution)},
        )

    return make


Build: TypeAlias = Callable[[str], Site]


@pytest.fixture(scope="module")
def built(content: Callable[[str], Content], tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The site at an address that is made from a text; it is made once."""

    @cache
    def make(text: str) -> Site:
        root = tmp_path_factory.mktemp("escaping") / "site"
        build_site(
            content(text), root, hosting=Hosting.from_options(site_url="https://example.org/etude/")
        )
        return Site(root)

    return make


every_text = pytest.mark.parametrize("text", HOSTILE)


@every_text
def test_markup_in_any_field_stays_text(built: Build, text: str) -> None:
    """The pages have the elements that harmless text gives, and say the text itself."""
    harmless, hostile = built("plain"), built(text)

    for name, page in hostile.pages.items():
        assert shape(page) <= shape(harmless[name]) | {"a", "p", "span"}
        assert len(page.all("h1")) == 1
        assert len(page.all("script")) == len(harmless[name].all("script"))
        assert not any("<" in script.text for script in page.all("script"))
        for element in page.elements:
            assert not any(each.startswith("on") for each in element.attributes)
            assert "style" not in element.attributes
    assert text in hostile["attention/weights/index.html"].text
    assert text in hostile["attention/weights/index.html"].one("title").text
    assert text in hostile["concepts/index.html"].text


@every_text
def test_html_within_json_has_no_markup_of_the_text(
    built: Build, tmp_path: Path, text: str
) -> None:
    """HTML that a script inserts is escaped like the page itself."""
    for name, html in fragments(built(text).root / "attention/weights"):
        path = tmp_path / "fragment.html"
        path.write_text(f"<!DOCTYPE html><title>x</title><div>{html}</div>", "utf-8")
        page = Page(path)
        assert shape(page) <= {"title", "div", "p", "a", "pre", "code", "span"}, name
        for element in page.elements:
            assert not any(each.startswith("on") for each in element.attributes)


def fragments(exercise: Path) -> list[tuple[str, str]]:
    """The HTML in the data beside the page of an exercise."""
    data = json.loads((exercise / "exercise.json").read_bytes())
    solution = json.loads((exercise / "solution.json").read_bytes())
    return [
        *data["feedback"].items(),
        ("code", solution["code"]),
        ("explanation", solution["explanation"]),
        *((name, way[name]) for way in solution["others"] for name in way),
    ]


@every_text
def test_other_files_hold_the_text_as_text(built: Build, text: str) -> None:
    """The data, the index of the search, the feed and the sitemap say it and nothing more."""
    site = built(text)
    data = json.loads((site.root / "attention/weights/exercise.json").read_bytes())
    index = json.loads(site.asset("search-index.json"))
    feed = ET.parse(site.root / "feed.xml").getroot()  # noqa: S314  made above
    sitemap = ET.parse(site.root / "sitemap.xml").getroot()  # noqa: S314  made above

    engine = (site.root / "attention/weights" / data["engine"]).read_text("utf-8")
    assert (data["title"], data["starter"], engine) == (text, text, text)
    assert text in [title for title, _, _ in index["pages"]]
    assert [each.text for each in feed.iter("title")][1:] == [text, text]
    assert {each.tag for each in feed.iter()} == {
        *("rss", "channel", "title", "link", "description", "language", "item", "guid"),
        "{http://www.w3.org/2005/Atom}link",
    }
    assert all(
        str(each.text).startswith("https://example.org/etude/") for each in sitemap.iter("{*}loc")
    )


def shape(page: Page) -> set[str]:
    return {element.tag for element in page.elements}


@pytest.mark.parametrize("text", LINKS)
def test_a_link_that_runs_code_is_not_a_link(tmp_path: Path, text: str) -> None:
    """Only addresses that name a page become links, and they bring no handlers."""
    exercise = make_exercise(instructions=text, hints=(text,))
    runnable = {"weights": Runnable(str, {"mistake": text}, Solution("", text))}
    site = tmp_path / "site"
    build_site(Content([make_track(exercise, description=text)], {}, runnable), site)
    for name, html in fragments(site / "attention/weights"):
        (site / f"{name}.html").write_text(f"<!DOCTYPE html><title>x</title>{html}")
    for path in site.rglob("*.html"):
        for link in Page(path).all("a"):
            assert link.attributes["href"].startswith(
                ("https://example.org/", "https://pyodide.org/", "../", "#", "/")
            ) or link.attributes["href"].endswith(("index.html", ".txt"))
            assert "onclick" not in link.attributes
