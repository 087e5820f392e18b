"""`etude check` where no sandbox exists: other systems, played by taking away what they lack."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import click
import pytest

from grader.cli import portable_check
from grader.definitions.collection import load_exercise_file
from grader.errors import SandboxFault
from grader.grading.results.verdict import Outcome, Verdict
from grader.sandbox.portable import PortableSandbox
from tests.grading.conftest import grade

_SYSTEM = """
import os, signal, socket, sys, zoneinfo  # which asks for the real system when it is imported

names = "fcntl grp pty pwd resource syslog termios tty"
if sys.argv[1] in ("check", "lesson"):  # they import nothing of ours that is for Linux alone
    names += (
        " grader.grading.workers.pool grader.sandbox.child grader.sandbox.confine"
        " grader.sandbox.process grader.sandbox.in_child.cpu_limit grader.sandbox.in_child.seccomp"
        " grader.sandbox.in_child.request_loop grader.sandbox.in_child.syscalls"
        " grader.sandbox.in_child.zygote"
    )
sys.modules |= dict.fromkeys(names.split())
LACKING = {
    os: "fork forkpty sched_getaffinity sched_setaffinity geteuid getuid memfd_create pread setsid "
        "O_NOFOLLOW O_NONBLOCK O_CLOEXEC O_DIRECTORY",
    signal: "SIGXCPU SIGALRM SIGPIPE SIGPROF SIGUSR1 setitimer alarm",
    socket: "AF_UNIX SOCK_SEQPACKET send_fds recv_fds socketpair",
}
for module, names in LACKING.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
sys.platform = "darwin"
from grader.cli.main import main
main()
"""
_EXERCISE = """\
id: small
title: Small
difficulty: beginner
xp: 1
instructions: Return twice x.
defines: {f: {}}
limits: {wall_seconds: 2}
starter: "def f(x): ...\\n"
solution: |
  def f(x):
      return 2.0 * x
explanation: Twice is twice.
tests:
  - {id: shown, given: {x: 3.0}, call: f(x), expect: 6.0}
  - {id: drawn, given: "x = rng.normal(size=3)", call: f(x), expect: solution}
  - id: in-body
    pytest: |
      assert f(np.ones(2)).tolist() == [2.0, 2.0]
"""
Run: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in a process without what only Linux, or only Unix, has."""
    monkeypatch.setenv("ETUDE_DATA", os.fspath(tmp_path / "data"))
    monkeypatch.delenv("CI", raising=False)
    (tmp_path / "small.yaml").write_text(_EXERCISE)
    (tmp_path / "mine.py").write_text("def f(x):\n    return 2.0 * x\n")
    command = [sys.executable, "-c", _SYSTEM]

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*command, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip

    return run


def test_check_works_without_anything_of_linux(elsewhere: Run) -> None:
    """Agreed to on the command line; the verdict says that it is not sandboxed."""
    finished = elsewhere("check", "./small.yaml", "mine.py", "--unsafe-no-sandbox")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "Not sandboxed" in finished.stdout
    assert "Passed: 3/3 points" in finished.stdout


@pytest.mark.slow
def test_a_lesson_can_be_read(elsewhere: Run) -> None:
    """Its cells run as a submission does there."""
    finished = elsewhere("lesson", "show", "softmax", "--unsafe-no-sandbox")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "To answer question 1: etude lesson show softmax --answer 1=" in finished.stdout


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "junit", "markdown", "html", "plain", "ctrf", "github"])
def test_every_report_is_stamped(elsewhere: Run, form: str) -> None:
    """Each says that nothing isolated the submission."""
    words = ("check", "./small.yaml", "mine.py", "--unsafe-no-sandbox", "--format", form)
    finished = elsewhere(*words)
    stamps = ('"sandbox": "none"', 'name="sandbox" value="none"', "Not sandboxed")
    assert any(stamp in finished.stdout for stamp in stamps)


@pytest.mark.slow
def test_nothing_else_goes_on_without_a_sandbox(elsewhere: Run, tmp_path: Path) -> None:
    """A check that no one has agreed to, and `grade` whatever is agreed to: a fault, no verdict."""
    finished = elsewhere("check", "./small.yaml", "mine.py", "--format", "markdown=out.md")
    assert (finished.returncode, finished.stdout) == (3, "")
    assert "answer its question" in finished.stderr
    assert "answer its question" in (tmp_path / "out.md").read_text()
    (tmp_path / "in").mkdir()
    for words in (["grade", "in"], ["grade", "in", "--unsafe-no-sandbox"], ["serve"]):
        finished = elsewhere(*words)
        assert (finished.returncode, finished.stdout) == (3, "")
        assert "needs Linux" in finished.stderr
    assert "check" in elsewhere("--help").stdout


def test_a_notebook_is_told_what_to_add_to_its_call(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Options of a command line are useless there."""
    monkeypatch.setenv("ETUDE_DATA", os.fspath(tmp_path / "data"))
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(SandboxFault, match="'unsafe=True' to the call"):
        portable_check.ask_consent(unsafe=False, answer=lambda _: "no")


def test_the_question_is_asked_once_and_never_in_ci(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A yes is remembered; a no is not; in CI an answer given before does not count."""
    monkeypatch.setenv("ETUDE_DATA", os.fspath(tmp_path / "data"))
    monkeypatch.delenv("CI", raising=False)
    answers = iter([False, True])
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(click, "confirm", lambda *_, **__: next(answers))
    with pytest.raises(SandboxFault):
        portable_check.PortablePool(unsafe=False)
    portable_check.PortablePool(unsafe=False)
    portable_check.PortablePool(unsafe=False)  # no third answer
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SandboxFault):
        portable_check.PortablePool(unsafe=False)


@pytest.fixture
def verdict(tmp_path: Path) -> Callable[[str], Verdict]:
    (tmp_path / "small.yaml").write_text(_EXERCISE)

    def grade_one(source: str) -> Verdict:
        return grade(load_exercise_file(tmp_path / "small.yaml"), source, PortableSandbox())

    return grade_one


@pytest.mark.slow
def test_an_endless_loop_is_stopped(verdict: Callable[[str], Verdict]) -> None:
    """After the wall clock's limit."""
    found = verdict("def f(x):\n    while True:\n        pass\n")
    assert found.outcome is Outcome.TIMED_OUT
    assert "Stopped after 2 s" in found.tests[0].message


@pytest.mark.slow
def test_output_and_ends_are_as_in_a_sandbox(verdict: Callable[[str], Verdict]) -> None:
    """What is printed is shown and capped; what is written past Python breaks nothing."""
    found = verdict(
        "import os\nprint('loaded')\ndef f(x):\n    os.write(1, b'raw')\n    return 2.0 * x\n"
    )
    assert (found.outcome, found.output) == (Outcome.PASSED, "loaded\n")
    found = verdict("def f(x):\n    print('x' * 100_000)\n    return 2.0 * x\n")
    assert found.outcome is Outcome.OUTPUT_LIMIT
    found = verdict("import os\ndef f(x):\n    os._exit(0)\n")
    assert found.outcome is Outcome.ERRORED
    found = verdict("def f(x):\n    return 2.0 * y\n")
    assert found.tests[0].line == 2


@pytest.mark.slow
def test_nothing_is_left_behind(
    verdict: Callable[[str], Verdict], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No folder of a child that has ended."""
    monkeypatch.setattr("tempfile.tempdir", os.fspath(tmp_path))
    verdict("def f(x):\n    return 2.0 * x\n")
    assert not list(tmp_path.glob("etude-*"))
