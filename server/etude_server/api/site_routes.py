"""A built site beside the API, whose pages are marked as served."""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from etude_server.api.auth import HOST_SESSION_COOKIE, SESSION_COOKIE

_HTML_TAG: Final = b"<html "
_SERVED_HTML_TAG: Final = b'<html data-service="/v1/" '
# Tells a page's script that asking for the session is worthwhile.
_SIGNED_IN: Final = b"data-signed-in "
_SINGLE_SIGN_ON: Final = b"data-single-sign-on "
_EMBED_IN: Final = re.compile(rb'<html [^>]* data-embed-in="([^"]*)"')
_SERVED_TEXTS: Final = re.compile(rb"<!--static-->.*?<!--served:(.*?)-->", re.DOTALL)
"""A sentence for static hosts, and in a comment the one that holds on a server."""


class Site(StaticFiles):
    """The files of a built site, with a mark in pages that a static host lacks.

    `frames` returns the sites that may show embedded pages in frames.
    """

    def __init__(
        self, folder: Path, find_frames: Callable[[], str], *, has_single_sign_on: bool = False
    ) -> None:
        super().__init__(directory=folder, html=True)
        self._find_frames = find_frames
        self._mark = _SERVED_HTML_TAG + (_SINGLE_SIGN_ON if has_single_sign_on else b"")

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, a marked page, or a redirect to a folder's page.

        A compressed copy of a file is sent to clients that accept it.
        """
        response = await super().get_response(path, scope)
        if isinstance(response, RedirectResponse):
            # Starlette would redirect to the request's own host, which can be forged.
            query = scope["query_string"].decode("latin-1")
            folder = f"./{quote(posixpath.basename(path))}/"
            return RedirectResponse(f"{folder}?{query}" if query else folder)
        if isinstance(response, FileResponse) and response.media_type == "text/html":
            request = Request(scope)
            frames = ""
            if "embed" in request.query_params:
                frames = await run_in_threadpool(self._find_frames)
            return self._mark_page(response, request, frames)
        if isinstance(response, FileResponse):
            zipped_path, stat = self.lookup_path(f"{path}.gz")
            if stat and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
                # The content type is that of the name without ".gz".
                response = self.file_response(zipped_path, stat, scope)
                response.headers["Content-Encoding"] = "gzip"
                response.headers["Vary"] = "Accept-Encoding"
        return response

    def _mark_page(self, file: FileResponse, request: Request, frames: str) -> Response:
        """Return a page with the server's mark and texts, which browsers must not cache."""
        is_signed_in = {SESSION_COOKIE, HOST_SESSION_COOKIE} & request.cookies.keys()
        mark = self._mark + (_SIGNED_IN if is_signed_in else b"")
        page = _SERVED_TEXTS.sub(rb"\1", Path(file.path).read_bytes().replace(_HTML_TAG, mark, 1))
        headers = {"Cache-Control": "no-cache", "Vary": "Cookie"}
        embed_match = _EMBED_IN.search(page)
        if frames:
            # Browsers that support this ignore X-Frame-Options, which cannot name a site.
            page_frames = embed_match[1].decode() if embed_match else ""
            headers["Content-Security-Policy"] = f"frame-ancestors {frames} {page_frames}".rstrip()
        return HTMLResponse(page, file.status_code, headers=headers)
