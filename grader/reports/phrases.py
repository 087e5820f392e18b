"""Phrases that several formats share."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from grader.definitions.wording import plural
from grader.grading.feedback.hidden_sentences import sentence_for_several
from grader.grading.results.verdict import Outcome, TestResult, Verdict
from grader.reports.plain_maths import plain
from grader.reports.report import Batch, Report
from grader.sandbox.printable import printable

WIDEST_PROSE: Final = 88
"""Most columns of prose in a terminal, since longer lines are hard to read."""

VERBOSE_HINT: Final = "--verbose shows all"
"""The advice in a shortened report."""

FAULT_FOR_LEARNERS = (
    "This could not be graded: the grader itself failed. Nothing was judged and no attempt counts. "
    "The person who runs the grader finds the reason in its log."
)
"""Shown to learners because a fault's own message may quote a hidden test or definition."""


def strip_controls(text: str) -> str:
    """Remove characters that control a terminal, except line feeds."""
    return printable(text, keep="\n")


def to_one_line(text: str) -> str:
    """Return text on one line, without control characters."""
    return printable(" ".join(text.split()))


def test_label(test: TestResult) -> str:
    """Name a test; a hidden one only by its id, because its description may reveal the test."""
    if test.hidden:
        return f"{test.id} (hidden)"
    return to_one_line(test.description) or test.id


def printed_output(test: TestResult) -> str:
    """Return the output of a visible test."""
    return "" if test.hidden else strip_controls(test.output)


def output_beside_values(test: TestResult) -> str:
    """Return the output of a visible test, unless its values already show it."""
    output = printed_output(test)
    is_shown_already = test.got is not None and test.got.text.strip() == output.strip()
    return "" if is_shown_already else output


def points_text(earned: int, possible: int) -> str:
    """Return text for earned and possible points."""
    return f"{earned}/{plural(possible, 'point')}"


def summary(verdict: Verdict) -> str:
    """Summarize a verdict in one sentence."""
    earned = points_text(verdict.score, verdict.max_score)
    elsewhere = verdict.hidden_elsewhere
    more = "1 hidden test is" if elsewhere == 1 else f"{elsewhere} hidden tests are"
    if verdict.outcome is Outcome.NOT_RUN and elsewhere:
        return f"Not judged: {more} run by your course."
    if verdict.outcome is Outcome.PASSED and elsewhere:
        return f"The tests here pass: {earned}. {more} run by your course."
    if verdict.outcome is Outcome.PASSED:
        return f"Passed: {earned}, +{verdict.xp} XP."
    passed = sum(test.outcome is Outcome.PASSED for test in verdict.tests)
    return f"Not passed yet: {passed} of {plural(len(verdict.tests), 'test')}, {earned}."


def failure_reason(report: Report) -> str:
    """Return the reason for a failed submission in one line, or "" if it passed."""
    verdict = report.verdict
    if verdict is None:
        return to_one_line(report.message)
    if verdict.message:
        return to_one_line(verdict.message)
    if verdict.diagnosis is not None:
        return to_one_line(plain(verdict.diagnosis.feedback))
    return next((to_one_line(test.message) for test in verdict.tests if test.message), "")


def counted_points_note(report: Report) -> str:
    """Return the points that count with the reason, or "" if they are the verdict's."""
    grade = report.grade
    if grade is None or not grade.note:
        return ""
    if grade.is_excused or grade.points is None:
        return f"{to_one_line(grade.note)}."
    return f"Counted: {grade.points:.10g} of {grade.max_points} points ({to_one_line(grade.note)})."


def group_hidden_failures(tests: Sequence[TestResult]) -> list[list[TestResult]]:
    """Group tests into rows: single tests, and hidden failures with equal sentences.

    A row of several tests stands where the first of them would.
    """
    rows: dict[object, list[TestResult]] = {}
    for number, test in enumerate(tests):
        alone = not test.hidden or test.outcome in (Outcome.PASSED, Outcome.NOT_RUN)
        rows.setdefault(number if alone else (test.outcome, test.message), []).append(test)
    return list(rows.values())


def merge_group(row: Sequence[TestResult]) -> TestResult:
    """Return a test result that represents a group."""
    first = row[0]
    if len(row) == 1:
        return first
    names = ", ".join(map(test_label, row))
    return replace(
        first,
        hidden=False,  # a hidden test is named only by its id, and a group has no id
        description=f"{len(row)} hidden tests",
        message=f"{names}: {sentence_for_several(first.message)}",
        points=sum(test.points for test in row),
        max_points=sum(test.max_points for test in row),
    )


def failures_in_full(verdict: Verdict, *, verbose: bool = False) -> tuple[TestResult, ...]:
    """Return the tests whose values are shown: the first visible failure, or all failures."""
    failing = tuple(
        test
        for test in verdict.tests
        if not test.hidden and test.outcome not in (Outcome.PASSED, Outcome.NOT_RUN)
    )
    return failing if verbose else failing[:1]


def shows_both_values(test: TestResult) -> bool:
    """Return whether a test's sentence already contains both values, as single numbers."""
    both = (test.expected, test.got)
    return all(value is not None and value.is_number for value in both)


def worst_index(test: TestResult) -> tuple[int, int] | None:
    """Return row and column of the largest difference between the two values, or None."""
    match test.worst:
        case (column,):
            return 0, column
        case (row, column):
            return row, column
    return None


def worst_values(test: TestResult) -> tuple[float, float] | None:
    """Return the two numbers with the largest difference, or None."""
    index = worst_index(test)
    if index is None or test.expected is None or test.got is None:
        return None
    row, column = index
    expected, got = test.expected.rows, test.got.rows
    return None if expected is None or got is None else (expected[row][column], got[row][column])


def has_own_message(test: TestResult) -> bool:
    """Return whether a test has a message other than that it was not run."""
    return bool(test.message) and test.outcome is not Outcome.NOT_RUN


def outcome_counts(batch: Batch) -> str:
    """Return the number of submissions, and that of each outcome."""
    outcomes = Counter(report.outcome for report in batch)
    counts = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
    return f"{plural(batch.submission_count, 'submission')}: {counts or 'nothing to do'}"


def skipped_files_notes(batch: Batch) -> list[str]:
    """Return sentences about files that have no report."""
    sentences = []
    if batch.done_before:
        sentences.append(f"{batch.done_before} had a verdict already.")
    if batch.not_looked_at:
        sentences.append(f"{plural(len(batch.not_looked_at), 'file')} not looked at.")
    return sentences


def submission_name(report: Report) -> str:
    """Name a submission of a batch by student and exercise."""
    return re.sub(r"^/", "", f"{to_one_line(report.student or '')}/{to_one_line(report.exercise)}")
