"""A clean checkout from git, and installations without a network."""

import hashlib
import http.server
import io
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
import venv
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from grader import __version__
from tests.conftest import DOUBLE
from tests.integrations.hostile import HostileCheckout

ROOT = Path(__file__).parent.parent.parent
_NOT_COPIED = (
    ".git", ".venv", "build", "dist", "node_modules", "__pycache__", ".*_cache", "*.egg-info",
    ".hypothesis",
)  # fmt: skip

Finished: TypeAlias = subprocess.CompletedProcess[str]
Run: TypeAlias = Callable[..., Finished]
InContainer: TypeAlias = Callable[..., list[str | Path]]
MakeHostile: TypeAlias = Callable[[str], HostileCheckout]
downloads: list[str] = []


def read_submission(student: str, exercise: str = "attention-weights") -> str:
    """Return a student's program among the examples."""
    return (ROOT / "examples" / "submissions" / student / f"{exercise}.py").read_text()


def wheel(whose: str, name: str = "demo", version: str = "1.0", metadata: str = "") -> bytes:
    """Return a wheel of one module that names its owner."""
    content = io.BytesIO()
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"print({whose!r})\n" if whose else "FACTOR = 1.0\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in files)
    with zipfile.ZipFile(content, "w") as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return content.getvalue()


@contextmanager
def index(
    name: str = "demo", version: str = "1.0", metadata: str = ""
) -> Iterator[tuple[str, Callable[[str], None]]]:
    """Serve one package, cacheable for a year; yield its address and a setter of its owner."""
    served = [b""]
    file = f"{name}-{version}-py3-none-any.whl"
    downloads.clear()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_wheel = self.path.endswith(file)
            if is_wheel:
                downloads.append(self.path)
            body = served[0] if is_wheel else f'<a href="/{file}">{file}</a>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain" if is_wheel else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "max-age=31536000")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    def serve(whose: str) -> None:
        served[0] = wheel(whose, name, version, metadata)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple", serve
        server.shutdown()


# Makes environments of `python -m venv` similar to this one: without a pip of their own, whose
# installation takes seconds, and with the same packages on their path.
_SITECUSTOMIZE = """\
import sys
if "venv" in sys.orig_argv:
    import pathlib, venv
    def post_setup(self, context, original=venv.EnvBuilder.post_setup):
        site = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
        packages = pathlib.Path(sys.prefix, site, "packages.pth").read_text()
        pathlib.Path(context.env_dir, site, "packages.pth").write_text(packages)
    venv.EnvBuilder.post_setup = post_setup
    venv.EnvBuilder._setup_pip = lambda self, context: None
"""


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all installed packages except Etude, so that pip finds its work done.

    An installation then runs as written, with the lock and its hashes, and downloads nothing.
    """
    folder = tmp_path_factory.mktemp("packages")
    folder.chmod(0o755)  # other users must be able to read it
    for place in dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib")):
        for path in Path(place).iterdir():
            if path.suffix != ".pth" and not path.name.startswith(("etude-", "_etude", "__")):
                (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="session")
def programs(packages: Path) -> Path:
    """A folder with this Python under every name that scripts look for, as on a runner.

    Its packages come from a .pth file, which `python -I` reads, unlike a PYTHONPATH.
    """
    base = packages / ".python"
    venv.create(base, symlinks=True)
    (site,) = base.glob("lib/python*/site-packages")
    (site / "packages.pth").write_text(f"{packages}\n")
    (site / "sitecustomize.py").write_text(_SITECUSTOMIZE)
    for number in range(11, 15):
        name = base / "bin" / f"python3.{number}"
        if not name.exists():
            name.symlink_to("python3")
    return base / "bin"


@pytest.fixture(scope="session")
def with_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a package, available in `offline`; one of its two exercises needs it."""
    folder = tmp_path_factory.mktemp("with-package") / "course"
    (folder / "one").mkdir(parents=True)
    content = wheel("", "etude_demo")
    (folder.parent / "etude_demo-1.0-py3-none-any.whl").write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    (folder / "requirements.txt").write_text(f"etude_demo==1.0 --hash=sha256:{digest}\n")
    (folder / "course.yaml").write_text("title: T\npackages: [etude_demo]\n")
    (folder / "one" / "track.yaml").write_text(
        "id: one\ntitle: O\ndescription: Two.\nexercises: [double, scaled]\n"
    )
    (folder / "one" / "01-double.yaml").write_text(DOUBLE)
    text = DOUBLE.replace("id: double\n", "id: scaled\n")
    text = text.replace("      return 2 * x\n", "      import etude_demo\n      return 2 * x\n")
    (folder / "one" / "02-scaled.yaml").write_text(text)
    return folder


