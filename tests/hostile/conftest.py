"""Targets of attacks: long-lived sandboxes, and secrets on the host."""

import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import grader
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.sandbox.examination import examine
from grader.sandbox.process import Sandbox

GUARDED = Path(__file__).parent / "exercise" / "guarded.yaml"
TOKEN_NAME, TOKEN = "ETUDE_HOSTILE_TOKEN", "CANARY-TOKEN-IN-THE-ENVIRONMENT"


class Sandboxes:
    """One sandbox of each kind, started once and used for every attack."""

    def __init__(self) -> None:
        found = examine()
        self._reasons = {each.backend.name: each.reason for each in found if not each.works}
        self._backends = {each.backend.name: each.backend for each in found}
        self._open: dict[str, Sandbox] = {}
        self._families: dict[str, set[int]] = {}

    def get(self, name: str) -> Sandbox:
        """Return the sandbox with this name; skip the test with a reason if it is unavailable."""
        if name in self._reasons:
            pytest.skip(f"{name}: {self._reasons[name]}")
        if name not in self._open:
            self._open[name] = Sandbox(self._backends[name])
            self._open[name].wait_until_ready()
            self._families[name] = self.descendants(name)
        return self._open[name]

    def family(self, name: str) -> set[int]:
        """Return the processes of a sandbox without a submission."""
        return self._families[name]

    def descendants(self, name: str) -> set[int]:
        """Return the current processes of a sandbox."""
        found: set[int] = set()
        waiting = {self._open[name].pid}
        while waiting:
            found |= waiting
            waiting = {child for pid in waiting for child in _children(pid)}
        return found

    def renew(self, name: str) -> None:
        """Discard a sandbox that an attack broke, so that only one test fails."""
        self._open.pop(name).close()

    def close(self) -> None:
        """Close all sandboxes."""
        for name in list(self._open):
            self.renew(name)


def _children(pid: int) -> list[int]:
    """Return the children of all threads of a process, or none if it has just ended."""
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            found += map(int, path.read_text().split())
    return found


class Target:
    """World-writable files and listeners, all of which must stay untouched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.exercise_path = folder / "guarded.yaml"
        self.peer_file = folder / "peer.txt"
        self.mark = f"hm{os.getpid()}"
        self._listeners: dict[str, socket.socket] = {}
        shutil.copyfile(GUARDED, self.exercise_path)
        self.peer_file.write_text("CANARY-PEER-FILE")
        folder.chmod(0o777)  # file modes must not be what stops an attack
        self.exercise_path.chmod(0o644)
        self.peer_file.chmod(0o666)

    def listen(self, stack: contextlib.ExitStack) -> None:
        """Open the listeners."""
        unix = str(self.folder / "socket")
        abstract = f"\0{self.mark}"
        for name, family, kind, address in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("unix", socket.AF_UNIX, socket.SOCK_STREAM, unix),
            ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, abstract),
            ("abstract datagram", socket.AF_UNIX, socket.SOCK_DGRAM, f"{abstract}.d"),
        ):
            listener = stack.enter_context(socket.socket(family, kind))
            listener.bind(address)
            listener.setblocking(False)
            if kind == socket.SOCK_STREAM:
                listener.listen()
            self._listeners[name] = listener
        Path(unix).chmod(0o777)

    @property
    def words(self) -> dict[str, str]:
        """The replacements of the placeholders in an attack."""
        return {
            "EXERCISE_PATH": str(self.exercise_path),
            "PEER_FILE": str(self.peer_file),
            "GRADER_PID": str(os.getpid()),
            "GRADER_FOLDER": str(Path(grader.__file__).parent),
            "PORT": str(self._listeners["tcp"].getsockname()[1]),
            "UDP_PORT": str(self._listeners["udp"].getsockname()[1]),
            "SOCKET_PATH": str(self.folder / "socket"),
            "ABSTRACT": self.mark,
            "MARK": self.mark,
            "TOKEN_NAME": TOKEN_NAME,
            "ESCAPE": "\x1b",
            "NUL": "\0",
        }

    @contextlib.contextmanager
    def untouched(self) -> Iterator[None]:
        """Check that the block writes no file and that no one connects."""
        self._callers()
        before = self._look()
        yield
        assert self._look() == before
        assert self._callers() == []

    def _look(self) -> dict[str, tuple[int, int, int, bytes]]:
        seen = {}
        for path in sorted(self.folder.iterdir()):
            status = path.stat()
            content = path.read_bytes() if path.is_file() else b""
            seen[path.name] = (status.st_mode, status.st_mtime_ns, status.st_ctime_ns, content)
        return seen

    def _callers(self) -> list[str]:
        called = []
        for name, listener in self._listeners.items():
            with contextlib.suppress(BlockingIOError):
                if listener.type == socket.SOCK_STREAM:
                    listener.accept()[0].close()
                else:
                    listener.recv(100)
                called.append(name)
        return called


@pytest.fixture(scope="session")
def sandboxes() -> Iterator[Sandboxes]:
    """Every available sandbox, started with a token in the environment."""
    opened = Sandboxes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TOKEN_NAME, TOKEN)
        yield opened
    opened.close()


@pytest.fixture(scope="session")
def target() -> Iterator[Target]:
    """The targets of attacks, in a folder that anyone can enter."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        made = Target(Path(folder))
        made.listen(stack)
        yield made


@pytest.fixture(scope="session")
def guarded(target: Target) -> Exercise:
    """The exercise that contains canaries everywhere."""
    return load_exercise_file(target.exercise_path)
