"""Rendering of templates: text is always escaped, and no script runs."""

import re
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from etude_server.store.ids import to_datetime
from grader.sandbox.printable import printable

FOLDER: Final = Path(__file__).parent
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self' {}; "
    "frame-ancestors {}"
)


def render(
    name: str,
    status: HTTPStatus = HTTPStatus.OK,
    *,
    frames: str = "'none'",
    form: str = "",
    **values: Any,
) -> HTMLResponse:
    """Return a page with personal data, which caches must not store.

    `frames` lists the sites that may show it in a frame, and `form` another site for its form.
    """
    text = _environment.get_template(f"{name}.html").render(**values)
    policy = _POLICY.format(form, frames)
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    return HTMLResponse(text, status, headers=headers)


def moment(microseconds: int) -> str:
    """Format a time in UTC."""
    return f"{to_datetime(microseconds):%Y-%m-%d %H:%M} UTC"


_environment: Final = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {
    "moment": moment,
    # Without invisible characters and those that change the direction of text.
    "words": lambda text: printable(text, keep="\n\t"),
    "percent": lambda share: f"{share:.0%}".replace("%", " %"),
    # `verdict.published` becomes `verdict published`.
    "spoken": lambda kind: re.sub(r"\W+", " ", kind),
}
