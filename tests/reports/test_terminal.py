"""Markdown, formulas and matrices as a terminal shows them."""

import io

import numpy as np
import pytest
from rich.console import Console

from grader.reports.blocks import Labels, print_heatmap, print_side_by_side
from grader.reports.formulas import formula
from grader.reports.prose import print_markdown


def _console(width: int = 80, *, terminal: bool = False, colour: bool = True) -> Console:
    return Console(
        file=io.StringIO(),
        width=width,
        highlight=False,
        force_terminal=terminal,
        color_system="truecolor" if terminal else None,
        no_color=not colour,
    )


def _written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\frac{Q K^\top}{\sqrt{d_k}}", "(Q K\u1d40) / \u221ad_k"),
        (r"\tfrac12", "1/2"),
        (r"\operatorname{softmax}(x)_i", "softmax(x)_i"),
        (r"x^2 + 10^{-3}", "x\u00b2 + 10\u207b\u00b3"),
        (r"e^{x_i - c}", "e^(x_i - c)"),
        (r"\begin{cases} 0 & \text{if } j \le i \\ -\infty & \text{else} \end{cases}", "{ 0 if j \u2264 i; -\u221e else }"),
        (r"\left( a \right)", "( a )"),
        (r"\bar x", "x\u0304"),
        (r"\unknown{a}", "unknowna"),
        ("{unbalanced", "unbalanced"),
        (r"\frac", "() / ()"),
    ],
)  # fmt: skip
def test_a_formula_becomes_a_line(tex: str, expected: str) -> None:
    """Also where it is not well formed: pages refuse that, a terminal shows what it can."""
    assert formula(tex) == expected


def test_markdown_is_wrapped_and_indented() -> None:
    """Items hang, code keeps its lines, and nothing is wider than the terminal."""
    console = _console(width=30)
    source = (
        "# Title\n\nSome *words* that go on for more than one line of $d_k$.\n\n"
        "- one item that is a little too long\n- two\n\n"
        "3. three\n\n```python\nx = 1  # stays a line, however long it is\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | `c` |\n"
    )
    print_markdown(console, source)
    assert [line.rstrip() for line in _written(console).splitlines()] == [
        "Title",
        "",
        "Some words that go on for more",
        "than one line of d_k.",
        "",
        "- one item that is a little",
        "  too long",
        "- two",
        "",
        "3. three",
        "",
        "    x = 1  # stays a line, however long it is",
        "",
        "a  b",
        "1  `c`",
    ]


def test_prose_cannot_steer_the_terminal() -> None:
    """Escape sequences are replaced, in words and in code."""
    console = _console()
    print_markdown(console, "a \x1b[2J b `\x1b]0;x\x07`\n\n    \x1b[1m\n")
    assert "\x1b" not in _written(console)


def test_what_differs_is_marked_without_colour() -> None:
    """Expected and yours stand side by side, on the same lines."""
    console = _console()
    print_side_by_side(console, np.array([[1.0, 2.5]]), np.array([[1.0, 3.5]]))
    lines = [line.split() for line in _written(console).splitlines()]
    assert lines == [["expected", "yours"], ["0", "1.0000", "2.5000", "0", "1.0000", "*3.5000"]]


def test_a_narrow_terminal_gets_one_below_the_other() -> None:
    """And matrices of different shapes are shown as they are."""
    console = _console(width=24, terminal=True)
    print_side_by_side(console, np.ones((2, 3)), np.ones((3, 2)))
    text = _written(console)
    assert text.index("expected") < text.index("yours")
    assert len(text.splitlines()) == 1 + 2 + 1 + 1 + 3


def test_cells_of_a_wide_matrix_are_shades_where_numbers_do_not_fit() -> None:
    """Colours in a terminal that has them, characters in one that has not."""
    values = np.linspace(0, 1, 30)[np.newaxis]
    coloured = _console(width=70, terminal=True)
    print_heatmap(coloured, values)
    assert ";48;" in _written(coloured).replace("[48;", ";48;")
    grey = _console(width=70, terminal=True, colour=False)
    print_heatmap(grey, values)
    assert "\u2588" in _written(grey)
    assert "48;" not in _written(grey)


def test_a_pipe_gets_every_number() -> None:
    """However wide; NaN and infinity by name."""
    console = _console(width=20)
    values = np.array([[np.nan, np.inf, *range(18)]])
    print_heatmap(console, values, Labels(rows=["only"]))
    (line,) = _written(console).splitlines()
    assert line.split()[:4] == ["only", "nan", "inf", "0.0000"]
    assert len(line.split()) == 21
