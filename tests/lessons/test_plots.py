"""Plots in lessons: what of an SVG reaches a page, and how a cell shows a figure."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from grader.errors import DefinitionError
from grader.lessons.blocks import Cell, PlotDisplay
from grader.lessons.execute import run_lesson
from grader.lessons.lesson import Lesson, read_lesson
from grader.lessons.recorded_output import record
from grader.lessons.safe_svg import MAX_BYTES, UnsafeSvgError, safe_svg
from grader.sandbox.process import Sandbox, open_sandbox

DRAWS = """\
Text.

```python
import matplotlib.pyplot as plt
plt.plot([1, 2, 3], [4, 2, 1], label="a <b> & c")
plt.legend()
plot("A line that falls", title="Loss")
```
"""

needs_matplotlib = pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="matplotlib is not installed; `make .venv/.dev` does it"
)


def svg(inside: str, attributes: str = "") -> str:
    begin = '<?xml version="1.0"?><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg"'
    link = 'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"'
    return f"{begin} {link} {attributes}>{inside}</svg>"


def clean(inside: str, attributes: str = "") -> str:
    """Return what the sanitizer leaves of an image."""
    found = safe_svg(svg(inside, attributes), "alt", "p-")
    return found[found.index(">") + 1 : found.rindex("</svg>")]


def test_the_image_has_its_text_and_the_colour_of_the_page() -> None:
    """A name for screen readers, and no size, so that it fits any page."""
    found = safe_svg(svg("<path/>", 'width="9pt" height="9pt" onload="x()"'), 'a "b" <c>', "p-")

    assert found == (
        '<svg viewBox="0 0 9 9" role="img" aria-label="a &quot;b&quot; &lt;c&gt;" '
        'fill="currentColor" stroke-linejoin="round" stroke-linecap="butt"><path /></svg>'
    )


@pytest.mark.parametrize(
    ("inside", "left"),
    [
        ("<script>alert(1)</script><metadata>2026</metadata><style>*{fill:red}</style><path/>", "<path />"),
        ("<foreignObject><p>x</p></foreignObject><a href='javascript:x()'><path/></a><g/><rect/>", "<rect />"),
        ("<animate attributeName='href'/><rect onclick='x()'/>", "<rect />"),
        ("<image href='https://example.org/x.png'/>", '<image href="#" />'),
        ("<image href='data:image/svg+xml;base64,AAAA'/>", '<image href="#" />'),
        (
            "<image xlink:href='data:image/png;base64,AA\nAA'/>",
            '<image href="data:image/png;base64,AAAA" />',
        ),
        ("<use xlink:href='other.svg#a'/><use xlink:href='#a'/>", '<use href="#" /><use href="#p-a" />'),
        ("<rect id='a' clip-path='url(#b)'/>", '<rect id="p-a" clip-path="url(#p-b)" />'),
        ("<rect clip-path='url(https://example.org)' fill='url(#x)'/>", "<rect />"),
        (
            "<path d='M 0 0' style='stroke: #000000; fill: none; background: url(x); position: fixed'/>",
            '<path d="M 0 0" stroke="currentColor" fill="none" />',
        ),
        (
            "<text style=\"font: 10px 'Sans'; text-anchor: middle\">a &lt;b&gt;</text>",
            '<text font-size="10" text-anchor="middle">a &lt;b&gt;</text>',
        ),
    ],
)  # fmt: skip
def test_only_shapes_and_text_are_left(inside: str, left: str) -> None:
    """Nothing runs, nothing is loaded, and no style reaches the rest of the page."""
    assert clean(inside) == left


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "cannot be read"),
        ("<svg", "cannot be read"),
        ("<svg></svg>", "this is not an SVG"),
        (svg("<!DOCTYPE x [<!ENTITY a 'b'>]>"), "a declaration"),
        (svg("x" * MAX_BYTES), "262,144 bytes"),
        (svg("<g/>"), "nothing in the SVG"),
        (svg("<g>" * 5_000 + "</g>" * 5_000), "too deep"),
    ],
)
def test_what_is_no_svg_is_refused(source: str, said: str) -> None:
    """With the reason."""
    with pytest.raises(UnsafeSvgError, match=said):
        safe_svg(source, "alt", "p-")


@pytest.fixture(scope="module")
def drawing() -> Iterator[Sandbox]:
    """A sandbox that has matplotlib."""
    with open_sandbox(packages=("matplotlib.pyplot",)) as opened:
        yield opened


def ran(folder: Path, text: str, sandbox: Sandbox) -> Lesson:
    path = folder / "01-draws.md"
    path.write_text(text)
    return run_lesson(read_lesson(path), sandbox)


@pytest.mark.slow
@needs_matplotlib
def test_a_cell_shows_what_it_has_drawn(tmp_path: Path, drawing: Sandbox) -> None:
    """Twice the same bytes, without a date; the record says what it shows."""
    lesson, again = (ran(tmp_path, DRAWS, drawing) for _ in range(2))

    cell = lesson.blocks[1]
    assert isinstance(cell, Cell)
    (shown,) = cell.displays
    assert isinstance(shown, PlotDisplay)
    assert again.blocks[1] == cell
    assert "dc:date" not in shown.svg
    found = safe_svg(shown.svg, shown.alt, "plot-0-0-")
    assert 'aria-label="A line that falls"' in found
    assert ">a &lt;b&gt; &amp; c</text>" in found
    assert "style=" not in found
    assert "#000000" not in found
    assert record(lesson) == "[1]\n    <plot> Loss\n    A line that falls\n"


@pytest.mark.slow
@needs_matplotlib
@pytest.mark.parametrize(
    ("there", "instead", "said"),
    [
        ('plot("A line that falls", title="Loss")\n', "", "4:1: the cell draws a figure and does not show it"),
        ('"A line that falls"', '" "', "7:1: the cell raises ValueError: a plot needs a text"),
        ("plt.legend()", "plt.close()", "7:1: the cell raises ValueError: nothing is drawn yet"),
    ],
)  # fmt: skip
def test_a_figure_without_a_text_is_an_error(
    tmp_path: Path, drawing: Sandbox, there: str, instead: str, said: str
) -> None:
    """With the lesson's line."""
    with pytest.raises(DefinitionError, match=f"01-draws.md:{said}"):
        ran(tmp_path, DRAWS.replace(there, instead), drawing)
