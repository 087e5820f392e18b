"""The formats of an audit by their names."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from grader.audit.reports.audit_badge import badge
from grader.audit.reports.audit_html import html
from grader.audit.reports.audit_json import audit_json
from grader.audit.reports.audit_markdown import markdown
from grader.audit.reports.audit_sarif import sarif
from grader.audit.reports.audit_text import text
from grader.audit.result import Audit

FORMATS: Final[Mapping[str, Callable[[Sequence[Audit]], str]]] = {
    "text": text,
    "markdown": markdown,
    "json": audit_json,
    "sarif": sarif,
    "html": html,
    "badge": badge,
}
"""Each is a pure function of the audits of one command."""
