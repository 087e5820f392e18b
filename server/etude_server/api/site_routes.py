"""A built site beside the API; its pages are marked as served."""

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

from etude_server.api.auth import COOKIE, COOKIE_OF_HOST

_PLACE: Final = b"<html "
_MARK: Final = b'<html data-service="/v1/" '
_SIGNED_IN: Final = b"data-signed-in "  # or a page would have to ask, in vain for most
_SINGLE_SIGN_ON: Final = b"data-single-sign-on "
_EMBED_IN: Final = re.compile(rb'<html [^>]* data-embed-in="([^"]*)"')
_TEXTS: Final = re.compile(rb"<!--static-->.*?<!--served:(.*?)-->", re.DOTALL)
"""A sentence of pages on a static host, and in a comment the one that is true here."""


class Site(StaticFiles):
    """The files of a built site, with a mark in pages that a static host does not add.

    `frames` returns the sites that may show embedded pages in frames.
    """

    def __init__(
        self, folder: Path, frames: Callable[[], str], *, has_single_sign_on: bool = False
    ) -> None:
        super().__init__(directory=folder, html=True)
        self._frames = frames
        self._mark = _MARK + (_SINGLE_SIGN_ON if has_single_sign_on else b"")

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, a marked page, or a redirect to a folder's page.

        A file that the site has compressed is sent so to those who take it.
        """
        answer = await super().get_response(path, scope)
        if isinstance(answer, RedirectResponse):
            # Starlette redirects to the host that the request names, which may be forged.
            query = scope["query_string"].decode("latin-1")
            folder = f"./{quote(posixpath.basename(path))}/"
            return RedirectResponse(f"{folder}?{query}" if query else folder)
        if isinstance(answer, FileResponse) and answer.media_type == "text/html":
            request = Request(scope)
            frames = ""
            if "embed" in request.query_params:
                frames = await run_in_threadpool(self._frames)
            return self._page(answer, request, frames)
        if isinstance(answer, FileResponse):
            zipped, stat = self.lookup_path(f"{path}.gz")
            if stat and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
                # Of the type that it has without ".gz".
                answer = self.file_response(zipped, stat, scope)
                answer.headers["Content-Encoding"] = "gzip"
                answer.headers["Vary"] = "Accept-Encoding"
        return answer

    def _page(self, file: FileResponse, request: Request, frames: str) -> Response:
        """Return a page with the mark and texts of a server; browsers must not cache it."""
        is_signed_in = {COOKIE, COOKIE_OF_HOST} & request.cookies.keys()
        mark = self._mark + (_SIGNED_IN if is_signed_in else b"")
        page = _TEXTS.sub(rb"\1", Path(file.path).read_bytes().replace(_PLACE, mark, 1))
        headers = {"Cache-Control": "no-cache", "Vary": "Cookie"}
        named = _EMBED_IN.search(page)
        if frames:
            # Browsers that read this ignore X-Frame-Options, which cannot name a site.
            also = named[1].decode() if named else ""
            headers["Content-Security-Policy"] = f"frame-ancestors {frames} {also}".rstrip()
        return HTMLResponse(page, file.status_code, headers=headers)
