"""One self-contained HTML page without scripts, for light and dark themes.

A batch begins with a heatmap of students and exercises, coloured by the share of points.
"""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Final

from grader.definitions.wording import plural
from grader.grading.results.verdict import Outcome, TestResult, ValueSummary
from grader.reports.document import Code, Details, ReportBlock, Sentence, document
from grader.reports.html_heatmap import STYLE as HEATMAP_STYLE
from grader.reports.html_heatmap import heatmap
from grader.reports.html_page import html_page, html_part
from grader.reports.number_cells import Scale, Texts, format_matrices
from grader.reports.phrases import (
    counted_points_note,
    group_hidden_failures,
    has_own_message,
    merge_group,
    output_beside_values,
    points_text,
    shows_both_values,
    skipped_files_notes,
    strip_controls,
    summary,
    test_label,
    to_one_line,
    worst_index,
    worst_values,
)
from grader.reports.report import Batch, Report

_STYLE: Final = """\
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 0 0 .5rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.25rem; margin: 1rem 0; }
table { display: block; overflow-x: auto; } caption { text-align: left; color: var(--quiet); }
ol { list-style: none; padding: 0; margin: .75rem 0 0; } li { border-top: 1px solid var(--line); padding: .5rem 0; }
li p { margin: .25rem 0 0; } pre { overflow-x: auto; margin: .5rem 0 0; padding: .5rem .75rem;
  border: 1px solid var(--line); border-radius: 6px; font: .875rem/1.45 ui-monospace, monospace; }
.passed { color: var(--good); } .failed { color: var(--bad); } .odd { color: var(--odd); }
.values { display: flex; flex-wrap: wrap; align-items: flex-start; gap: .25rem 2rem; margin-top: .5rem; }
.values p { margin: 0; } .values > * { max-width: 100%; } .values pre { margin: .25rem 0; }
.diagnosis { border-left: 4px solid var(--odd); padding-left: .75rem; } footer { font-size: .85rem; color: var(--quiet); }
"""  # noqa: E501  a style sheet


_LEFT: Final = 'style="text-align: left; padding-right: 1.5rem"'


def render_report(report: Report) -> str:
    """Return the page of one submission."""
    title = to_one_line(report.exercise if report.verdict is None else report.verdict.title)
    return _page(title, "".join(_section(report)))


def render_part(report: Report, appendix: str = "") -> str:
    """Return an HTML fragment that shows one submission, followed by more HTML."""
    return html_part(_STYLE + HEATMAP_STYLE, "".join(_section(report)) + appendix)


def render_batch(batch: Batch) -> str:
    """Return the page of a batch: the heatmap, and a section for each submission."""
    students = list(dict.fromkeys(report.student or "" for report in batch))
    exercises = list(dict.fromkeys(report.exercise for report in batch))
    cells = {(report.student or "", report.exercise): report for report in batch}
    grid = [[cells.get((student, name)) for name in exercises] for student in students]
    overview = heatmap(
        [
            [
                None
                if cell is None or cell.points is None
                else cell.points / (cell.max_points or 1)
                for cell in row
            ]
            for row in grid
        ],
        rows=[to_one_line(student) for student in students],
        columns=[to_one_line(name) for name in exercises],
        texts=[[_cell(report) for report in row] for row in grid],
        caption="Points of each student in each exercise",
    )
    passed = sum(report.outcome == Outcome.PASSED for report in batch)
    sentences = [f"{passed} of {plural(batch.submission_count, 'submission')} passed."]
    sentences += skipped_files_notes(batch)
    sections = "".join(text for report in batch for text in _section(report))
    return _page("Results", f"{overview}<p>{' '.join(sentences)}</p>\n{sections}")


def render_student(student: str, batch: Batch, titles: Mapping[str, str]) -> str:
    """Return the page of one student: the points of each exercise, and a section for it.

    Args:
        titles: The titles of all exercises, including those that the student did not submit.
    """
    rows, sections = list[str](), list[str]()
    for number, report in enumerate(batch, 1):
        title, anchor = (
            to_one_line(titles.get(report.exercise, report.exercise)),
            f"exercise-{number}",
        )
        link = f'<a href="#{anchor}">{escape(title)}</a>'
        rows.append(
            f'<tr><th scope="row" {_LEFT}>{link}</th><td>{escape(_cell(report))}</td></tr>\n'
        )
        sections += _section(report, heading=title, anchor=anchor)
    total = sum(report.points or 0 for report in batch)
    possible = sum(report.max_points for report in batch if report.points is not None)
    table = (
        "<table>\n<caption>Points in each exercise</caption>\n<thead><tr>"
        f'<th scope="col" {_LEFT}>Exercise</th><th scope="col" {_LEFT}>Points</th></tr></thead>\n'
        f'<tbody>\n{"".join(rows)}</tbody>\n<tfoot><tr><th scope="row" {_LEFT}>Total</th>'
        f"<td>{total:.10g}/{possible}</td></tr></tfoot>\n</table>\n"
    )
    return _page(f"Results of {to_one_line(student)}", table + "".join(sections))


