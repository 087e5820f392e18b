"""Markdown, formulas and matrices as a terminal shows them."""

import io
from itertools import pairwise
from math import inf, nan

import pytest
from rich.console import Console
from rich.text import Text

from grader.reports.number_cells import Rows, Scale, format_matrices
from grader.reports.plain_maths import formula
from grader.reports.terminal_markdown import print_markdown
from grader.reports.terminal_matrices import (
    MatrixPair,
    comparison_lines,
    matrix_lines,
    print_heatmap,
    vector_comparison_lines,
)

TITLES = Text("expected"), Text("yours")


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


def _lines(lines: list[Text]) -> list[str]:
    return [str(line).rstrip() for line in lines]


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
        " \u2022 one item that is a little",
        "   too long",
        " \u2022 two",
        "",
        " 3 three",
        "",
        "    x = 1  # stays a line, however long it is",
        "",
        "",
        " a  b",
        " \u2500\u2500\u2500\u2500\u2500\u2500",
        " 1  `c`",
        "",
    ]


def test_an_image_is_its_text_alternative() -> None:
    """It stands where the image would."""
    console = _console()
    print_markdown(console, "See ![two\n*rows*](rows.png) here.")
    assert _written(console).strip() == "See [picture: two *rows*] here."


def test_prose_cannot_steer_the_terminal() -> None:
    """Escape sequences are replaced, in words and in code."""
    console = _console()
    print_markdown(console, "a \x1b[2J b `\x1b]0;x\x07`\n\n    \x1b[1m\n")
    assert "\x1b" not in _written(console)


def test_two_matrices_stand_side_by_side_with_brackets_at_the_worst() -> None:
    """The difference is then visible without colour, on the same line in both."""
    both = MatrixPair([[1.0, 2.5], [3, 4]], [[1.0, 3.5], [3, 4]], TITLES, worst=(0, 1))
    assert _lines(comparison_lines(both, 80, coloured=False)) == [
        "expected       yours",
        "0  1.0 [2.5]   0  1.0 [3.5]",
        "1  3.0  4.0    1  3.0  4.0",
    ]


@pytest.mark.parametrize("coloured", [True, False])
@pytest.mark.parametrize("width", [27, 36, 60, 100, 200])
@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ([[0.1234, -9.8765, 3.0]] * 4, [[0.2234, -9.8765, 3.0]] * 4),
        ([[0.5] * 12] * 12, [[0.25] * 12] * 12),
        ([[1.0, 2.0]], [[1.0], [2.0], [nan]]),
        ([[True, False]], [[0.5, -inf]]),
    ],
)
def test_matrices_fit_any_terminal(
    expected: Rows, got: Rows, width: int, *, coloured: bool
) -> None:
    """Beside each other, one below the other, or as shades alone: no line is too long."""
    lines = comparison_lines(MatrixPair(expected, got, TITLES), width, coloured=coloured)
    assert max(line.cell_len for line in lines) <= width
    for rows in (expected, got):
        names = [str(number) for number in range(len(rows))]
        assert [name for name in names if any(name in str(line) for line in lines)] == names


def test_a_narrow_terminal_gets_one_below_the_other() -> None:
    """With as many decimals as beside each other, rather than with fewer that say nothing."""
    both = MatrixPair([[0.1234, 0.5678]], [[0.1235, 0.5678]], TITLES, worst=(0, 0))
    assert _lines(comparison_lines(both, 24, coloured=False)) == [
        "expected",
        "0 [0.1234] 0.5678",
        "yours",
        "0 [0.1235] 0.5678",
    ]


def test_both_matrices_share_their_shades() -> None:
    """The same number has the same ground in both; a lower one a lighter ground."""
    both = MatrixPair([[0.0, 0.5]], [[0.5, 1.0]], TITLES)
    *_, line = comparison_lines(both, 80, coloured=True)
    spans = [span for span in line.spans if " on #" in str(span.style)]
    shaded = [(line.plain[span.start : span.end].strip(), str(span.style)) for span in spans]
    assert [text for text, _ in shaded] == ["0.0", "0.5", "0.5", "1.0"]
    assert shaded[1] == shaded[2]
    assert len(set(shaded)) == 3


