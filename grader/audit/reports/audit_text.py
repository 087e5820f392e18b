"""An audit as text for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Final

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

_MARKS: Final = {"ok": "ok", "hole": "HOLE", "note": "note"}


def text(audits: Sequence[Audit]) -> str:
    """Return the findings, the gravest first, then every check and every survivor."""
    parts = [f"{together(audits)}\n"] if len(audits) > 1 else []
    parts += ["".join(f"{each}\n" for each in _lines(audit)) for audit in audits]
    return "\n".join(parts)


def _lines(audit: Audit) -> Iterator[str]:
    first, *rest = headline(audit)
    yield f"{line(audit.assignment.name)} ({audit.assignment.kind}): {first}"
    yield from rest
    yield f"{score(audit)} It took {audit.seconds:.1f} s."
    if audit.checks:
        yield ""
    for check in in_order(audit.checks):
        yield f"{_MARKS[check.verdict]:5} {line(check.sentence)}"
    survivors = known_first(audit.survivors)
    repeated = repeated_tests(survivors)
    for number, survivor in enumerate(survivors, 1):
        yield ""
        yield f"{number}. {line(audit.assignment.solution)}:{survivor.line}: {title(survivor)}"
        yield from (f"     {each}" for each in clean(survivor.diff).splitlines())
        rows = call(survivor)
        width = max((len(name) for name, _ in rows), default=0)
        for name, value in rows:
            first, *rest = clean(value).splitlines() or [""]
            yield f"   {name:{width}}  {first}"
            yield from (f"   {'':{width}}  {each}" for each in rest)
        if above := repeated.get(survivor.change):
            yield f"   {above}, shown above, rejects it."
        elif survivor.test:
            yield "   This test rejects it:"
            yield from (f"     {each}".rstrip() for each in clean(survivor.test).splitlines())
    for heading, group in ((EQUIVALENT, audit.equivalent), (ACCEPTED, audit.accepted)):
        if group:
            yield ""
            yield heading
            yield from (f"  line {each.line}: {title(each)}" for each in group)
    if audit.assignment.notes:
        yield ""
        yield from (f"Note: {line(note)}." for note in audit.assignment.notes)
