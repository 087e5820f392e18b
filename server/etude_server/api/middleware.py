"""Middleware: limits on request bodies, security headers, and a record of each request."""

import time
import uuid
from collections.abc import Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, Final

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from etude_server.api.problem_details import make_problem_response
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
_RESPONSE_START: Final = "http.response.start"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_log = structlog.get_logger(__name__)


class BodyLimit:
    """Middleware that refuses a body that is too large, before reading it and while it arrives.

    Some paths have larger limits. A proxy in front ends slow connections.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, larger_limits: Mapping[str, int]) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._larger_limits = larger_limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, or refuse it with 413."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        max_bytes = remaining_bytes = self._larger_limits.get(scope["path"], self._max_bytes)
        refusal = _find_length_problem(Headers(scope=scope), max_bytes)
        has_begun = False

        async def receive_limited() -> Message:
            nonlocal remaining_bytes
            message = await receive()
            remaining_bytes -= len(message.get("body", b""))
            return message if remaining_bytes >= 0 else {"type": "http.disconnect"}

        async def send_unless_rejected(message: Message) -> None:
            nonlocal has_begun
            # The application's answer to an interrupted body is dropped.
            if remaining_bytes >= 0 or has_begun:
                has_begun = True
                await send(message)

        if refusal is None:
            try:
                await self._app(scope, receive_limited, send_unless_rejected)
            except ClientDisconnect:
                if remaining_bytes >= 0:
                    raise
            if remaining_bytes < 0 and not has_begun:
                refusal = _make_too_large_problem(max_bytes)
        if refusal is not None:
            await make_problem_response(*refusal, {"Connection": "close"})(scope, receive, send)


def _find_length_problem(headers: Headers, max_bytes: int) -> tuple[HTTPStatus, str] | None:
    """Return the status and reason if the announced body length is invalid, else None."""
    if "content-length" in headers and "transfer-encoding" in headers:
        # h11 reads the chunks, but a proxy may use the length and so see another request.
        detail = "A request has Content-Length or Transfer-Encoding, not both."
        return HTTPStatus.BAD_REQUEST, detail
    length = headers.get("content-length", "0")
    is_number = length.isascii() and length.isdigit()
    is_allowed = is_number and int(length[:20]) <= max_bytes
    return None if is_allowed else _make_too_large_problem(max_bytes)


def _make_too_large_problem(max_bytes: int) -> tuple[HTTPStatus, str]:
    detail = f"A request body has at most {max_bytes >> 10} KiB here."
    return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail


class SecurityHeaders:
    """Middleware that adds the security headers to every response; a page's own policy is kept."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, and add headers to the response."""

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == _RESPONSE_START:
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


class RequestLog:
    """Middleware that gives each request an id, and logs and counts it once it is answered.

    The log and the metrics contain the route's pattern, such as `/v1/submissions/{id}`, not the
    address.
    """

    def __init__(self, app: ASGIApp, meter: Meter) -> None:
        self._app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request under a new id."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        status = 500  # unless a response starts

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == _RESPONSE_START:
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        start_time = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, send_with_id)
            finally:
                seconds = time.perf_counter() - start_time
                route = str(getattr(scope.get("route"), "path", "") or "other")
                method = scope["method"] if scope["method"] in _METHODS else "other"
                self._meter.count_request(method, route, status, seconds)
                _log.info("answered", route=route, status=status, seconds=round(seconds, 4))
