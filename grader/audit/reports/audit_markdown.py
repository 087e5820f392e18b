"""An audit as Markdown, for a comment or the summary of a CI job."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from grader.audit.reports.audit_phrases import (
    ACCEPTED,
    EQUIVALENT,
    call,
    headline,
    in_order,
    known_first,
    repeated_tests,
    score,
    title,
    together,
)
from grader.audit.result import Audit
from grader.reports.phrases import clean, line

_MARKS = {"ok": "ok", "hole": "**hole**", "note": "note"}
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>#|!~@&])")


def markdown(audits: Sequence[Audit]) -> str:
    """Return the findings, the gravest first; survivors are folded up."""
    parts = [f"{together(audits)}\n"] if len(audits) > 1 else []
    parts += ["".join(f"{each}\n" for each in _lines(audit)) for audit in audits]
    return "\n".join(parts)


def _lines(audit: Audit) -> Iterator[str]:
    yield f"## {_plain(audit.assignment.name)}"
    yield ""
    first, *rest = headline(audit)
    yield f"**{_plain(first)}**"
    yield from (f"<br>{_plain(each)}" for each in rest)
    yield ""
    yield score(audit)
    if audit.checks:
        yield from ("", "| | check |", "|---|---|")
        for check in in_order(audit.checks):
            yield f"| {_MARKS[check.verdict]} | {_plain(check.sentence)} |"
    survivors = known_first(audit.survivors)
    repeated = repeated_tests(survivors)
    for survivor in survivors:
        place = f"{line(audit.assignment.solution)}:{survivor.line}"
        yield ""
        yield f"<details><summary>{escape(f'{place}: {title(survivor)}')}</summary>"
        yield ""
        yield from _fenced(survivor.diff, "diff")
        if rows := call(survivor):
            yield ""
            width = max(len(name) for name, _ in rows)
            text = "\n".join(f"{name:{width}}  {value}" for name, value in rows)
            yield from _fenced(text, "text")
        if above := repeated.get(survivor.change):
            yield from ("", f"`{above}`, shown above, rejects it.")
        elif survivor.test:
            yield from ("", "This test rejects it:", "")
            yield from _fenced(survivor.test, "python")
        yield from ("", "</details>")
    for heading, group in ((EQUIVALENT, audit.equivalent), (ACCEPTED, audit.accepted)):
        if group:
            yield from ("", heading, "")
            yield from (f"- line {each.line}: {_plain(title(each))}" for each in group)
    if audit.assignment.notes:
        yield ""
        yield from (f"- {_plain(note)}" for note in audit.assignment.notes)


def _fenced(text: str, language: str) -> Iterator[str]:
    """Yield a block of code, in a fence longer than any in it."""
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{language}"
    yield from clean(text).rstrip("\n").split("\n")
    yield fence


def _plain(text: str) -> str:
    """Return a text on one line in which nothing is markup."""
    return _ACTIVE.sub(r"\\\1", line(text))
