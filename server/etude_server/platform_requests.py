"""HTTP requests to platforms and providers, bounded in time and size, without redirects."""

import http.client
import json
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import IO, Any, Final

from etude_server.store.platforms import parse_origin
from grader.errors import EtudeError

_TIMEOUT_SECONDS: Final = 15.0  # time limit of a request
_NEXT_LINK: Final = re.compile(r'<([^>]*)>[^,]*;\s*rel="?next\b')
_MAX_BYTES: Final = 1 << 20  # largest response, in bytes


class PlatformRequestError(EtudeError):
    """A request to a platform failed; `status` is 0 without a response."""

    def __init__(self, reason: str, status: int = 0) -> None:
        self.status = status
        super().__init__(reason)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A handler that refuses redirects, because their target is not registered."""

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


def request_json(
    url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Any:
    """Send a request, a POST if it has a body, and return the response's JSON.

    Raises:
        PlatformRequestError: There is no response, or its status is not a success.
    """
    return request_json_page(url, headers, body)[0]


def request_json_page(
    url: str, headers: Mapping[str, str] | None, body: bytes | None = None
) -> tuple[Any, str]:
    """Return the JSON of one page of a list, and the address of the next page or ""."""
    if not parse_origin(url):
        raise PlatformRequestError("the address is not one of HTTPS")
    request = urllib.request.Request(url, body, dict(headers or {}))  # noqa: S310  checked above
    request.add_header("Accept", request.get_header("Accept") or "application/json")
    try:
        with urllib.request.build_opener(_NoRedirects).open(
            request, timeout=_TIMEOUT_SECONDS
        ) as response:
            text, link = response.read(_MAX_BYTES + 1), response.headers.get("Link", "")
    except urllib.error.HTTPError as error:
        with error:
            raise PlatformRequestError(
                f"it answers {error.code} {error.reason}", error.code
            ) from None
    except (OSError, http.client.HTTPException) as error:
        raise PlatformRequestError(f"it cannot be reached ({type(error).__name__})") from None
    if len(text) > _MAX_BYTES:
        raise PlatformRequestError("its answer is too long")
    next_link = _NEXT_LINK.search(link)
    next_address = next_link[1] if next_link else ""
    try:
        return json.loads(text) if text.strip() else None, next_address
    except (ValueError, RecursionError):
        return None, next_address  # an HTML page, for example
