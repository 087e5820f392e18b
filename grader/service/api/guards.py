"""What stands before every route: a cap on bodies, and the headers that keep browsers careful."""

import contextlib
from collections.abc import Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader.service.api.problems import MEDIA_TYPE, Problem

_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_API_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
_HSTS: Final = "max-age=31536000"


class _TooLargeError(Exception):
    """A body went beyond the cap, whatever its header said."""


class BodyCap:
    """Refuses a body that is too large, before it is read and while it comes.

    Args:
        app: what comes behind.
        most: bytes.
        roomy: paths that take more, and how many bytes.
    """

    def __init__(self, app: ASGIApp, most: int, roomy: Mapping[str, int]) -> None:
        self._app = app
        self._most = most
        self._roomy = roomy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._roomy.get(scope["path"], self._most)
        said = Headers(scope=scope).get("content-length", "0")
        if not said.isascii() or not said.isdigit() or int(said[:20]) > most:
            await _refuse(most, scope, receive, send)
            return
        left = most

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise _TooLargeError
            return message

        async def unless_refused(message: MutableMapping[str, Any]) -> None:
            if left >= 0:  # what the application makes of a body that broke off is not told
                await send(message)

        with contextlib.suppress(_TooLargeError):
            await self._app(scope, counted, unless_refused)
        if left < 0:
            await _refuse(most, scope, receive, send)


async def _refuse(most: int, scope: Scope, receive: Receive, send: Send) -> None:
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    detail = f"What is sent here has at most {most >> 10} KiB."
    problem = Problem(type="about:blank", title=status.phrase, status=status, detail=detail)
    answer = JSONResponse(problem.model_dump(), status_code=status, media_type=MEDIA_TYPE)
    answer.headers["Connection"] = "close"
    await answer(scope, receive, send)


class CarefulHeaders:
    """Adds the security headers to every answer; a page keeps the policy that it brings itself.

    Args:
        app: what comes behind.
        https: whether browsers come by HTTPS, and shall from now on.
    """

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add to what comes back."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_api = scope["path"].startswith("/v1/")

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if is_api:
                    headers["Content-Security-Policy"] = _API_POLICY
                    headers.setdefault("Cache-Control", "no-store")
                if self._https:
                    headers["Strict-Transport-Security"] = _HSTS
            await send(message)

        await self._app(scope, receive, with_headers)