# A submission that fits both exercises of that course.
USING = "from etude_demo import FACTOR\n\n\ndef double(x):\n    return 2 * x * int(FACTOR)\n"


@pytest.fixture(scope="session")
def offline(programs: Path, with_packages: Path) -> dict[str, str]:
    """The environment of a command that cannot download, and knows nothing of this checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PIP_", "ETUDE_", "GITHUB_", "GIT_", "VIRTUAL_ENV"))
    }
    author = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    committer = {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    return {
        **kept,
        **author,
        **committer,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHON": str(programs / "python3"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(with_packages.parent),
        "PIP_CONFIG_FILE": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


@pytest.fixture(scope="session")
def run(offline: dict[str, str]) -> Run:
    """Run a command offline, with further variables by name."""

    def run(*words: str | Path, cwd: Path, **variables: str) -> Finished:
        return subprocess.run(
            [str(word) for word in words],
            cwd=cwd,
            env={**offline, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory, run: Run) -> Path:
    """This checkout as a separate repository, with the tag that the samples name."""
    folder = tmp_path_factory.mktemp("repository") / "etude"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*_NOT_COPIED), symlinks=True)
    for words in (
        ("init", "--quiet", "--initial-branch=main"),
        ("add", "--all"),
        ("commit", "--quiet", "--message=all"),
        ("tag", f"v{__version__}"),
    ):
        finished = run("git", *words, cwd=folder)
        assert finished.returncode == 0, finished.stderr
    return folder


@pytest.fixture(scope="session")
def etude_venv(tmp_path_factory: pytest.TempPathFactory, checkout: Path, run: Run) -> Path:
    """An environment installed by `integrations/install` from that repository."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    script = checkout / "integrations" / "install"
    finished = run("sh", script, folder, cwd=folder.parent)
    assert finished.returncode == 0, finished.stderr
    return folder


@pytest.fixture
def hostile(tmp_path: Path) -> MakeHostile:
    """Make a hostile checkout in a named subfolder of the test's folder."""
    return lambda name: HostileCheckout.make(tmp_path / name)


@pytest.fixture(scope="session")
def in_container(packages: Path, checkout: Path) -> InContainer:
    """Return the arguments that run a command as in a container without privileges."""

    def words(
        *command: str | Path, visible: tuple[Path, ...], **options: object
    ) -> list[str | Path]:
        paths = (Path(sys.base_prefix), packages, *packages_behind(packages), checkout, *visible)
        shown = [word for path in paths for word in ("--visible", str(path))]
        flags = [f"--{name.replace('_', '-')}" for name, value in options.items() if value is True]
        values = [
            f"--{name}={value}"
            for name, value in options.items()
            if value is not None and not isinstance(value, bool)
        ]
        script = Path(__file__).parent / "container.py"
        return [sys.executable, script, *shown, *flags, *values, "--", *command]

    return words


def packages_behind(packages: Path) -> set[Path]:
    """Return the folders to which the links in `packages` point."""
    return {path.resolve().parent for path in packages.iterdir() if path.is_symlink()}
