"""The isolation holds for every user who starts the grader: root, an ordinary user, or either in a container.

The other tests here run as the user who started them. These run what looks at a child from within
as other users, and see that it did run, in each sandbox that such a user gets.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.sandbox.backends import LANDLOCK
from grader.sandbox.examination import examine

ROOT = Path(__file__).parents[2]
CONTAINER = ROOT / "tests" / "integrations" / "container.py"
ISOLATION = Path(__file__).with_name("test_isolation.py")
ORDINARY = ["--user", "4321"]  # no one's number


def run_as(options: list[str], *command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a container's root or another user, with a folder to write to."""
    visible = [f"--visible={path}" for path in (sys.base_prefix, sys.prefix, ROOT)]
    folder.chmod(0o777)
    return subprocess.run(
        [sys.executable, CONTAINER, *options, *visible, "--", *command],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    )


def outcomes_as(options: list[str], folder: Path) -> set[tuple[str, str]]:
    """Run the tests of isolation as a user; return each sandbox with its outcomes."""
    words = ["-m", "pytest", "-v", "-p", "no:cacheprovider", str(ISOLATION)]
    run = run_as(options, sys.executable, *words, folder=folder)
    assert run.returncode == 0, run.stdout + run.stderr
    found = re.findall(r"\[(\w+)[^]]*\] (PASSED|SKIPPED)", run.stdout)
    assert len(found) > 10, run.stdout
    return set(found)


@pytest.fixture(autouse=True)
def _landlock() -> None:
    """Require Landlock where user namespaces are missing."""
    (examination,) = examine([LANDLOCK])
    if not examination.works:
        pytest.skip(f"landlock: {examination.reason}")


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that every user can reach, unlike pytest's."""
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def test_an_ordinary_user_s_submissions_are_isolated(folder: Path) -> None:
    """In namespaces, where the host lets its users have them, and without."""
    options = [*ORDINARY, "--user-namespaces"]
    has_namespaces = run_as(options, "unshare", "--user", "true", folder=folder).returncode == 0
    found = outcomes_as(options, folder)
    assert ("landlock", "PASSED") in found
    assert (("namespaces", "PASSED") in found) == has_namespaces


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ORDINARY], ids=["root", "ordinary"])
def test_without_user_namespaces_submissions_are_isolated(options: list[str], folder: Path) -> None:
    """In a container without privileges, as its root and as another user."""
    if os.geteuid() != 0 and not options:
        pytest.skip("only root can be a container's root")
    assert outcomes_as(options, folder) == {("landlock", "PASSED"), ("namespaces", "SKIPPED")}
