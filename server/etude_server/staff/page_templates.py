"""Rendering of templates: text is always escaped, and no script runs."""

import re
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from etude_server.store.ids import to_datetime
from grader.sandbox.printable import printable

TEMPLATE_FOLDER: Final = Path(__file__).parent
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self' {}; "
    "frame-ancestors {}"
)


def render(
    name: str,
    status: HTTPStatus = HTTPStatus.OK,
    *,
    frames: str = "'none'",
    form_target: str = "",
    **values: Any,
) -> HTMLResponse:
    """Return a page with personal data, which caches must not store.

    Args:
        frames: The sites that may show it in a frame.
        form_target: Another site to which its form may be sent.
    """
    page = _environment.get_template(f"{name}.html").render(**values)
    policy = _POLICY.format(form_target, frames)
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    return HTMLResponse(page, status, headers=headers)


def format_moment(microseconds: int) -> str:
    """Format a time in UTC."""
    return f"{to_datetime(microseconds):%Y-%m-%d %H:%M} UTC"


_environment: Final = Environment(
    loader=FileSystemLoader(TEMPLATE_FOLDER / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {
    "moment": format_moment,
    # Without invisible characters and those that change the direction of text.
    "words": lambda text: printable(text, keep="\n\t"),
    "percent": lambda share: f"{share:.0%}".replace("%", " %"),
    # `verdict.published` becomes `verdict published`.
    "spoken": lambda kind: re.sub(r"\W+", " ", kind),
}
