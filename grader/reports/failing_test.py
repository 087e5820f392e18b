"""The details of a failing test in a terminal: inputs, expected value and result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.text import Text

from grader.grading.results.verdict import PRINTED, TestResult, ValueSummary
from grader.reports.phrases import VERBOSE_HINT, shows_both_values, to_one_line, worst_index
from grader.reports.terminal_matrices import (
    GAP,
    MatrixPair,
    comparison_lines,
    join_columns,
    matrix_lines,
    vector_comparison_lines,
)

_EXPECTED, _YOURS = "expected", "yours"
_DIFFERS, _SAME = "> ", "  "


@dataclass(frozen=True, slots=True)
class TextLayout:
    """The width, colours and length limit of printed lines."""

    width: int
    coloured: bool
    max_lines: int | None = None  # most lines of one text, or None for all


def input_lines(test: TestResult, layout: TextLayout) -> Iterator[Text]:
    """Yield the inputs, one line each, or in full without a length limit."""
    widest = max((len(name) for name, _ in test.inputs), default=0)
    for name, value in test.inputs:
        head = Text.assemble((f"{name:{widest}}", "bold"), "  ", (value.summary, "dim"))
        line = Text.assemble(head, "  ", (to_one_line(value.text), "dim"))
        if line.cell_len <= layout.width:
            yield line
        elif layout.max_lines is None:
            yield from (head, *_indent(_lines(value, layout.width - len(_SAME))))
        else:
            line.truncate(layout.width, overflow="ellipsis")
            yield line


def value_lines(test: TestResult, layout: TextLayout) -> list[Text]:
    """Return the expected value and the result, as matrices if they are numbers."""
    expected, got = test.expected, test.got
    if expected is None or got is None:
        both = ((_EXPECTED, expected), (_YOURS, got))
        return [
            each
            for name, value in both
            if value is not None
            for each in _block(name, value, layout)
        ]
    if shows_both_values(test):
        return []
    if expected.rows is None and got.rows is None and "\n" in expected.text + got.text:
        titles = _titles(expected, got)
        half = (layout.width - len(GAP)) // 2
        widest = max(len(line) for value in (expected, got) for line in value.text.splitlines())
        fits_beside = max(widest + len(_DIFFERS), *map(len, titles)) <= half
        width = (half if fits_beside else layout.width) - len(_DIFFERS)
        pairs = list(zip_longest(_lines(expected, width), _lines(got, width)))
        left_out = 0
        if layout.max_lines is not None and len(pairs) > layout.max_lines:
            # Only the rows around the first difference fit.
            room = layout.max_lines - 1
            first = next((number for number, (one, other) in enumerate(pairs) if one != other), 0)
            start = max(0, min(first - 1, len(pairs) - room))
            left_out = len(pairs) - room
            pairs = pairs[start : start + room]
        left, right = (
            [
                title,
                *(
                    Text.assemble(
                        (_DIFFERS, "bold") if pair[0] != pair[1] else _SAME, pair[side] or ""
                    )
                    for pair in pairs
                    if pair[side] is not None
                ),
            ]
            for side, title in enumerate(titles)
        )
        note = [Text(f"{_SAME}... {left_out} more ({VERBOSE_HINT})", "dim")] if left_out else []
        return [*(join_columns(left, right) if fits_beside else [*left, *right]), *note]
    if expected.rows is None or got.rows is None:
        return [*_block(_EXPECTED, expected, layout), *_block(_YOURS, got, layout)]
    compared_rows = MatrixPair(expected.rows, got.rows, _titles(expected, got), worst_index(test))
    lay = vector_comparison_lines if expected.is_vector and got.is_vector else comparison_lines
    return lay(compared_rows, layout.width, coloured=layout.coloured)


def output_lines(output: str, layout: TextLayout) -> list[Text]:
    """Return the printed output below a heading, or nothing without output."""
    if not output.strip():
        return []
    lines = _fold(output.rstrip().splitlines(), layout.width - len(_SAME))
    return [Text("Your code printed:", "dim"), *_indent(_limit_lines(lines, layout))]


def _lines(value: ValueSummary, width: int) -> list[str]:
    """Return a value's text folded to a width, without NumPy's empty lines."""
    lines = value.text.splitlines() or [""]
    if value.summary != PRINTED:
        lines = [text for text in lines if text]
    return _fold(lines, width)


def _block(name: str, value: ValueSummary, layout: TextLayout) -> list[Text]:
    if value.rows is not None:
        return matrix_lines(_title(name, value), value.rows, layout.width, coloured=layout.coloured)
    text = _limit_lines(_lines(value, layout.width - len(_SAME)), layout)
    if len(text) == 1 and len(_EXPECTED) + len(text[0]) + 2 <= layout.width:
        return [Text.assemble((f"{name:{len(_EXPECTED)}}", "bold"), "  ", text[0])]
    return [_title(name, value), *_indent(text)]


def _title(name: str, value: ValueSummary) -> Text:
    return Text.assemble((name, "bold"), "  ", (value.summary, "dim"))


def _titles(expected: ValueSummary, got: ValueSummary) -> tuple[Text, Text]:
    if expected.summary == got.summary:
        return Text(_EXPECTED, "bold"), Text(_YOURS, "bold")
    return _title(_EXPECTED, expected), _title(_YOURS, got)


def _limit_lines(lines: Sequence[str], layout: TextLayout) -> list[str]:
    """Return as many lines as fit, the last one a note about the rest."""
    if layout.max_lines is None or len(lines) <= layout.max_lines:
        return list(lines)
    left_out = len(lines) - layout.max_lines + 1
    return [*lines[: layout.max_lines - 1], f"... {left_out} more ({VERBOSE_HINT})"]


def _fold(lines: Sequence[str], width: int) -> list[str]:
    """Fold lines that are longer than a width."""
    return [
        text[start : start + width]
        for text in lines
        for start in range(0, max(len(text), 1), width)
    ]


def _indent(lines: Sequence[str]) -> list[Text]:
    return [Text(f"{_SAME}{text}", "dim") for text in lines]
