"""Renders templates: text is always escaped, and no script runs."""

import re
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from grader.sandbox.printable import printable

FOLDER: Final = Path(__file__).parent
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


def render(name: str, status: HTTPStatus = HTTPStatus.OK, **values: Any) -> HTMLResponse:  # noqa: ANN401  what the template shows
    """Return a page that no cache keeps: it is about people."""
    text = _environment.get_template(f"{name}.html").render(**values)
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-store"}
    return HTMLResponse(text, status, headers=headers)


def moment(microseconds: int) -> str:
    """Return a time in UTC as text."""
    return f"{datetime.fromtimestamp(microseconds / 1_000_000, UTC):%Y-%m-%d %H:%M} UTC"


def _words(text: str) -> str:
    """Return text without invisible or direction-changing characters."""
    return printable(text, keep="\n\t")


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def _spoken(kind: str) -> str:
    """`verdict.published` as `verdict published`."""
    return re.sub(r"\W+", " ", kind)


_environment: Final = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {
    "moment": moment,
    "words": _words,
    "percent": _percent,
    "spoken": _spoken,
}