def _page(title: str, body: str) -> str:
    return html_page(title, _STYLE + HEATMAP_STYLE, body)


def _cell(report: Report | None) -> str:
    if report is None:
        return "\u2013"
    if report.points is None:
        return "excused" if report.is_excused else report.outcome
    return f"{report.points:.10g}/{report.max_points}"


def _section(report: Report, heading: str = "", anchor: str = "") -> Iterator[str]:
    verdict = report.verdict
    yield f'<section id="{anchor}">\n' if anchor else "<section>\n"
    if not heading and report.student is not None:
        heading = f"{to_one_line(report.student)}: {to_one_line(report.exercise)}"
    if heading:
        yield f"<h2>{escape(heading)}</h2>\n"
    if grade := counted_points_note(report):
        yield f'<p class="odd">{escape(grade)}</p>\n'
    if verdict is None:
        yield f'<p class="odd"><strong>{escape(report.outcome.capitalize())}.</strong> '
        yield f"{escape(to_one_line(report.message))}</p>\n</section>\n"
        return
    yield f'<p class="{_class(verdict.outcome)}"><strong>{escape(summary(verdict))}</strong></p>\n'
    for section in document(verdict):
        body = "".join(map(_block, section.blocks))
        has_frame = section.kind in ("help", "example")
        yield f'<div class="diagnosis">{body}</div>\n' if has_frame else f"{body}\n"
    yield _output_block(verdict.output)
    if not verdict.message:
        yield "<ol>\n"
        for test in map(merge_group, group_hidden_failures(verdict.tests)):
            outcome, earned = test.outcome.capitalize(), points_text(test.points, test.max_points)
            yield f'<li><span class="{_class(test.outcome)}">{escape(outcome)}</span> '
            yield f'{escape(test_label(test))} <span class="quiet">{earned}</span>'
            yield f"<p>{escape(to_one_line(test.message))}</p>" if has_own_message(test) else ""
            yield _values(test)
            yield (
                _output_block(output_beside_values(test))
                if test.outcome is not Outcome.PASSED
                else ""
            )
            yield "</li>\n"
        yield "</ol>\n"
    yield f"<footer>Etude {escape(verdict.grader_version)}, sandbox {escape(verdict.sandbox)}, "
    yield f"exercise {escape(verdict.exercise_hash[:12])}, "
    yield f"submission {escape(verdict.submission_hash[:12])}</footer>\n</section>\n"


def _block(block: ReportBlock) -> str:
    match block:
        case Sentence(role="warning", text=text):
            return f'<p class="odd">{escape(text)}</p>'
        case Sentence(text=text):
            return f"<p>{escape(text)}</p>"
        case Code(lines=lines):
            return f"<pre>{escape(chr(10).join(lines))}</pre>"
        case Details(test=test):
            return _values(test) + _output_block(output_beside_values(test))


def _values(test: TestResult) -> str:
    """Return the inputs, the expected value and the result of a failing test."""
    inputs = "".join(_value(name, value) for name, value in test.inputs)
    expected, got = test.expected, test.got
    if shows_both_values(test):
        outcome = ""
    elif expected is not None and got is not None and expected.rows and got.rows:
        pair = (expected.rows or (), got.rows or ())
        scale = Scale.from_matrices(*pair)
        clear, coarse = format_matrices(pair, worst_values(test))
        ways = zip(("Expected", "Yours"), (expected, got), (clear or coarse)[0], strict=True)
        outcome = "".join(
            _matrix(name, each, texts, scale, worst_index(test)) for name, each, texts in ways
        )
    else:
        both = (("Expected", expected), ("Yours", got))
        outcome = "".join(_value(name, value) for name, value in both if value is not None)
    return "".join(f'<div class="values">{text}</div>\n' for text in (inputs, outcome) if text)


def _value(name: str, value: ValueSummary) -> str:
    if value.rows is None:
        caption = f'<p class="quiet">{escape(name)}, {escape(value.summary)}</p>'
        return f"<div>{caption}<pre>{escape(strip_controls(value.text))}</pre></div>\n"
    clear, coarse = format_matrices([value.rows])
    (texts,) = (clear or coarse)[0]
    return _matrix(name, value, texts, Scale.from_matrices(value.rows), None)


def _matrix(
    name: str, value: ValueSummary, texts: Texts, scale: Scale, worst: tuple[int, int] | None
) -> str:
    rows = value.rows or ()
    return heatmap(
        [[scale.share(cell) for cell in row] for row in rows],
        rows=[] if value.is_vector else [str(number) for number in range(len(rows))],
        columns=[str(number) for number in range(len(rows[0]))],
        texts=texts,
        caption=f"{name}, {value.summary}",
        worst=worst,
    )


def _class(outcome: Outcome) -> str:
    if outcome is Outcome.PASSED:
        return "passed"
    return "quiet" if outcome is Outcome.NOT_RUN else "failed"


def _output_block(output: str) -> str:
    if not output.strip():
        return ""
    return f'<p class="quiet">Your code printed:</p><pre>{escape(strip_controls(output))}</pre>\n'
