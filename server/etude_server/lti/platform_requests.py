"""HTTP requests to platforms, bounded in time and size, without redirects."""

import http.client
import json
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import IO, Any, Final

from etude_server.store.platforms import parse_origin
from grader.errors import EtudeError

_SECONDS: Final = 15.0  # time limit of a request
_NEXT: Final = re.compile(r'<([^>]*)>[^,]*;\s*rel="?next\b')
_MAX_BYTES: Final = 1 << 20  # largest response, in bytes


class CallError(EtudeError):
    """A request to a platform failed; `status` is 0 without a response."""

    def __init__(self, why: str, status: int = 0) -> None:
        self.status = status
        super().__init__(why)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, because their target is not registered."""

    def redirect_request(  # signature of urllib
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        """Return None, so that the redirect is raised as an error."""


def call(url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Any:
    """Send a request, a POST if it has a body, and return the response's JSON.

    Raises:
        CallError: There is no response, or its status is not a success.
    """
    return call_page(url, headers, body)[0]


def call_page(
    url: str, headers: Mapping[str, str] | None, body: bytes | None = None
) -> tuple[Any, str]:
    """Return the JSON of one page of a list, and the address of the next page or ""."""
    if not parse_origin(url):
        raise CallError("the address is not one of HTTPS")
    request = urllib.request.Request(url, body, dict(headers or {}))  # noqa: S310  checked above
    request.add_header("Accept", request.get_header("Accept") or "application/json")
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=_SECONDS) as answer:
            text, link = answer.read(_MAX_BYTES + 1), answer.headers.get("Link", "")
    except urllib.error.HTTPError as error:
        with error:
            raise CallError(f"it answers {error.code} {error.reason}", error.code) from None
    except (OSError, http.client.HTTPException) as error:
        raise CallError(f"it cannot be reached ({type(error).__name__})") from None
    if len(text) > _MAX_BYTES:
        raise CallError("its answer is too long")
    following = _NEXT.search(link)
    address = following[1] if following else ""
    try:
        return json.loads(text) if text.strip() else None, address
    except (ValueError, RecursionError):
        return None, address  # an HTML page, for example
