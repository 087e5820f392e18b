"""The details of a failing test in a terminal: its inputs, the expected value, the result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.text import Text

from grader.grading.results.verdict import PRINTED, TestResult, ValueSummary
from grader.reports.phrases import ALL, line, place_of, shows_both_values
from grader.reports.terminal_matrices import (
    GAP,
    MatrixPair,
    alone,
    compared,
    compared_vectors,
    side_by_side,
)

_EXPECTED, _YOURS = "expected", "yours"
_DIFFERS, _SAME = "> ", "  "


@dataclass(frozen=True, slots=True)
class DetailLines:
    """The target of printed lines."""

    width: int
    coloured: bool
    most: int | None = None  # lines of a text; None for all


def input_lines(test: TestResult, page: DetailLines) -> Iterator[Text]:
    """Yield the inputs: a line for each, or as long as they are if there is no limit."""
    widest = max((len(name) for name, _ in test.inputs), default=0)
    for name, value in test.inputs:
        head = Text.assemble((f"{name:{widest}}", "bold"), "  ", (value.summary, "dim"))
        whole = Text.assemble(head, "  ", (line(value.text), "dim"))
        if whole.cell_len <= page.width:
            yield whole
        elif page.most is None:
            yield from (head, *_indented(_lines(value, page.width - len(_SAME))))
        else:
            whole.truncate(page.width, overflow="ellipsis")
            yield whole


def value_lines(test: TestResult, page: DetailLines) -> list[Text]:
    """Return what was expected and what came, as blocks where they are numbers."""
    expected, got = test.expected, test.got
    if expected is None or got is None:
        both = ((_EXPECTED, expected), (_YOURS, got))
        return [
            each for name, value in both if value is not None for each in _block(name, value, page)
        ]
    if shows_both_values(test):
        return []
    if expected.rows is None and got.rows is None and "\n" in expected.text + got.text:
        titles = _titles(expected, got)
        half = (page.width - len(GAP)) // 2
        widest = max(len(each) for value in (expected, got) for each in value.text.splitlines())
        beside = max(widest + len(_DIFFERS), *map(len, titles)) <= half
        width = (half if beside else page.width) - len(_DIFFERS)
        pairs = list(zip_longest(_lines(expected, width), _lines(got, width)))
        left_out = 0
        if page.most is not None and len(pairs) > page.most:  # those around the first difference
            room = page.most - 1
            first = next((number for number, (one, other) in enumerate(pairs) if one != other), 0)
            begin = max(0, min(first - 1, len(pairs) - room))
            left_out = len(pairs) - room
            pairs = pairs[begin : begin + room]
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
        note = [Text(f"{_SAME}... {left_out} more ({ALL})", "dim")] if left_out else []
        return [*(side_by_side(left, right) if beside else [*left, *right]), *note]
    if expected.rows is None or got.rows is None:
        return [*_block(_EXPECTED, expected, page), *_block(_YOURS, got, page)]
    compared_rows = MatrixPair(expected.rows, got.rows, _titles(expected, got), place_of(test))
    lay = compared_vectors if expected.is_vector and got.is_vector else compared
    return lay(compared_rows, page.width, coloured=page.coloured)


def output_lines(output: str, page: DetailLines) -> list[Text]:
    """Return what was printed, with a heading; nothing for no output."""
    if not output.strip():
        return []
    lines = _folded(output.rstrip().splitlines(), page.width - len(_SAME))
    return [Text("Your code printed:", "dim"), *_indented(_cut(lines, page))]


def _lines(value: ValueSummary, width: int) -> list[str]:
    """Return a text's lines, no longer than a width; those between NumPy's blocks say nothing."""
    lines = value.text.splitlines() or [""]
    if value.summary != PRINTED:
        lines = [each for each in lines if each]
    return _folded(lines, width)


def _block(name: str, value: ValueSummary, page: DetailLines) -> list[Text]:
    if value.rows is not None:
        return alone(_title(name, value), value.rows, page.width, coloured=page.coloured)
    text = _cut(_lines(value, page.width - len(_SAME)), page)
    if len(text) == 1 and len(_EXPECTED) + len(text[0]) + 2 <= page.width:
        return [Text.assemble((f"{name:{len(_EXPECTED)}}", "bold"), "  ", text[0])]
    return [_title(name, value), *_indented(text)]


def _title(name: str, value: ValueSummary) -> Text:
    return Text.assemble((name, "bold"), "  ", (value.summary, "dim"))


def _titles(expected: ValueSummary, got: ValueSummary) -> tuple[Text, Text]:
    if expected.summary == got.summary:
        return Text(_EXPECTED, "bold"), Text(_YOURS, "bold")
    return _title(_EXPECTED, expected), _title(_YOURS, got)


def _cut(lines: Sequence[str], page: DetailLines) -> list[str]:
    """Return as many lines as there is room for, the last one a note of what is left out."""
    if page.most is None or len(lines) <= page.most:
        return list(lines)
    left = len(lines) - page.most + 1
    return [*lines[: page.most - 1], f"... {left} more ({ALL})"]


def _folded(lines: Sequence[str], width: int) -> list[str]:
    """Return lines of which none is longer than a width."""
    return [
        each[begin : begin + width]
        for each in lines
        for begin in range(0, max(len(each), 1), width)
    ]


def _indented(lines: Sequence[str]) -> list[Text]:
    return [Text(f"{_SAME}{each}", "dim") for each in lines]
