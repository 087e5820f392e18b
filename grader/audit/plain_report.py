"""An audit as plain text."""

from collections.abc import Iterator

from grader.audit.result import Audit, Survivor

_MARKS = {"ok": "ok  ", "hole": "HOLE", "note": "note"}


def lines(audit: Audit) -> Iterator[str]:
    """Yield the lines of a report, the gravest finding first."""
    known = [each for each in audit.survivors if each.misconception]
    if known:
        yield (
            f"{len(known)} of {audit.misconceptions} known mistakes pass; the first: "
            f"{known[0].misconception}."
        )
    for check in sorted(audit.checks, key=lambda each: [*_MARKS].index(each.verdict) % 3 != 1):
        yield f"{_MARKS[check.verdict]}  {check.sentence}"
    yield ""
    yield (
        f"{audit.killed} of {audit.distinguishable} distinguishable wrong programs are killed "
        f"({audit.score:.0%}), in {audit.seconds:.1f} s."
    )
    for survivor in audit.survivors:
        yield ""
        yield from _survivor(survivor)
    if audit.accepted:
        yield f"\nAccepted: {len(audit.accepted)}."
    if audit.equivalent:
        yield f"\nNo call tells these {len(audit.equivalent)} from the solution, so none is a hole:"
        yield from (f"  line {each.line}: {each.change}" for each in audit.equivalent)


def _survivor(survivor: Survivor) -> Iterator[str]:
    yield f"SURVIVED  line {survivor.line}: {survivor.change}"
    yield from (f"    {line}" for line in survivor.diff.splitlines())
    yield f"  {survivor.example}"
    yield f"    solution: {survivor.expected}"
    yield f"    program:  {survivor.got}"
    if survivor.test:
        yield "  This test rejects it:"
        yield from (f"    {line}" for line in survivor.test.splitlines())
