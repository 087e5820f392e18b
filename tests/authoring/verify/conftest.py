"""The real command, with a cache of the test's own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Verify: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]


def environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "XDG_CACHE_HOME": str(cache)}


@pytest.fixture
def verify(tmp_path: Path) -> Verify:
    """Run `etude verify` in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()

    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "grader.cli", "verify", *map(str, words)],
            cwd=folder,
            env=environment(tmp_path / "cache"),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run