def test_vectors_stand_above_each_other() -> None:
    """Each number above its counterpart; what is too long goes on further below."""
    expected, got = [float(n) for n in range(6)], [0.0, 1.0, 2.0, 3.0, 4.5, 5.0]
    both = MatrixPair([expected], [got], TITLES, worst=(0, 4))
    assert _lines(vector_comparison_lines(both, 80, coloured=False)) == [
        "expected  0.0  1.0  2.0  3.0 [4.0] 5.0",
        "yours     0.0  1.0  2.0  3.0 [4.5] 5.0",
    ]
    assert _lines(vector_comparison_lines(both, 26, coloured=False)) == [
        "expected  0.0  1.0  2.0",
        "yours     0.0  1.0  2.0",
        "",
        "          3.0 [4.0] 5.0",
        "          3.0 [4.5] 5.0",
    ]


def test_vectors_of_other_lengths_are_shown_whole() -> None:
    """The longer one goes on alone."""
    both = MatrixPair([[1, 2]], [[1, 2, 3]], (Text("expected"), Text("yours  int64 (3,)")))
    lines = _lines(vector_comparison_lines(both, 80, coloured=False))
    assert [line.split()[-1] for line in lines] == ["2", "3"]


def test_a_matrix_alone_fits_too() -> None:
    """Such as what a property was tried on."""
    lines = matrix_lines(Text("yours"), [[0.5, 0.25]], 80, coloured=False)
    assert _lines(lines) == ["yours", " 0.50  0.25"]
    assert (
        max(line.cell_len for line in matrix_lines(Text(), [[0.5] * 12] * 3, 30, coloured=True))
        <= 30
    )


@pytest.mark.parametrize(
    ("values", "apart", "texts"),
    [
        ([1.0, -0.0, 3.0], None, ["1", "0", "3"]),
        ([7, 10**12 + 1, -(10**9)], None, ["7", "1000000000001", "-1e+09"]),
        ([0.5, -1e9, -inf], None, ["0.5", "-1e+09", "-inf"]),
        ([0.5, 1 / 3, nan], None, ["0.5000", "0.3333", "nan"]),
        ([0.5, 0.50000001], (0.5, 0.50000001), ["0.50000000", "0.50000001"]),
        ([1e-9, 3e-7], None, ["1e-09", "3e-07"]),
        ([True, False], None, ["True", "False"]),
        ([nan, nan], None, ["nan", "nan"]),
    ],
)
def test_numbers_are_written_as_short_as_they_can_be_told_apart(
    values: list[float], apart: tuple[float, float] | None, texts: list[str]
) -> None:
    """With four decimals at most, unless the two that matter need more."""
    clear, _ = format_matrices([[values]], apart)
    assert clear[0] == ([texts],)


def test_an_outlier_leaves_the_rest_its_shades() -> None:
    """A mask of -1e9 would make everything else look the same."""
    scale = Scale.from_matrices([[0.0, 0.5, -1e9, inf, nan]])
    assert [scale.share(value) for value in (0.0, 0.5, -1e9, inf)] == [0.0, 1.0, 0.0, None]
    assert Scale.from_matrices([[-1.0, 0.5]]).share(-1.0) == -1.0
    assert Scale.from_matrices([[nan]]).share(nan) is None


def test_cells_of_a_wide_matrix_are_shades_where_numbers_do_not_fit() -> None:
    """Colours in a terminal that has them, characters in one that has not."""
    values = [[number / 29 for number in range(30)]]
    coloured = _console(width=70, terminal=True)
    print_heatmap(coloured, values)
    assert "[48;2;" in _written(coloured).replace(";48;", "[48;")
    grey = _console(width=70, terminal=True, colour=False)
    print_heatmap(grey, values)
    assert "48;" not in _written(grey)
    line = Text.from_ansi(_written(grey)).plain.rstrip("\n")
    shades = [" ░▒▓█".index(cell) for cell in f"{line[2:]:60}"]
    assert (shades[0], shades[-1]) == (0, 4)
    assert all(one <= other for one, other in pairwise(shades))


def test_a_pipe_gets_every_number() -> None:
    """A pipe has no width; NaN and infinity are written by name."""
    console = _console(width=20)
    values = [[nan, inf, 0.5, *range(17)]]
    print_heatmap(console, values, ["only"])
    (line,) = _written(console).splitlines()
    assert line.split()[:4] == ["only", "nan", "inf", "0.5"]
    assert len(line.split()) == 21


def test_columns_have_names_above_their_numbers() -> None:
    """And what is wider than the numbers makes room for itself."""
    console = _console()
    print_heatmap(console, [[1, 2]], ["row"], ["first", "b"], shaded=False)
    assert _written(console).splitlines() == ["     first      b", "row      1      2"]
