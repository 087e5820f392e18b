"""A definition is text: nothing in it becomes an element, a script or a link that runs code."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

from grader.definitions.public import PublicTrack

if TYPE_CHECKING:
    from tests.sitegen.conftest import Build, MakeExercise, MakeTest, MakeTrack, Page

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
def hostile_track(
    make_test: "MakeTest", make_exercise: "MakeExercise", make_track: "MakeTrack"
) -> Callable[[str], PublicTrack]:
    """A track with the text in every field that is free text."""

    def make(text: str) -> PublicTrack:
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
    build: "Build", hostile_track: Callable[[str], PublicTrack], text: str
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


def shape(page: "Page") -> set[str]:
    return {element.tag for element in page.elements}


@pytest.mark.parametrize("text", LINKS)
@pytest.mark.parametrize("field", ["instructions", "hints", "description"])
def test_a_link_that_runs_code_is_not_a_link(
    build: "Build", make_exercise: "MakeExercise", make_track: "MakeTrack", text: str, field: str
) -> None:
    """Only addresses that name a page become links, and they bring no handlers."""
    texts = dict.fromkeys(("instructions", "hints", "description"), "") | {field: text}
    exercise = make_exercise(instructions=texts["instructions"], hints=(texts["hints"],))
    track = make_track(exercise, description=texts["description"])
    for page in build(track).pages.values():
        for link in page.all("a"):
            assert link.attributes["href"].startswith(("https://example.org/", "../", "#")) or (
                link.attributes["href"].endswith("index.html")
            )
            assert "onclick" not in link.attributes
