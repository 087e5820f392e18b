"""The command, with a separate cache for each test."""

from functools import partial
from pathlib import Path

import pytest

from tests.conftest import Etude


@pytest.fixture
def verify(etude: Etude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Etude:
    """Run `etude verify` in an empty folder."""
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return partial(etude, "verify", cwd=folder)
