"""The installer, where a student's checkout holds what pip would take for its own."""

import http.server
import io
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integrations.conftest import ROOT, Run

_NAME = "demo-1.0-py3-none-any.whl"


def wheel(whose: str) -> bytes:
    """Return a wheel of one module, which says whose it is."""
    content = io.BytesIO()
    files = {
        "demo.py": f"print({whose!r})\n",
        "demo-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n",
        "demo-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files["demo-1.0.dist-info/RECORD"] = "".join(f"{name},,\n" for name in files)
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


@contextmanager
def index() -> Iterator[tuple[str, Callable[[str], None]]]:
    """Serve one package, to be kept for a year; yields the address, and what changes its owner."""
    served = [b""]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_wheel = self.path.endswith(_NAME)
            body = served[0] if is_wheel else f'<a href="/{_NAME}">{_NAME}</a>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain" if is_wheel else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "max-age=31536000")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    def serve(whose: str) -> None:
        served[0] = wheel(whose)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple", serve
        server.shutdown()


@pytest.mark.slow
def test_no_cache_of_pip_in_the_checkout_is_believed(
    run: Run, offline: dict[str, str], tmp_path: Path
) -> None:
    """Projects on GitLab often keep PIP_CACHE_DIR in the checkout, where a student can fill it."""
    project, environment = tmp_path / "project", tmp_path / "environment"
    project.mkdir()
    with index() as (address, serve):
        variables = {
            "PIP_CACHE_DIR": str(project / ".cache" / "pip"),
            "PIP_INDEX_URL": address,
            "PIP_NO_INDEX": "0",
            "PIP_TRUSTED_HOST": "127.0.0.1",
        }
        serve("the student's")
        words = ("-m", "pip", "download", "--quiet", "--dest", tmp_path / "home", "demo==1.0")
        run(offline["PYTHON"], *words, cwd=project, **variables)
        assert any(path.is_file() for path in project.rglob("*"))
        serve("the index's")
        script = ROOT / "integrations" / "install"
        done = run("sh", script, environment, "demo==1.0", cwd=project, **variables)
        assert done.returncode == 0, done.stderr
    said = run(environment / "bin" / "python", "-I", "-c", "import demo", cwd=tmp_path)
    assert said.stdout == "the index's\n"
