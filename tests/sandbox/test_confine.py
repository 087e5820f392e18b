"""The grading process gives up what an author's code does not need. Each test in a fork of its own."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.sandbox.confine import confine_this_process
from grader.sandbox.inside import syscalls


def in_a_confined_fork(attempts: dict[str, Callable[[], object]]) -> dict[str, str]:
    """Return, for each attempt, the name of the error it met, or 'done'."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            confine_this_process()
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
    """Sockets but UNIX ones, execve and signals are refused; reading goes on."""
    import socket  # noqa: PLC0415

    found = in_a_confined_fork(
        {
            "tcp": lambda: socket.socket(socket.AF_INET),
            "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "pair": socket.socketpair,
            "run": lambda: os.execv("/bin/true", ["true"]),  # noqa: S606
            "read": lambda: Path("/etc/passwd").read_text(),
            "signal its group": lambda: os.kill(0, 0),
        }
    )
    assert found == {
        "tcp": "PermissionError",
        "udp": "PermissionError",
        "pair": "done",
        "run": "PermissionError",
        "read": "done",
        "signal its group": "PermissionError",
    }


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
