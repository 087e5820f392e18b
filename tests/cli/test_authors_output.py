"""The output of authors' code steers no terminal and commands no CI runner, in each command."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grader.sandbox.output_file import WORKER_PREFIX
from tests.conftest import TWICE

CODE = r"""
import contextlib, os, sys, threading
ESCAPES = "\x1b]0;title\x07\x9b31m\u202e\r\n::add-mask::mask\n  ::error::x\n##[error]##vso[task.complete]\n"

def shout():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            print("printed", ESCAPES, file=stream, flush=True)
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):  # it is full
            os.write(descriptor, b"written" + ESCAPES.encode())

shout()
with contextlib.suppress(RuntimeError):  # where no thread can be started
    thread = threading.Thread(target=shout)
    thread.start()
    thread.join()
with contextlib.suppress(OSError):
    if os.fork() == 0:
        shout()
        os._exit(0)
    os.wait()
with contextlib.suppress(OSError), open("/dev/tty", "w") as terminal:
    print(ESCAPES, file=terminal, flush=True)
"""
FLOOD = "for _ in range(3000): print('x' * 99)\n"
SOLUTION = "def double(x):\n    return 2 * x\n"
RAW = re.compile(
    rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae|^\s*::|##\w*\[", re.MULTILINE
)


def run(folder: Path, *words: str, **environment: str) -> tuple[bytes, bytes, int]:
    """Run a command as in a job of GitHub Actions."""
    finished = subprocess.run(
        [sys.executable, "-m", "grader.cli", *words],
        cwd=folder,
        env={**os.environ, "GITHUB_ACTIONS": "true", **environment},
        capture_output=True,
        timeout=300,
        check=False,
    )
    return finished.stdout, finished.stderr, finished.returncode


def indented(code: str) -> str:
    return "".join(f"      {line}\n" for line in code.splitlines())


def _nbgrader(solution: str, test: str) -> str:
    marks = {"solution": True, "grade_id": "double"}, {"grade": True, "grade_id": "check"}
    cells = [
        {"cell_type": "code", "source": source, "metadata": {"nbgrader": mark}}
        for source, mark in zip((f"{solution}# SOLUTION", test), marks, strict=True)
    ]
    return json.dumps({"nbformat": 4, "cells": cells})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write an exercise whose inputs shout, one whose inputs raise, a submission, and homework."""
    given = "    given: {x: [1.0, 2.0]}\n"
    assert given in TWICE
    loud = f"    given: |\n{indented(CODE)}      x = np.array([1.0, 2.0])\n"
    exercise = TWICE.replace(given, loud)
    files = {
        "loud/a/01-double.yaml": exercise,
        "flood/a/01-double.yaml": exercise.replace(loud, f"{loud}{indented(FLOOD)}"),
        "raises/a/01-double.yaml": exercise.replace(
            loud, f"{loud}      raise ValueError(ESCAPES)\n"
        ),
        "students/anna/double.py": SOLUTION,
        "homework/solution.py": f"{SOLUTION}{CODE}",
        "homework/test_solution.py": (
            f"from solution import double\n{CODE}\n"
            "def test_double():\n    shout()\n    assert double(1) == 2\n"
        ),
        "homework.ipynb": _nbgrader(SOLUTION, f"{CODE}\nassert double(1) == 2"),
    }
    track = "id: a\ntitle: A\ndescription: A track.\nexercises: [double]\n"
    for name in ("loud", "flood", "raises"):
        files[f"{name}/a/track.yaml"] = track
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


CHECK = ("check", "double", "students/anna/double.py", "--exercises")
VERIFY = ("verify", "--no-cache", "--exercises")
BUILD = ("site", "build", "--no-cache", "--output", "built", "--exercises")
COMMANDS = {
    "check": (0, *CHECK, "loud"),
    "check as json": (0, *CHECK, "loud", "--format", "json"),
    "check without a sandbox": (0, *CHECK, "loud", "--unsafe-no-sandbox"),
    "check of what raises": (2, *CHECK, "raises"),
    "check of a flood": (0, *CHECK, "flood"),
    "grade": (0, "grade", "students", "--exercises", "loud"),
    "verify": (1, *VERIFY, "loud"),
    "verify of what raises": (2, *VERIFY, "raises"),
    "site build": (0, *BUILD, "loud"),
    "site build of what raises": (2, *BUILD, "raises"),
    "import": (1, "import", "homework.ipynb", "--into", "imported"),
    "audit": (0, "audit", "homework", "--no-cache"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_an_author_s_code_writes_nothing_raw(folder: Path, name: str) -> None:
    """Whether it prints, writes to descriptors, starts a thread or a process, or raises."""
    status, *words = COMMANDS[name]
    stdout, stderr, ended = run(folder, *map(str, words))
    assert (ended, RAW.findall(stdout), RAW.findall(stderr)) == (status, [], []), stderr
    assert (WORKER_PREFIX.encode() + b"printed" in stderr) == (name != "audit")
    assert len(stderr) < 1 << 20
