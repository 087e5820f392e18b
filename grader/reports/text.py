"""Verdicts in the terminal: one line a test, under it the sentence that helps."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from grader.grading.verdict import Outcome, TestResult, Verdict
from grader.reports.plain import plain

_MARK = {
    Outcome.PASSED: ("\u2713", "green"),
    Outcome.NOT_RUN: ("\u00b7", "dim"),
}
_FAILED_MARK = ("\u2717", "red")
_NO_VERDICT_MARK = ("!", "yellow")
_INDENT = 4
_OUTPUT_LINES = 12
_NO_SANDBOX = "Graded WITHOUT a sandbox (--unsafe-no-sandbox): this verdict certifies nothing."


@dataclass(frozen=True, slots=True)
class Row:
    """One submission of many: whose it is, and its verdict or why it has none."""

    student: str
    exercise: str
    verdict: Verdict | None
    outcome: str
    why: str


def print_verdict(console: Console, verdict: Verdict) -> None:
    """Print one verdict for its learner."""
    console.print(Text(verdict.title, style="bold"))
    if verdict.sandbox == "none":
        console.print(Text(_NO_SANDBOX, style="bold yellow"))
    _print_output(console, verdict.output)
    if verdict.message:
        # Indented, as is everything that a submission may have worded: it never begins a line.
        _print_indented(console, verdict.message, "red")
    else:
        _print_diagnosis(console, verdict)
        for test in verdict.tests:
            _print_test(console, test)
    console.print(_summary(verdict))


def _print_diagnosis(console: Console, verdict: Verdict) -> None:
    """Say first what explains all that follows."""
    if verdict.diagnosis is None:
        return
    _print_indented(console, plain(verdict.diagnosis.feedback), "bold yellow")
    if verdict.diagnosis.hint is not None:
        _print_indented(console, f"Hint {verdict.diagnosis.hint} helps with this.", "yellow")


def _print_test(console: Console, test: TestResult) -> None:
    mark, style = _MARK.get(test.outcome, _FAILED_MARK)
    line = Text.assemble((mark, style), " ", _name(test))
    if test.outcome not in (Outcome.PASSED, Outcome.FAILED):
        line.append(f"  {test.outcome}", style)
    line.append(f"  {_points(test.points, test.max_points)}", "dim")
    console.print(line)
    if test.message and test.outcome is not Outcome.NOT_RUN:
        _print_indented(console, test.message)
    if test.outcome is not Outcome.PASSED:
        _print_output(console, test.output)


def _name(test: TestResult) -> str:
    """A hidden test is called by its id alone: its description may say what it looks for."""
    if test.hidden:
        return f"{test.id} (hidden)"
    return test.description or test.id


def _print_output(console: Console, output: str) -> None:
    lines = output.splitlines()
    if not lines:
        return
    _print_indented(console, "Your code printed:", "dim")
    for line in lines[:_OUTPUT_LINES]:
        _print_indented(console, line, "dim", _INDENT + 2)
    if len(lines) > _OUTPUT_LINES:
        left = f"... and {len(lines) - _OUTPUT_LINES} more lines"
        _print_indented(console, left, "dim", _INDENT + 2)


def _print_indented(console: Console, text: str, style: str = "", indent: int = _INDENT) -> None:
    if not text:
        return
    if console.is_terminal:
        console.print(Padding(Text(text, style), (0, 0, 0, indent), expand=False))
    else:  # for grep and logs: a sentence stays on its line
        console.print(Text(" " * indent + text, style), soft_wrap=True)


def _points(points: int, most: int) -> str:
    return f"{points}/{most} {'point' if most == 1 else 'points'}"


def _summary(verdict: Verdict) -> Text:
    points = _points(verdict.score, verdict.max_score)
    if verdict.outcome is Outcome.PASSED and verdict.hidden_elsewhere:
        count = verdict.hidden_elsewhere
        more = "1 hidden test is" if count == 1 else f"{count} hidden tests are"
        return Text(
            f"The tests here pass: {points}. {more} run by your course.", style="bold green"
        )
    if verdict.outcome is Outcome.PASSED:
        return Text(f"Passed: {points}, +{verdict.xp} XP.", style="bold green")
    passed = sum(test.outcome is Outcome.PASSED for test in verdict.tests)
    return Text(
        f"Not passed yet: {passed} of {len(verdict.tests)} tests, {points}.", style="bold red"
    )


def print_verdicts(console: Console, rows: Sequence[Row]) -> None:
    """Print a line for each of many submissions, and under it what kept it from passing."""
    students = max((len(row.student) for row in rows), default=0)
    exercises = max((len(row.exercise) for row in rows), default=0)
    for row in rows:
        mark, style = _row_mark(row.verdict)
        name = f"{row.student:{students}}  {row.exercise:{exercises}}  "
        line = Text.assemble((mark, style), " ", name, (f"{row.outcome:13} ", style))
        if row.verdict is not None:
            line.append(f"{row.verdict.score}/{row.verdict.max_score}".rjust(7), "dim")
        console.print(line)
        _print_indented(console, row.why)


def _row_mark(verdict: Verdict | None) -> tuple[str, str]:
    return _NO_VERDICT_MARK if verdict is None else _MARK.get(verdict.outcome, _FAILED_MARK)


def why(verdict: Verdict) -> str:
    """Say in one sentence what kept a submission from passing."""
    if verdict.message:
        return verdict.message
    if verdict.diagnosis is not None:
        return plain(verdict.diagnosis.feedback)
    return next((test.message for test in verdict.tests if test.message), "")
