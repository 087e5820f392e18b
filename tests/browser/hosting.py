"""A static file host: correct types, compressed text, an error page, and no special headers."""

import gzip
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

# A host of project pages serves each site in its own folder.
BASE: Final = "/etude/"

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}
_COMPRESSED: Final = {".css", ".html", ".js", ".json", ".mjs", ".svg", ".txt"}


@contextmanager
def hosted(folder: Path, *, without: str = "/") -> Iterator[str]:
    """Serve a built site to this machine while in use; yield its address.

    The server is a separate process, because tests of the sandbox fork this one.

    Args:
        folder: The site.
        without: A path prefix that this host lacks, as if the files had been lost.
    """
    command = [sys.executable, __file__, str(folder), without]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        process.stdin.close()  # ends it, as the end of this process would


def _main(folder: str, without: str) -> None:
    """Serve until the parent process closes its end of the pipe."""
    _Handler.site = Path(folder)
    _Handler.lost = without
    with _Server(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"http://127.0.0.1:{server.server_port}{BASE}", flush=True)  # noqa: T201  the answer
        sys.stdin.read()
        server.shutdown()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a browser keeps its connections open

    def handle_error(self, *_: object) -> None:
        """Ignore errors: a browser that leaves a page also drops its downloads."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are two writes
    site: Path
    lost: str

    def do_GET(self) -> None:
        """Send a file, or the error page."""
        path = self._file()
        if path is None:
            self._send(HTTPStatus.NOT_FOUND, self.site / "404.html")
        elif path.is_dir():
            # Like static hosts: a folder's address ends with a slash.
            self.send_response(HTTPStatus.MOVED_PERMANENTLY)
            self.send_header("Location", f"{urlsplit(self.path).path}/")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._send(HTTPStatus.OK, path)

    def _file(self) -> Path | None:
        wanted = unquote(urlsplit(self.path).path)
        inside = wanted.removeprefix(BASE)
        if inside == wanted or ".." in inside.split("/") or inside.startswith(self.lost):
            return None
        path = self.site / inside
        if wanted.endswith("/"):
            path /= "index.html"
        return path if path.exists() else None

    def _send(self, status: HTTPStatus, path: Path) -> None:
        content = path.read_bytes()
        ahead = path.with_name(f"{path.name}.gz")
        zipped = "gzip" in self.headers.get("Accept-Encoding", "")
        zipped &= ahead.is_file() or path.suffix in _COMPRESSED
        if zipped:
            content = ahead.read_bytes() if ahead.is_file() else _gzip(content)
        self.send_response(status)
        self.send_header("Content-Type", _TYPES.get(path.suffix, "application/octet-stream"))
        if zipped:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@cache
def _gzip(content: bytes) -> bytes:
    return gzip.compress(content)


if __name__ == "__main__":
    _main(*sys.argv[1:])
