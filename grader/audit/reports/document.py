"""An audit as text for a terminal, as Markdown, and as one HTML page without scripts.

`document` chooses the parts and their order, the gravest first. Each format lays out the same
parts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from grader.audit.reports.phrases import (
    ACCEPTED,
    EQUIVALENT,
    UNREAD,
    UNTRIED,
    call_rows,
    find_repeated_tests,
    headline,
    score,
    sort_checks,
    sort_survivors,
    summary_of_all,
)
from grader.audit.result import Audit, SuiteCheck
from grader.reports.html_page import html_page
from grader.reports.phrases import strip_controls, to_one_line
from grader.reports.to_markdown import as_code_block, escape_markdown

_STYLE: Final = """\
body { overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.25rem; } h3 { font-size: 1rem; margin: 0; display: inline; }
.first { font-size: 1.15rem; font-weight: 600; margin: .25rem 0; }
section, details { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .75rem 1rem; margin: .75rem 0; }
summary { cursor: pointer; } summary .place { color: var(--quiet); font-family: ui-monospace, monospace; font-size: .875rem; }
ul { list-style: none; padding: 0; margin: 0; } li { display: flex; gap: .75rem; padding: .3rem 0; }
li b { flex: 0 0 2.75rem; } .ok b { color: var(--good); } .hole b { color: var(--bad); } .note b { color: var(--odd); }
pre { overflow-x: auto; overflow-wrap: normal; margin: .5rem 0; padding: .5rem .75rem; border: 1px solid var(--line);
  border-radius: 6px; font: .875rem/1.45 ui-monospace, monospace; }
