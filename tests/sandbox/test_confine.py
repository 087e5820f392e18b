"""A worker gives up what an author's code does not need. Each test in a fork of its own."""

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import grader
from grader.sandbox.confine import confine_this_process
from grader.sandbox.in_child import syscalls
from grader.sandbox.limits import ONE_BLAS_THREAD


def in_a_confined_fork(
    attempts: dict[str, Callable[[], object]], readable: Sequence[Path] = ()
) -> dict[str, str]:
    """Return, for each attempt, the name of the error it met, or 'done'."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            confine_this_process(readable)
            met = {}
            for name, attempt in attempts.items():
                try:
                    attempt()
                    met[name] = "done"
                except OSError as error:
                    met[name] = type(error).__name__
            os.write(writing, json.dumps(met).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        answer = stream.read()
    os.waitpid(pid, 0)
    found: dict[str, str] = json.loads(answer)
    return found


def test_network_programs_and_signals_are_given_up() -> None:
    """Sockets but pairs of them, execve and signals are refused."""
    import socket

    found = in_a_confined_fork(
        {
            "tcp": lambda: socket.socket(socket.AF_INET),
            "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "pair": socket.socketpair,
            "run": lambda: os.execv("/bin/true", ["true"]),  # noqa: S606  it must be refused
            "signal its group": lambda: os.kill(0, 0),
        }
    )
    assert found == {
        "tcp": "PermissionError",
        "udp": "PermissionError",
        "pair": "done",
        "run": "PermissionError",
        "signal its group": "PermissionError",
    }


def test_a_blas_that_is_loaded_later_starts_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of a course has one of its own; it reads the environment in C."""
    for name in ONE_BLAS_THREAD:
        monkeypatch.delenv(name, raising=False)
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p

    def look() -> None:
        if not all(getenv(name.encode()) == b"1" for name in ONE_BLAS_THREAD):
            raise FileNotFoundError

    assert in_a_confined_fork({"look": look}) == {"look": "done"}


def test_the_environment_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable is left in Python, in C, or in the memory where it began."""
    monkeypatch.setenv("ETUDE_TEST_VALUE", "secret-of-the-parent")
    value = os.environb[b"ETUDE_TEST_VALUE"]
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    begin, end = map(int, fields[47:49])
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_void_p

    def must_be(expected: object, found: object) -> None:
        if found != expected:
            raise OSError(f"{found!r} is left")

    found = in_a_confined_fork(
        {
            "Python": lambda: must_be(
                {"MATPLOTLIBRC", "MPLBACKEND", "MPLCONFIGDIR"}, {*os.environ}
            ),
            "C": lambda: must_be(None, getenv(b"ETUDE_TEST_VALUE")),
            "bytes": lambda: must_be(bytes(len(value)), value),
            "began": lambda: must_be(bytes(end - begin), ctypes.string_at(begin, end - begin)),
        }
    )
    assert set(found.values()) == {"done"}
    assert os.environ["ETUDE_TEST_VALUE"] == "secret-of-the-parent"


@pytest.mark.skipif(not syscalls.landlock_version(), reason="this kernel has no Landlock")
def test_reading_is_given_up_but_of_python_and_what_is_named(tmp_path: Path) -> None:
    """A file may be named alone, a folder as a whole; links and other ways lead nowhere else."""
    for name in ("named", "beside", "in/file"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "beside")
    code = Path(grader.__file__)

    def read(path: str | Path) -> Callable[[], object]:
        return lambda: Path(path).read_bytes()

    refused = {
        str(path): read(path)
        for path in (
            tmp_path / "beside", tmp_path / "in" / "link", tmp_path / "in" / ".." / "beside",
            "/etc/passwd", code.parents[1] / "pyproject.toml", "/proc/self/environ",
            "/proc/self/mem", "/proc/self/cmdline", f"/proc/{os.getpid()}/environ",
        )
    }  # fmt: skip
    refused["list"] = lambda: list(tmp_path.iterdir())
    home = Path.home()  # afterwards nothing says where it is
    refused["home"] = lambda: list(home.iterdir())
    allowed = {
        str(path): read(path)
        for path in (tmp_path / "named", tmp_path / "in" / "file", code, np.__file__, os.__file__)
    }
    readable = [tmp_path / "named", tmp_path / "in", tmp_path / "missing"]
    found = in_a_confined_fork(refused | allowed, readable)
    assert {name: found[name] for name in allowed} == dict.fromkeys(allowed, "done")
    assert {name: found[name] for name in refused} == dict.fromkeys(refused, "PermissionError")


def test_modules_can_be_imported_later() -> None:
    """This holds for the standard library and its C libraries, NumPy, and the reference."""
    names = ("sqlite3", "ssl", "numpy.polynomial.chebyshev", "numpy.testing", "reference.gpt")
    code = f"""
import importlib, sys
from grader.sandbox.confine import confine_this_process
assert "numpy" not in sys.modules
confine_this_process()
for name in {names}:
    assert name not in sys.modules, name
    importlib.import_module(name)
"""
    environment = {**os.environ, **ONE_BLAS_THREAD}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


@pytest.mark.skipif(not syscalls.landlock_version(), reason="this kernel has no Landlock")
def test_writing_is_given_up(tmp_path: Path) -> None:
    """No file can be made, changed, cut, renamed or removed."""
    old = tmp_path / "old"
    old.write_text("as it was")
    found = in_a_confined_fork(
        {
            "make": (tmp_path / "new").touch,
            "change": lambda: old.write_text("x"),
            "append": lambda: old.open("a").close(),
            "rename": lambda: old.rename(tmp_path / "renamed"),
            "remove": old.unlink,
            "folder": (tmp_path / "d").mkdir,
        }
    )
    assert set(found.values()) == {"PermissionError"}
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert old.read_text() == "as it was"
