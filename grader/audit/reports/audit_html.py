"""An audit as one HTML page that needs no other file and runs no script."""

from collections.abc import Iterator, Sequence
from html import escape
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
from grader.audit.result import Audit, Survivor
from grader.reports.phrases import clean, line

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_STYLE: Final = """\
:root { color-scheme: light dark; --ink: light-dark(#17201f, #e4eae8); --page: light-dark(#f7f8f6, #12171c);
  --card: light-dark(#fff, #192027); --line: light-dark(#dbe0dc, #2d3741); --quiet: light-dark(#52605d, #a0adab);
  --good: light-dark(#17693a, #7fd8a0); --bad: light-dark(#a02d20, #ff9d8f); --odd: light-dark(#7a4a00, #f2c46d); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 62rem; background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
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
.quiet { color: var(--quiet); }
"""  # noqa: E501  a style sheet


def html(audits: Sequence[Audit]) -> str:
    """Return a page: the findings, the gravest first, then every check and every survivor."""
    several = len(audits) > 1
    name = "Audit of tests" if several else f"Audit of {line(audits[0].assignment.name)}"
    body = f'<p class="first">{escape(together(audits))}</p>\n' if several else ""
    body += "".join(part for audit in audits for part in _audit(audit, has_heading=several))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(name)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(name)}</h1>\n{body}</main>\n</body>\n</html>\n"
    )


def _audit(audit: Audit, *, has_heading: bool) -> Iterator[str]:
    if has_heading:
        yield f"<h2>{escape(line(audit.assignment.name))}</h2>\n"
    yield from (f'<p class="first">{escape(each)}</p>\n' for each in headline(audit))
    yield f'<p class="quiet">{escape(score(audit))}</p>\n'
    if audit.checks:
        yield "<section>\n<ul>\n"
        for check in in_order(audit.checks):
            yield f'<li class="{check.verdict}"><b>{check.verdict}</b> '
            yield f"<span>{escape(line(check.sentence))}</span></li>\n"
        yield "</ul>\n</section>\n"
    survivors = known_first(audit.survivors)
    repeated = repeated_tests(survivors)
    for number, survivor in enumerate(survivors):
        above = repeated.get(survivor.change)
        yield from _survivor(survivor, audit.assignment.solution, above, is_open=number == 0)
    for heading, group in ((EQUIVALENT, audit.equivalent), (ACCEPTED, audit.accepted)):
        if group:
            yield f"<section>\n<p>{escape(heading)}</p>\n<ul>\n"
            yield from (f"<li>line {each.line}: {escape(title(each))}</li>\n" for each in group)
            yield "</ul>\n</section>\n"
    yield from (f'<p class="quiet">{escape(line(note))}</p>\n' for note in audit.assignment.notes)


def _survivor(
    survivor: Survivor, solution: str, above: str | None, *, is_open: bool
) -> Iterator[str]:
    place = f"{line(solution)}:{survivor.line}"
    yield f"<details{' open' if is_open else ''}>\n<summary>"
    yield f'<span class="place">{escape(place)}</span> {escape(title(survivor))}</summary>\n'
    yield '<pre tabindex="0">'
    for each in clean(survivor.diff).splitlines():
        is_head = each.startswith(("+++", "---"))
        element = None if is_head else {"+": "ins", "-": "del"}.get(each[:1])
        yield f"<{element}>{escape(each)}</{element}>\n" if element else f"{escape(each)}\n"
    yield "</pre>\n"
    if rows := call(survivor):
        said = "".join(f"<dt>{name}</dt><dd>{escape(clean(value))}</dd>\n" for name, value in rows)
        yield f"<dl>\n{said}</dl>\n"
    if above:
        yield f"<p><code>{escape(above)}</code>, shown above, rejects it.</p>\n"
    elif survivor.test:
        yield "<p>This test rejects it:</p>\n"
        yield f'<pre tabindex="0">{escape(clean(survivor.test))}</pre>\n'
    yield "</details>\n"
