"""What stands before every route: caps on bodies, and the headers that keep browsers careful."""

import asyncio
import contextlib
from collections.abc import Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, Final, TypeAlias

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


class _RefusedError(Exception):
    """A body is not read to its end."""


class BodyCap:
    """Refuses a body that is too large, before it is read and while it comes, or too slow.

    Args:
        app: what comes behind.
        most: bytes.
        roomy: paths that take more, and how many bytes.
        seconds: for which a body may be on its way, or it would hold a connection for nothing.
    """

    def __init__(self, app: ASGIApp, most: int, roomy: Mapping[str, int], seconds: float) -> None:
        self._app = app
        self._most = most
        self._roomy = roomy
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._roomy.get(scope["path"], self._most)
        said = Headers(scope=scope).get("content-length", "0")
        if not said.isascii() or not said.isdigit() or int(said[:20]) > most:
            await _refuse(_too_large(most), scope, receive, send)
            return
        left, is_whole, has_begun = most, False, False
        refusal: _Refusal | None = None
        until = asyncio.get_running_loop().time() + self._seconds

        async def bounded() -> Message:
            nonlocal left, is_whole, refusal
            if is_whole:  # what comes now is that the client hangs up, sooner or later
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                refusal = _too_slow(self._seconds)
                raise _RefusedError from None
            left -= len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if left < 0:
                refusal = _too_large(most)
                raise _RefusedError
            return message

        async def unless_refused(message: MutableMapping[str, Any]) -> None:
            nonlocal has_begun
            # What the application makes of a body that broke off is not told.
            if refusal is None or has_begun:
                has_begun = True
                await send(message)

        with contextlib.suppress(_RefusedError):
            await self._app(scope, bounded, unless_refused)
        if refusal is not None and not has_begun:
            await _refuse(refusal, scope, receive, send)


_Refusal: TypeAlias = tuple[HTTPStatus, str]


def _too_large(most: int) -> _Refusal:
    detail = f"What is sent here has at most {most >> 10} KiB."
    return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail


def _too_slow(seconds: float) -> _Refusal:
    detail = f"What is sent here is all there within {seconds:g} seconds."
    return HTTPStatus.REQUEST_TIMEOUT, detail


async def _refuse(refusal: _Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    status, detail = refusal
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
