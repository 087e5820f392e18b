"""Verdicts in the terminal: one line a test, under it the sentence that helps."""

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.grading.verdict import Outcome, TestResult, Verdict

_MARK = {
    Outcome.PASSED: ("\u2713", "green"),
    Outcome.NOT_RUN: ("\u00b7", "dim"),
}
_FAILED_MARK = ("\u2717", "red")
_INDENT = 4
_OUTPUT_LINES = 12
_NO_SANDBOX = "Graded WITHOUT a sandbox (--unsafe-no-sandbox): this verdict certifies nothing."


def print_verdict(console: Console, verdict: Verdict) -> None:
    """Print one verdict for its learner."""
    console.print(Text(verdict.title, style="bold"))
    if verdict.sandbox == "none":
        console.print(Text(_NO_SANDBOX, style="bold yellow"))
    _print_output(console, verdict.output)
    if verdict.message:
        line = f"line {verdict.line}: " if verdict.line else ""
        console.print(Text(f"{line}{verdict.message}", style="red"))
    else:
        for test in verdict.tests:
            _print_test(console, test)
    console.print(_summary(verdict))


def _print_test(console: Console, test: TestResult) -> None:
    mark, style = _MARK.get(test.outcome, _FAILED_MARK)
    line = Text.assemble((mark, style), " ", _name(test))
    if test.outcome not in (Outcome.PASSED, Outcome.FAILED):
        line.append(f"  {test.outcome}", style)
    line.append(f"  {_points(test.points, test.max_points)}", "dim")
    console.print(line)
    if test.message and test.outcome is not Outcome.NOT_RUN:
        console.print(Padding(Text(test.message), (0, 0, 0, _INDENT)))
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
    console.print(Padding(Text("Your code printed:", style="dim"), (0, 0, 0, _INDENT)))
    for line in lines[:_OUTPUT_LINES]:
        console.print(Padding(Text(line, style="dim"), (0, 0, 0, _INDENT + 2)))
    if len(lines) > _OUTPUT_LINES:
        left = f"... and {len(lines) - _OUTPUT_LINES} more lines"
        console.print(Padding(Text(left, style="dim"), (0, 0, 0, _INDENT + 2)))


def _points(points: int, most: int) -> str:
    return f"{points}/{most} {'point' if most == 1 else 'points'}"


def _summary(verdict: Verdict) -> Text:
    points = _points(verdict.score, verdict.max_score)
    if verdict.outcome is Outcome.PASSED:
        return Text(f"Passed: {points}, +{verdict.xp} XP.", style="bold green")
    passed = sum(test.outcome is Outcome.PASSED for test in verdict.tests)
    return Text(
        f"Not passed yet: {passed} of {len(verdict.tests)} tests, {points}.", style="bold red"
    )


def verdict_table(rows: Sequence[tuple[str, str, Verdict | str]]) -> Table:
    """Lay out the verdicts of many submissions: student, exercise, outcome, points, why.

    Args:
        rows: student, exercise, and the verdict or the sentence of a grader fault.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("student", "exercise", "outcome"):
        table.add_column(heading, no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("why", overflow="fold")
    for student, exercise, verdict in rows:
        if isinstance(verdict, str):
            table.add_row(
                Text(student), Text(exercise), Text("grader fault", "yellow"), "", Text(verdict)
            )
            continue
        style = "green" if verdict.outcome is Outcome.PASSED else "red"
        points = f"{verdict.score}/{verdict.max_score}"
        table.add_row(
            Text(student), Text(exercise), Text(verdict.outcome, style), points, Text(why(verdict))
        )
    return table


def why(verdict: Verdict) -> str:
    """Say in one sentence what kept a submission from passing."""
    if verdict.message:
        return f"line {verdict.line}: {verdict.message}" if verdict.line else verdict.message
    return next((test.message for test in verdict.tests if test.message), "")
