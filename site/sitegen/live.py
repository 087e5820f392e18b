"""A server for a site that is being written: from memory, for this machine only, with live reload.

The standard library's server suffices: there is one author, and the server answers only to its own
name.
"""

import mimetypes
import posixpath
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, Self
from urllib.parse import unquote, urlsplit

from grader.errors import UsageError
from sitegen.links import INDEX, NOT_FOUND
from sitegen.offline import WORKER
from sitegen.package_data import find_data

_HOST: Final = "127.0.0.1"
_LIVE: Final = "_live"
_EVENTS: Final = f"{_LIVE}/events"
_HEAD: Final = (
    f'<link rel="stylesheet" href="/{_LIVE}/live.css">\n'
    f'<script src="/{_LIVE}/live.js"></script>\n</head>'
)
# Types that some systems do not know, and without which a browser refuses a file.
_TYPES: Final = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}
# Seconds after which a silent connection is tested, to find closed pages.
_BEAT: Final = 10.0


class LiveSite:
    """A web server for one author; a context manager.

    Args:
        port: The port to listen on; 0 for any free one.

    Raises:
        UsageError: The port is not available.
    """

    def __init__(self, port: int) -> None:
        self._files: dict[str, bytes] = {}
        self._version = 0
        self._changed = threading.Condition()
        self._closing = False
        try:
            self._server = _LiveServer((_HOST, port), self)
        except OSError as error:
            raise UsageError(f"port {port} cannot be had: {error.strerror}") from error
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the site."""
        return f"http://{_HOST}:{self._server.server_port}/"

    def publish(self, files: Mapping[str, bytes]) -> None:
        """Show these files from now on, and reload open pages."""
        folder = find_data("live")
        scripts = {f"{_LIVE}/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())}
        # Replaces the script that would keep pages for use without a network.
        scripts[WORKER] = (folder / WORKER).read_bytes()
        with self._changed:
            self._files = {**files, **scripts}
            self._version += 1
            self._changed.notify_all()

    def find_file(self, path: str) -> bytes | None:
        """Return the file at a URL's path; for a folder, its index."""
        page_path = path.strip("/")
        names = (page_path, f"{page_path}/{INDEX}".lstrip("/"))
        return next((self._files[name] for name in names if name in self._files), None)

    def wait(self, version: int) -> int | None:
        """Wait for a version after `version` and return it, or None when the server closes."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > version or self._closing, timeout=_BEAT)
            return None if self._closing else self._version

    @property
    def version(self) -> int:
        """The number of publications so far."""
        return self._version

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _LiveServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], site: LiveSite) -> None:
        self.site = site
        super().__init__(address, _LiveHandler)


class _LiveHandler(BaseHTTPRequestHandler):
    server: _LiveServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with a file, or with the stream of events."""
        path = unquote(urlsplit(self.path).path).lstrip("/")
        port = self.server.server_port
        # A foreign name that resolves to this machine must not read an unpublished exercise.
        if self.headers.get("Host", "") not in (f"{_HOST}:{port}", f"localhost:{port}"):
            self._send(HTTPStatus.FORBIDDEN, b"", "text/plain")
            return
        if path == _EVENTS:
            self._stream()
            return
        content = self.server.site.find_file(path)
        status = HTTPStatus.OK
        if content is None:
            content, path = self.server.site.find_file(NOT_FOUND) or b"", INDEX
            status = HTTPStatus.NOT_FOUND
        suffix = posixpath.splitext(path)[1]  # a path without a suffix is a page
        kind = _TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
        if not suffix or kind == "text/html":
            # The page's policy allows scripts from the same server.
            content = content.decode().replace("</head>", _HEAD, 1).encode()
            kind = "text/html; charset=utf-8"
        self._send(status, content, kind)

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def _stream(self) -> None:
        """Send an event for each new version, until the page is closed."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        version = self.server.site.version
        try:
            while (now := self.server.site.wait(version)) is not None:
                message = b": still here\n\n" if now == version else b"event: built\ndata: now\n\n"
                version = now
                self.wfile.write(message)
                self.wfile.flush()
        except OSError:
            # The page was closed.
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Print nothing, so that the terminal shows only the author's messages."""
