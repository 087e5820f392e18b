"""Middleware: limits of request bodies, security headers, and a record of each request."""

import asyncio
import time
import uuid
from collections.abc import Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, Final, TypeAlias

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from etude_server.api.problem_details import problem_response
from etude_server.metrics import Meter

_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_API_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
_HSTS: Final = "max-age=31536000"
_START: Final = "http.response.start"
_PART: Final = "http.response.body"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_log = structlog.get_logger(__name__)


class _RefusedError(Exception):
    """The rest of a body is not read."""


class BodyCap:
    """Refuses a body that is too large, before it is read and while it comes, or too slow.

    Some paths are roomy: they take more bytes. A slow body would hold a connection for nothing.
    """

    def __init__(self, app: ASGIApp, most: int, roomy: Mapping[str, int], seconds: float) -> None:
        self._app = app
        self._most = most
        self._roomy = roomy
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with 408 or 413."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(receive, self._roomy.get(scope["path"], self._most), self._seconds)
        headers = Headers(scope=scope)
        if "content-length" in headers and "transfer-encoding" in headers:
            # h11 reads the chunks; a proxy before us may go by the length, and see other requests.
            detail = "A request has Content-Length or Transfer-Encoding, not both."
            await _refuse((HTTPStatus.BAD_REQUEST, detail), scope, receive, send)
            return
        said = headers.get("content-length", "0")
        if not said.isascii() or not said.isdigit() or int(said[:20]) > body.most:
            await _refuse(body.too_large, scope, receive, send)
            return
        has_begun = is_over = False

        async def unless_refused(message: MutableMapping[str, Any]) -> None:
            nonlocal has_begun, is_over
            # What the application makes of a body that broke off is not told.
            if body.refusal is None or has_begun:
                has_begun = True
                is_over = message["type"] == _PART and not message.get("more_body", False)
                await send(message)

        try:
            await self._app(scope, body.receive, unless_refused)
        except* _RefusedError:  # alone, or among the tasks of an answer
            pass
        if body.refusal is not None and not has_begun:
            await _refuse(body.refusal, scope, receive, send)
        elif body.refusal is not None and not is_over:  # an event stream, which may end anywhere
            await send({"type": _PART})


_Refusal: TypeAlias = tuple[HTTPStatus, str]


class _Body:
    """A request's body, received within limits of size and time."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive = receive
        self.most = most
        self._left = most
        self._seconds = seconds
        self._until = asyncio.get_running_loop().time() + seconds
        self._is_whole = False
        self.refusal: _Refusal | None = None
        detail = f"A request body has at most {most >> 10} KiB here."
        self.too_large: _Refusal = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail

    async def receive(self) -> Message:
        """Return the next message of the body; raise if it is too large, or too slow."""
        if self._is_whole:  # what comes now is that the client hangs up, sooner or later
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            detail = f"The request body must arrive within {self._seconds:g} seconds."
            self.refusal = HTTPStatus.REQUEST_TIMEOUT, detail
            raise _RefusedError from None
        self._left -= len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        if self._left < 0:
            self.refusal = self.too_large
            raise _RefusedError
        return message


async def _refuse(refusal: _Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    await problem_response(*refusal, {"Connection": "close"})(scope, receive, send)


class CarefulHeaders:
    """Adds the security headers to every answer; a page keeps the policy that it brings itself."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add to what comes back."""

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == _START:
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith("/v1/"):
                    headers["Content-Security-Policy"] = _API_POLICY
                    headers.setdefault("Cache-Control", "no-store")
                if self._https:
                    headers["Strict-Transport-Security"] = _HSTS
            await send(message)

        await self._app(scope, receive, with_headers)


class Recorded:
    """Gives each request an id; logs it in one line, and counts it, when it is answered.

    Neither has an address in it, but the pattern of the route, such as `/v1/submissions/{id}`.
    """

    def __init__(self, app: ASGIApp, meter: Meter) -> None:
        self._app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on under an id."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        status = 500  # unless it is answered

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == _START:
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        began = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, noted)
            finally:
                seconds = time.perf_counter() - began
                route = str(getattr(scope.get("route"), "path", "") or "other")
                method = scope["method"] if scope["method"] in _METHODS else "other"
                self._meter.answered(method, route, status, seconds)
                _log.info("answered", route=route, status=status, seconds=round(seconds, 4))