ins { color: var(--good); text-decoration: none; } del { color: var(--bad); text-decoration: none; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .75rem; margin: .5rem 0; } dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; white-space: pre-wrap; font: .875rem/1.6 ui-monospace, monospace; }
"""  # noqa: E501  a style sheet


@dataclass(frozen=True, slots=True)
class SurvivorPart:
    """A surviving program: its change, the revealing call, and the test that rejects it.

    `above` names a test that an earlier survivor already shows.
    """

    place: str
    change: str
    diff: str
    rows: list[tuple[str, str]]
    above: str | None
    test: str


@dataclass(frozen=True, slots=True)
class AuditDocument:
    """The parts of one audit, in order, without terminal control characters."""

    name: str
    kind: str
    headline: list[str]
    score: str
    seconds: float
    checks: list[SuiteCheck]
    survivors: list[SurvivorPart]
    # Heading, then place and change of each program.
    groups: list[tuple[str, list[tuple[str, str]]]]
    notes: list[str]


def document(audit: Audit) -> AuditDocument:
    """Return the document of an audit."""
    survivors = sort_survivors(audit.survivors)
    repeated = find_repeated_tests(survivors)
    groups = (
        (UNTRIED, audit.untried),
        (UNREAD, audit.unread),
        (EQUIVALENT, audit.equivalent),
        (ACCEPTED, audit.accepted),
    )
    return AuditDocument(
        name=to_one_line(audit.assignment.name),
        kind=audit.assignment.kind,
        headline=headline(audit),
        score=score(audit),
        seconds=audit.seconds,
        checks=sort_checks(audit.checks),
        survivors=[
            SurvivorPart(
                place=f"{to_one_line(audit.assignment.solution)}:{survivor.line}",
                change=to_one_line(survivor.change),
                diff=strip_controls(survivor.diff),
                rows=[(name, strip_controls(value)) for name, value in call_rows(survivor)],
                above=repeated.get(survivor.change),
                test=strip_controls(survivor.test or ""),
            )
            for survivor in survivors
        ],
        groups=[
            (heading, [(f"line {program.line}", to_one_line(program.change)) for program in group])
            for heading, group in groups
            if group
        ],
        notes=[to_one_line(note) for note in audit.assignment.notes],
    )


def text(audits: Sequence[Audit]) -> str:
    """Return a report for a terminal."""
    parts = [f"{summary_of_all(audits)}\n"] if len(audits) > 1 else []
    parts += ["".join(f"{line}\n" for line in _text(document(audit))) for audit in audits]
    return "\n".join(parts)


def _text(content: AuditDocument) -> Iterator[str]:
    first, *rest = content.headline
    yield f"{content.name} ({content.kind}): {first}"
    yield from rest
    yield f"{content.score} It took {content.seconds:.1f} s."
    if content.checks:
        yield ""
    for check in content.checks:
        mark = "HOLE" if check.verdict == "hole" else check.verdict
        yield f"{mark:5} {to_one_line(check.sentence)}"
    for number, survivor in enumerate(content.survivors, 1):
        yield from ("", f"{number}. {survivor.place}: {survivor.change}")
        yield from (f"     {line}" for line in survivor.diff.splitlines())
        width = max((len(name) for name, _ in survivor.rows), default=0)
        for name, value in survivor.rows:
            first, *rest = value.splitlines() or [""]
            yield f"   {name:{width}}  {first}"
            yield from (f"   {'':{width}}  {line}" for line in rest)
        if survivor.above:
            yield f"   {survivor.above}, shown above, rejects it."
        elif survivor.test:
            yield "   This test rejects it:"
            yield from (f"     {line}".rstrip() for line in survivor.test.splitlines())
    for heading, group in content.groups:
        yield from ("", heading, *(f"  {place}: {change}" for place, change in group))
    if content.notes:
        yield from ("", *(f"Note: {note}." for note in content.notes))


def markdown(audits: Sequence[Audit]) -> str:
    """Return Markdown for a comment or a CI summary, with survivors collapsed."""
    parts = [f"{summary_of_all(audits)}\n"] if len(audits) > 1 else []
    parts += ["".join(f"{line}\n" for line in _markdown(document(audit))) for audit in audits]
    return "\n".join(parts)


def _markdown(content: AuditDocument) -> Iterator[str]:
    first, *rest = map(escape_markdown, content.headline)
    yield from (
        f"## {escape_markdown(content.name)}",
        "",
        f"**{first}**",
        *(f"<br>{sentence}" for sentence in rest),
    )
    yield from ("", content.score)
    if content.checks:
        yield from ("", "| | check |", "|---|---|")
    for check in content.checks:
        mark = "**hole**" if check.verdict == "hole" else check.verdict
        yield f"| {mark} | {escape_markdown(check.sentence)} |"
    for survivor in content.survivors:
        summary = escape(f"{survivor.place}: {survivor.change}")
        yield from ("", f"<details><summary>{summary}</summary>", "")
        yield as_code_block(survivor.diff, "diff")
        if survivor.rows:
            width = max(len(name) for name, _ in survivor.rows)
            rows = "\n".join(f"{name:{width}}  {value}" for name, value in survivor.rows)
            yield from ("", as_code_block(rows, "text"))
        if survivor.above:
            yield from ("", f"`{survivor.above}`, shown above, rejects it.")
        elif survivor.test:
            yield from ("", "This test rejects it:", "", as_code_block(survivor.test, "python"))
        yield from ("", "</details>")
    for heading, group in content.groups:
        yield from (
            "",
            heading,
            "",
            *(f"- {place}: {escape_markdown(change)}" for place, change in group),
        )
    if content.notes:
        yield from ("", *(f"- {escape_markdown(note)}" for note in content.notes))


def html(audits: Sequence[Audit]) -> str:
    """Return a self-contained HTML page."""
    several = len(audits) > 1
    name = "Audit of tests" if several else f"Audit of {to_one_line(audits[0].assignment.name)}"
    body = f'<p class="first">{escape(summary_of_all(audits))}</p>\n' if several else ""
    for audit in audits:
        content = document(audit)
        body += f"<h2>{escape(content.name)}</h2>\n" if several else ""
        body += "".join(_html(content))
    return html_page(name, _STYLE, body)


def _html(content: AuditDocument) -> Iterator[str]:
    yield from (f'<p class="first">{escape(sentence)}</p>\n' for sentence in content.headline)
    yield f'<p class="quiet">{escape(content.score)}</p>\n'
    if content.checks:
        yield "<section>\n<ul>\n"
        for check in content.checks:
            yield f'<li class="{check.verdict}"><b>{check.verdict}</b> '
            yield f"<span>{escape(to_one_line(check.sentence))}</span></li>\n"
        yield "</ul>\n</section>\n"
    for number, survivor in enumerate(content.survivors):
        yield f"<details{'' if number else ' open'}>\n<summary>"
        yield f'<span class="place">{escape(survivor.place)}</span> {escape(survivor.change)}'
        yield '</summary>\n<pre tabindex="0">'
        for line in survivor.diff.splitlines():
            is_head = line.startswith(("+++", "---"))
            element = None if is_head else {"+": "ins", "-": "del"}.get(line[:1])
            yield f"<{element}>{escape(line)}</{element}>\n" if element else f"{escape(line)}\n"
        yield "</pre>\n"
        if survivor.rows:
            rows = (f"<dt>{name}</dt><dd>{escape(value)}</dd>\n" for name, value in survivor.rows)
            yield f"<dl>\n{''.join(rows)}</dl>\n"
        if survivor.above:
            yield f"<p><code>{escape(survivor.above)}</code>, shown above, rejects it.</p>\n"
        elif survivor.test:
            yield "<p>This test rejects it:</p>\n"
            yield f'<pre tabindex="0">{escape(survivor.test)}</pre>\n'
        yield "</details>\n"
    for heading, group in content.groups:
        items = "".join(f"<li>{place}: {escape(change)}</li>\n" for place, change in group)
        yield f"<section>\n<p>{escape(heading)}</p>\n<ul>\n{items}</ul>\n</section>\n"
    yield from (f'<p class="quiet">{escape(note)}</p>\n' for note in content.notes)
