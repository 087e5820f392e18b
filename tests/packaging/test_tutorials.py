"""The tutorials, followed as they are written, from an empty folder with the wheel installed."""

import contextlib
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.packaging.conftest import Installed

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
# `Save this as `name`:` and a block, or a block for a shell, or what the commands before it print.
_STEP = re.compile(
    r"(?:^Save this as `([^`]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
_STATUS = re.compile(r"# status (\d)")


def steps(page: Path) -> list[tuple[str, str, str]]:
    """Return file name, language and text of each block of a page."""
    return _STEP.findall(page.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_works_as_it_is_written(
    page: Path, tmp_path: Path, installed: Installed
) -> None:
    """Every command ends with the status the page says, and prints the lines that it shows."""
    environment = {
        **installed.environment,
        "PATH": f"{installed.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "ETUDE_DATA": str(tmp_path / "data"),
        "COLUMNS": "120",
    }
    folder = tmp_path / "empty"
    folder.mkdir()
    try:
        follow(page, folder, environment)
    finally:
        if (pid := folder / "server.pid").exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid.read_text()), signal.SIGTERM)


def follow(page: Path, folder: Path, environment: dict[str, str]) -> None:
    """Save each file, run each command, and look for each line that is shown."""
    printed = ""
    for name, language, text in steps(page):
        if name:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif language == "sh":
            printed = ""
            for command in text.replace("\\\n", " ").splitlines():
                if command.startswith("export "):
                    variable, _, value = command.removeprefix("export ").partition("=")
                    environment[variable] = value
                    continue
                finished = subprocess.run(
                    ["/bin/sh", "-c", command],
                    cwd=folder,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=1800,
                )
                expected = _STATUS.search(command)
                wanted = int(expected[1]) if expected else 0
                assert finished.returncode == wanted, (
                    f"{command}\n{finished.stdout}{finished.stderr}"
                )
                printed += finished.stdout
        elif language == "text":
            lines = [line.rstrip() for line in printed.splitlines()]
            for line in text.splitlines():
                assert line.rstrip() in lines, f"{line!r} is not in:\n{printed}"


def test_every_tutorial_has_commands() -> None:
    """There is something to follow on each page."""
    assert {page.stem for page in PAGES} >= {"learner", "instructor", "ci", "operator"}
    for page in PAGES:
        assert any(language == "sh" for _, language, _ in steps(page)), page.name
