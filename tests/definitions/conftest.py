"""Definitions that the tests write and read back."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise_file
from grader.errors import DefinitionError

HERE = Path(__file__).parent


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, so that messages contain short paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def minimal() -> str:
    """A valid exercise with a call test and an output test, in which tests break single lines."""
    return (HERE / "minimal.yaml").read_text("utf-8")


@pytest.fixture
def problems_of(workdir: Path) -> Callable[[str | bytes], str]:
    """Write `x.yaml`, load it, and return its problems."""

    def load(content: str | bytes) -> str:
        data = content if isinstance(content, bytes) else content.encode()
        (workdir / "x.yaml").write_bytes(data)
        with pytest.raises(DefinitionError) as caught:
            load_exercise_file(Path("x.yaml"))
        return str(caught.value)

    return load
