"""A clean exercise for tests to break, and the real command."""

import functools
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.authoring.lint.lint_report import LintReport, lint
from grader.authoring.targets import TargetGroup
from tests.authoring.golden_cases import LINT

CLEAN = LINT.text("clean")

Run = Callable[..., subprocess.CompletedProcess[str]]
Spoiled = Callable[..., LintReport]


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, so that messages contain short paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def spoiled(workdir: Path) -> Spoiled:
    """Replace parts of the clean exercise, and lint the result as `x.yaml`."""

    def lint_it(*pairs: tuple[str, str]) -> LintReport:
        text = CLEAN
        for there, instead in pairs:
            assert there in text
            text = text.replace(there, instead)
        path = Path("x.yaml")
        (workdir / path).write_text(text, "utf-8")
        return lint([TargetGroup((path,))])

    return lint_it


@pytest.fixture
def run(etude: Run) -> Run:
    """Run `etude lint` in an empty folder, and return the finished process."""
    return functools.partial(etude, "lint")


@pytest.fixture
def clean() -> str:
    """The text of an exercise for which no rule reports anything, except the schema line."""
    return CLEAN
