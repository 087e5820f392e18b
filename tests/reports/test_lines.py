"""Lines in styles: in a terminal as rich draws them, elsewhere as they are."""

import io
import os
import subprocess
import sys

import pytest
from rich.console import Console
from rich.text import Text

from grader.reports.lines import Line, Paper

PARTS = [
    [("expected", "bold"), ("  ", ""), ("int64 (3,)", "dim")],
    [("ä中文字 wide", "red"), (" and narrow ", ""), ("再来一次", "bold #000000 on #f7f7f7")],
    [("  a sentence that takes several lines, ", "yellow"), ("with some of it in red  ", "red")],
    [],
]


def both(parts: list[tuple[str, str]]) -> tuple[Line, Text]:
    """Return the same line, ours and rich's."""
    return Line.of(*parts), Text.assemble(*parts)


def drawn(*lines: Line | Text) -> str:
    """Return what a terminal is sent."""
    console = Console(
        file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor", no_color=False
    )
    for line in lines:
        console.print(line, soft_wrap=True)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("parts", PARTS)
def test_a_line_is_what_rich_makes_of_it(parts: list[tuple[str, str]]) -> None:
    """Its columns, its styles, and without blanks at its end."""
    ours, theirs = both(parts)
    assert ours.cell_len == theirs.cell_len
    assert len(ours) == len(theirs)
    assert drawn(ours) == drawn(theirs)
    ours.rstrip()
    theirs.rstrip()
    assert drawn(ours) == drawn(theirs)


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("ellipsis", [True, False])
def test_a_line_is_cut_where_rich_cuts_it(parts: list[tuple[str, str]], ellipsis: bool) -> None:
    """Also in the middle of a wide character, which then leaves a blank."""
    for width in range(2, 60):
        ours, theirs = both(parts)
        ours.truncate(width, ellipsis=ellipsis)
        theirs.truncate(width, overflow="ellipsis" if ellipsis else "crop")
        assert str(ours) == theirs.plain
        assert drawn(ours) == drawn(theirs)


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("width", [10, 30])
def test_a_line_is_wrapped_where_rich_wraps_it(parts: list[tuple[str, str]], width: int) -> None:
    """And each piece keeps its styles."""
    ours, theirs = both(parts)
    assert drawn(*ours.wrap(width)) == drawn(*theirs.wrap(Console(), width))


def test_paper_takes_lines_as_they_are() -> None:
    """No style, no end."""
    file = io.StringIO()
    Paper(file, 10).print(Line.of(("a line", "bold"), " that is too long"), "[bold]a text[/bold]")
    assert file.getvalue() == "a line that is too long\n[bold]a text[/bold]\n"


@pytest.mark.parametrize(
    ("setting", "rich"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"TTY_COMPATIBLE": "1"}, True)],
)
def test_only_a_terminal_waits_for_rich(setting: dict[str, str], rich: bool) -> None:
    """It takes longer to import than the report takes to make; but then while others are busy."""
    code = (
        "import sys; from grader.cli import options, check; "
        "from grader.reports.formats import Delivery; Delivery.of([]).load(); "
        "print('rich' in sys.modules)"
    )
    unset = ("FORCE_COLOR", "TTY_COMPATIBLE", "GITHUB_ACTIONS", "TF_BUILD")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, **setting},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(rich)
