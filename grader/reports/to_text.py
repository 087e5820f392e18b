"""Verdicts as text: for a terminal, and for a file, without colour and 100 columns wide.

A terminal shows one line per test, and the first failure in full. The verdict is no longer than the
terminal is high: the least important parts are left out first.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from grader.definitions.wording import plural
from grader.grading.results.verdict import Outcome, TestResult, Verdict
from grader.reports.document import Code, Details, ReportBlock, Role, Sentence, document
from grader.reports.failing_test import TextLayout, input_lines, output_lines, value_lines
from grader.reports.phrases import (
    VERBOSE_HINT,
    WIDEST_PROSE,
    counted_points_note,
    failure_reason,
    failures_in_full,
    group_hidden_failures,
    has_own_message,
    merge_group,
    outcome_counts,
    output_beside_values,
    points_text,
    printed_output,
    strip_controls,
    summary,
    test_label,
    to_one_line,
)
from grader.reports.report import Batch, Report
from grader.reports.terminal_matrices import has_colours
from grader.sandbox.printable import printable

_MARKS: Final = {
    Outcome.PASSED: ("\u2713", "green"),
    Outcome.NOT_RUN: ("\u00b7", "dim"),
}
_STYLES: Final[Mapping[Role, str]] = {
    "warning": "bold yellow",
    "message": "red",
    "diagnosis": "bold yellow",
    "hint": "yellow",
    "note": "yellow",
    "task": "bold yellow",
    "result": "",
}
_TOTAL_STYLES: Final = {Outcome.PASSED: "bold green", Outcome.NOT_RUN: "bold yellow"}
_FAILED_MARK: Final = ("\u2717", "red")
_NO_VERDICT_MARK: Final = ("!", "yellow")
_INDENT: Final = "  "
_COLUMN_GAP: Final = 2  # blanks between the columns of a test's line
# Lines of the terminal kept free for advice, the waiting message and the prompt.
_LINES_BELOW: Final = 4
_MIN_LINES: Final = 6  # least lines of a verdict, even in a small terminal
_WIDTH: Final = 100  # columns without a terminal
_MAX_ROWS = 50  # most submissions listed one by one
_MAX_PATHS = 5  # most skipped files named


@dataclass(frozen=True, slots=True)
class _Detail:
    """The parts of a verdict to show, and their length."""

    blank_lines: bool = True  # empty lines between the parts
    passed: bool = True  # True for a line per passed test, False for one for all
    # Most lines for each test that is not shown in full; None for no limit.
    sentences: int | None = None
    others: bool = True  # True for a line per such test, False for one line for all
    inputs: bool = True
    values: bool = True
    output: bool = True
    text: int | None = 6  # most lines of a text value or an output


_ALL: Final = _Detail(text=None)
# Parts to leave out, one after the other, until a verdict fits into a terminal.
_REDUCTIONS: Final[Sequence[Mapping[str, Any]]] = (
    {"sentences": 1},
    {"passed": False},
    {"sentences": 0},
    {"others": False},
    {"text": 3},
    {"blank_lines": False},
    {"inputs": False},
    {"output": False},
    {"values": False},
)


def render(result: Report | Batch) -> str:
    """Render a report or batch as text for a file."""
    console = Console(
        width=_WIDTH,
        highlight=False,
        emoji=False,
        no_color=True,
        force_terminal=False,
        force_jupyter=False,  # a notebook displays the text by itself
    )
    with console.capture() as captured:
        print_result(console, result)
    return captured.get()


def terminal() -> Console:
    """Return a console for standard output."""
    return Console(highlight=False, emoji=False)


def print_result(console: Console, result: Report | Batch) -> None:
    """Print a verdict or the reason for its absence; for a batch, a line per submission."""
    if isinstance(result, Batch):
        print_batch(console, result)
    elif result.verdict is not None:
        print_verdict(console, result.verdict, verbose=result.verbose)
    else:
        reason = f"{result.outcome}: {printable(result.message)}"
        text = f"{printable(result.exercise)}: {reason}"
        console.print(text, markup=False, soft_wrap=True)


def print_batch(console: Console, batch: Batch) -> None:
    """Print a summary, and a line for each submission unless there are too many.

    A failed submission's reason stands below its line.
    """
    reports = batch.reports
    rows = reports if len(reports) <= _MAX_ROWS else ()
    files = Counter(row.file for row in rows)  # a notebook may contain several exercises
    stems = (row.file.rpartition("/")[2].removesuffix(".py") for row in rows)
    names = [
        (
            printable(row.student or ""),
            printable(stem if stem and files[row.file] == 1 else row.exercise),
            row.outcome,
        )
        for row, stem in zip(rows, stems, strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(*names, strict=True)]
    for report, (student, exercise, outcome) in zip(rows, names, strict=True):
        verdict = report.verdict
        mark, style = _NO_VERDICT_MARK if verdict is None else _mark(verdict.outcome)
        name = f"{student:{widths[0]}}  {exercise:{widths[1]}}  "
        line = Text.assemble((mark, style), " ", name, (f"{outcome:{widths[2]}} ", style))
        if verdict is not None:
            line.append(f"{verdict.score}/{verdict.max_score}".rjust(7), "dim")
        console.print(line, soft_wrap=True)
        if reason := counted_points_note(report) or failure_reason(report):
            console.print(Text(_INDENT + reason), soft_wrap=True)
    console.print(outcome_counts(batch), markup=False)
    with_notes = sum(report.grade is not None and bool(report.grade.note) for report in reports)
    if with_notes and not rows:
        console.print(f"{plural(with_notes, 'grade')} with a note; --format csv=FILE has them all")
    if batch.done_before:
        console.print(f"{batch.done_before} had a verdict already", markup=False)
    if batch.not_looked_at:
        paths = ", ".join(printable(path) for path in batch.not_looked_at[:_MAX_PATHS])
        ending = ", ..." if len(batch.not_looked_at) > _MAX_PATHS else ""
        reason = "being no <student>/<exercise>.py or .ipynb, or not the one that counts"
        omission = f"{len(batch.not_looked_at)} not looked at, {reason}: {paths}{ending}"
        console.print(omission, markup=False, soft_wrap=True)


def print_verdict(console: Console, verdict: Verdict, *, verbose: bool = False) -> None:
    """Print one verdict for its learner.

    Args:
        console: The output; its size and colours decide the form.
        verbose: True to show every failing test in full, and leave nothing out.
    """
    detail = _ALL if verbose else _Detail()
    layout = _VerdictLayout(console, verdict, detail)
    max_lines = None
    if console.is_terminal and not verbose:
        max_lines = max(console.height - _LINES_BELOW, _MIN_LINES)
        for reduction in _REDUCTIONS:
            if len(layout.lines()) <= max_lines:
                break
            detail = replace(detail, **reduction)
            layout = _VerdictLayout(console, verdict, detail)
    for line in layout.lines(max_lines):
        if not has_colours(console):
            line.rstrip()
        console.print(line, soft_wrap=True)


class _VerdictLayout:
    """The lines of one verdict, at one level of detail."""

    def __init__(self, console: Console, verdict: Verdict, detail: _Detail) -> None:
        self._console = console
        self._verdict = verdict
        self._detail = detail
        width = console.width if console.is_terminal else _WIDTH
        self._prose = min(width, WIDEST_PROSE)
        self._layout = TextLayout(width - len(_INDENT), has_colours(console), detail.text)
        self._opened = {test.id for test in failures_in_full(verdict, verbose=detail is _ALL)}

    def lines(self, max_lines: int | None = None) -> list[Text]:
        """Return the lines: the explanation, the tests and the summary."""
        verdict = self._verdict
        body = [*self._wrap(to_one_line(verdict.title), "bold", indent="")]
        for section in document(verdict):
            body += self._gap() if section.kind != "warning" else ()
            body += (line for block in section.blocks for line in self._block(block))
        body += self._gap()
        body += _indent(output_lines(strip_controls(verdict.output), self._layout))
        body += self._gap()
        if not verdict.message:
            body += self._tests()
        body += self._gap()
        lines: list[Text] = []
        for text in body:
            if text or (lines and lines[-1]):  # never two empty lines in a row
                lines.append(text)
        style = _TOTAL_STYLES.get(verdict.outcome, "bold red")
        total = list(self._wrap(summary(verdict), style, indent=""))
        if max_lines is not None and len(lines) + len(total) > max_lines:
            lines = lines[: max_lines - len(total) - 1]
            lines.append(Text(f"{_INDENT}... ({VERBOSE_HINT})", "dim"))
        return [*lines, *total]

    def _block(self, block: ReportBlock) -> Iterator[Text]:
        # Text from a submission is indented, so that it never begins a line.
        match block:
            case Sentence(role="warning", text=text):
                yield from self._wrap(text, _STYLES["warning"], indent="")
            case Sentence(role=role, text=text):
                not_run = role == "message" and self._verdict.outcome is Outcome.NOT_RUN
                yield from self._wrap(text, "" if not_run else _STYLES[role])
            case Code(lines=lines):
                # Not wrapped, so that it can be pasted.
                yield from _indent([Text(_INDENT + line, "bold") for line in lines])
            case Details(test=test):
                yield from _indent(value_lines(test, self._layout))
                yield from _indent(output_lines(output_beside_values(test), self._layout))

    def _tests(self) -> Iterator[Text]:
        tests = self._verdict.tests
        if self._detail is not _ALL:
            tests = tuple(map(merge_group, group_hidden_failures(tests)))
        passed = [test for test in tests if test.outcome is Outcome.PASSED]
        others = [
            test
            for test in tests
            if test.outcome is not Outcome.PASSED and test.id not in self._opened
        ]
        if not self._detail.passed and passed:
            yield _marked_line(Outcome.PASSED, f"{plural(len(passed), 'test')} passed")
            tests = tuple(test for test in tests if test not in passed)
        if not self._detail.others:
            tests = tuple(test for test in tests if test not in others)
        columns = [max(map(len, column)) for column in zip(*map(_columns, tests), strict=True)]
        for test in tests:
            yield from self._test(test, columns)
        if not self._detail.others and others:
            omission = f"{plural(len(others), 'other test')} did not pass ({VERBOSE_HINT})"
            yield from self._hang(_marked_line(Outcome.FAILED, omission), "", _INDENT)
        elif closed := sum(bool(test.inputs or test.expected or test.output) for test in others):
            name = "the other failing test" if closed == 1 else f"{closed} other failing tests"
            yield from self._gap()
            yield from self._wrap(f"--verbose opens {name}, too.", "dim")

    def _test(self, test: TestResult, columns: Sequence[int]) -> Iterator[Text]:
        is_opened = test.id in self._opened
        yield from self._gap() if is_opened else ()
        widest, *others = columns
        room = self._prose - len(_INDENT) - sum(others) - _COLUMN_GAP * len(others)
        name, earned, unusual = _columns(test)
        # A long name continues below its points.
        names = self._split_lines(Text(name), room) if len(name) > room else [Text(name)]
        first = names[0].plain.rstrip()
        head = _marked_line(test.outcome, first.ljust(min(widest, room)))
        head.append(" " * _COLUMN_GAP + earned.ljust(columns[1]), "dim")
        head.append(" " * _COLUMN_GAP + unusual, _mark(test.outcome)[1])
        head.rstrip()
        yield from self._hang(head, "", _INDENT)
        yield from _indent(names[1:])
        if has_own_message(test):
            max_sentence_lines = None if is_opened else self._detail.sentences
            lines = list(self._wrap(to_one_line(test.message)))
            if max_sentence_lines and len(lines) > max_sentence_lines:
                lines[max_sentence_lines - 1].truncate(self._prose - 1)
                lines[max_sentence_lines - 1].append("\u2026")
            yield from lines[:max_sentence_lines]
        if is_opened:
            detail = self._detail
            printed = output_beside_values(test) if detail.values else printed_output(test)
            values = value_lines(test, self._layout)
            if values and not detail.values:
                values = [Text(f"... its values ({VERBOSE_HINT})", "dim")]
            parts = (
                list(input_lines(test, self._layout)) if detail.inputs else [],
                values,
                output_lines(printed, self._layout) if detail.output else [],
            )
            for part in parts:
                if part:
                    yield from (*self._gap(), *_indent(part))
            yield from self._gap()

    def _gap(self) -> Iterator[Text]:
        if self._detail.blank_lines:
            yield Text()

    def _wrap(self, text: str, style: str = "", indent: str = _INDENT) -> Iterator[Text]:
        """Yield a sentence wrapped to the width."""
        yield from self._hang(Text(text, style), indent, indent)

    def _hang(self, text: Text, first: str, rest: str) -> Iterator[Text]:
        """Yield a text wrapped with one prefix for its first line and one for the others."""
        lines = self._split_lines(text, max(self._prose - len(rest), len(rest)))
        for number, each in enumerate(lines):
            each.rstrip()
            yield Text.assemble(rest if number else first, each)

    def _split_lines(self, text: Text, width: int) -> list[Text]:
        """Wrap a text to a width; in a log or pipe it stays one line."""
        return [*text.wrap(self._console, width)] if self._console.is_terminal else [text]


def _columns(test: TestResult) -> tuple[str, str, str]:
    """Return the columns of a test's line: name, points, and outcome if it is unusual."""
    usual = test.outcome in (Outcome.PASSED, Outcome.FAILED)
    earned = points_text(test.points, test.max_points)
    return test_label(test), earned, "" if usual else test.outcome.value


def _marked_line(outcome: Outcome, text: str) -> Text:
    return Text.assemble(_mark(outcome), " ", text)


def _mark(outcome: Outcome) -> tuple[str, str]:
    return _MARKS.get(outcome, _FAILED_MARK)


def _indent(lines: Sequence[Text]) -> Iterator[Text]:
    return (Text.assemble(_INDENT, line) if line else line for line in lines)
