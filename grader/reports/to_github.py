"""GitHub Actions: annotations on standard output, and the job summary in the runner's file.

A workflow command is one line. Text from a submission is escaped, so that it can neither end a
command nor start one, for this or any other CI runner. GitHub shows ten annotations of a kind per
step, so the tenth tells how many are missing.
"""

from dataclasses import replace

from grader.definitions.wording import plural
from grader.grading.results.verdict import Outcome
from grader.reports import to_markdown as markdown
from grader.reports.document import NO_SANDBOX, help_lines
from grader.reports.phrases import (
    FAULT_FOR_LEARNERS,
    failure_reason,
    has_own_message,
    submission_name,
    summary,
    test_label,
    to_one_line,
)
from grader.reports.report import Batch, Report
from grader.sandbox.printable import printable, without_commands_in_lines

_MAX_ANNOTATIONS = 10  # annotations of one kind that GitHub shows per step
_MAX_SUMMARY_BYTES = 1 << 20
_CUT_NOTE = "\n\nThe rest is left out: a job summary has at most 1 MiB.\n"


def render_report(report: Report) -> str:
    """Return an annotation for each test that did not pass, or a single one if all passed."""
    verdict = report.verdict
    if verdict is None:
        return _join([_error_command(report)], [])
    notices = [command("notice", summary(verdict), title=to_one_line(verdict.title))]
    if verdict.sandbox == "none":
        notices.insert(0, command("warning", NO_SANDBOX, title="Etude"))
    if verdict.message:
        return _join([_error_command(report)], notices)
    errors = []
    helps = "\n".join(help_lines(verdict))
    for test in verdict.tests:
        if test.outcome is Outcome.PASSED:
            continue
        sentence = to_one_line(test.message) if has_own_message(test) else "The test was not run."
        message = f"{sentence}\n{helps}" if helps else sentence
        # The help is shown only with the first failure.
        helps = ""
        title = test_label(test)
        errors.append(command("error", message, file=report.file, line=test.line, title=title))
    return _join(errors, notices)


def render_batch(batch: Batch) -> str:
    """Return an annotation for each failed submission, and a summary."""
    errors = [_error_command(report) for report in batch if report.outcome != Outcome.PASSED]
    passed = len(batch.reports) - len(errors)
    notice = f"{passed} of {plural(batch.submission_count, 'submission')} passed."
    return _join(errors, [command("notice", notice, title="Etude")])


def job_summary(batch: Batch) -> str:
    """Return the job summary as Markdown, within GitHub's limit.

    Learners see it, so a fault's own message stays in the log.
    """
    reports = tuple(
        replace(report, message=FAULT_FOR_LEARNERS) if report.is_fault else report
        for report in batch
    )
    batch = replace(batch, reports=reports)
    text = (
        markdown.render_report(batch.reports[0])
        if batch.is_single
        else markdown.render_batch(batch)
    )
    raw = text.encode()
    if len(raw) < _MAX_SUMMARY_BYTES:
        return text
    return raw[: _MAX_SUMMARY_BYTES - 4 * len(_CUT_NOTE)].decode(errors="ignore") + _CUT_NOTE


def command(kind: str, message: str, **properties: str | int | None) -> str:
    """Return one workflow command.

    Args:
        kind: `error`, `warning` or `notice`.
        properties: Properties such as `file`, `line` and `title`; empty ones are left out.
    """
    properties_text = ",".join(
        f"{name}={_escape(str(value), ':,')}" for name, value in properties.items() if value
    )
    return f"::{kind}{' ' if properties_text else ''}{properties_text}::{_escape(message)}"


def _escape(text: str, characters: str = "") -> str:
    # File names may contain control characters.
    text = without_commands_in_lines(printable(text, "\r\n\t"))
    for character in f"%\r\n{characters}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def _error_command(report: Report) -> str:
    verdict = report.verdict
    if verdict is None:
        message = FAULT_FOR_LEARNERS if report.is_fault else to_one_line(report.message)
        title = f"{submission_name(report)}: {report.outcome}"
        return command("error", message, file=report.file, title=title)
    title = f"{submission_name(report)}: {verdict.outcome}, {verdict.score}/{verdict.max_score}"
    return command(
        "error", failure_reason(report), file=report.file, line=verdict.line, title=title
    )


def _join(errors: list[str], others: list[str]) -> str:
    if len(errors) > _MAX_ANNOTATIONS:
        omitted = len(errors) - _MAX_ANNOTATIONS + 1
        rest = command("error", f"{omitted} more did not pass; the job summary has them all.")
        errors = [*errors[: _MAX_ANNOTATIONS - 1], rest]
    return "".join(f"{line}\n" for line in [*errors, *others])
