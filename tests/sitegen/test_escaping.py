"""A definition is text: nothing in it becomes an element, a script or a link that runs code."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Make = Callable[..., Any]

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


@pytest.fixture
def hostile_track(make_test: Make, make_exercise: Make, make_track: Make) -> Callable[[str], Any]:
    """A track with the text in every field that is free text."""

    def make(text: str) -> Any:
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
            hints=(text,),
            tests=(test, printed),
        )
        return make_track(exercise, title=text, description=text)

    return make


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_in_any_field_stays_text(
    build: Make, hostile_track: Callable[[str], Any], text: str
) -> None:
    """The pages have the elements that harmless text gives, and say the text itself."""
    harmless = {name: shape(page) for name, page in build(hostile_track("plain")).pages.items()}
    hostile = build(hostile_track(text))

    for name, page in hostile.pages.items():
        assert shape(page) <= harmless[name] | {"a", "p", "span"}
        assert len(page.all("h1")) == len(page.all("script")) == 1
        for element in page.elements:
            assert not any(each.startswith("on") for each in element.attributes)
            assert "style" not in element.attributes
    assert text in hostile["attention/weights/index.html"].text
    assert text in hostile["attention/weights/index.html"].one("title").text


def shape(page: Any) -> set[str]:
    return {element.tag for element in page.elements}


@pytest.mark.parametrize("text", LINKS)
@pytest.mark.parametrize("field", ["instructions", "hints", "description"])
def test_a_link_that_runs_code_is_not_a_link(
    build: Make, make_exercise: Make, make_track: Make, text: str, field: str
) -> None:
    """Only addresses that name a page become links, and they bring no handlers."""
    changes = {"instructions": {"instructions": text}, "hints": {"hints": (text,)}}
    track = make_track(
        make_exercise(**changes.get(field, {})), description=text if field == "description" else ""
    )
    for page in build(track).pages.values():
        for link in page.all("a"):
            assert link.attributes["href"].startswith(("https://example.org/", "../", "#")) or (
                link.attributes["href"].endswith("index.html")
            )
            assert "onclick" not in link.attributes
