"""Serves a built site beside the API, and lets its pages know that there is one."""

import os
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from grader.service.api.auth import COOKIE, COOKIE_OF_HOST

_PLACE: Final = b"<html "
_MARK: Final = b'<html data-service="/v1/" '
_SIGNED_IN: Final = b"data-signed-in "  # or a page would have to ask, in vain for most


class Site(StaticFiles):
    """The files of a folder that `etude site build` made. On a static host pages have no mark."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Return a file; a page with its mark, and to be asked for again each time."""
        answer = super().file_response(full_path, stat_result, scope, status_code)
        if not (isinstance(answer, FileResponse) and answer.media_type == "text/html"):
            return answer
        is_signed_in = {COOKIE, COOKIE_OF_HOST} & Request(scope).cookies.keys()
        mark = _MARK + (_SIGNED_IN if is_signed_in else b"")
        page = Path(full_path).read_bytes().replace(_PLACE, mark, 1)
        headers = {"Cache-Control": "no-cache", "Vary": "Cookie"}
        return HTMLResponse(page, status_code, headers=headers)
