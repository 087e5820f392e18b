"""The documentation site, built as `make docs` builds it."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

ROOT = Path(__file__).parents[2]
Build: TypeAlias = Callable[[], "subprocess.CompletedProcess[str]"]

pytestmark = pytest.mark.slow


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the documents and of all that they link to."""
    for name in ("docs", "scripts", "integrations", "deploy", "benchmarks"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.rmtree(tmp_path / "docs" / "reference" / "generated", ignore_errors=True)
    for path in ROOT.glob("*.md"):
        shutil.copy(path, tmp_path)
    return tmp_path


@pytest.fixture
def build(tree: Path) -> Build:
    words = ("--quiet", "--fail-on-warning", "--keep-going", "docs", "build/docs")
    assert f"-m sphinx {' '.join(words)}" in (ROOT / "Makefile").read_text()

    def build() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "sphinx", *words],
            cwd=tree,
            capture_output=True,
            text=True,
            check=False,
            timeout=1800,
        )

    return build


def test_the_site_is_built_without_a_warning_and_works_offline(tree: Path, build: Build) -> None:
    """No page loads anything from elsewhere, and the generated pages are there."""
    finished = build()
    assert (finished.returncode, finished.stderr) == (0, "")
    pages = sorted((tree / "build" / "docs").rglob("*.html"))
    assert len(pages) > 15
    loads = re.compile(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="((?:https?:)?//[^"]+)"')
    assert [(page.name, url) for page in pages for url in loads.findall(page.read_text())] == []
    generated = tree / "docs" / "reference" / "generated"
    assert "etude check [OPTIONS] EXERCISE [FILE]" in (generated / "command-line.md").read_text()
    assert "| `cpu_seconds` | `cpu_seconds` | 3 s | 30 s |" in (generated / "limits.md").read_text()
    assert "## reference.softmax" in (generated / "reference-functions.md").read_text()
    assert "Grader.submit(self, exercise" in (generated / "python-api-names.md").read_text()


@pytest.mark.release
def test_a_link_that_leads_nowhere_is_an_error(tree: Path, build: Build) -> None:
    """A page, a heading or a file that is not there: the page and line are named."""
    page = tree / "docs" / "how-to" / "lti.md"
    line = len(page.read_text().splitlines())
    with page.open("a") as file:
        for link in ("nowhere.md", "service.md#nowhere", "../../integrations/nowhere"):
            file.write(f"\nSee [this]({link}).\n")
    finished = build()
    assert finished.returncode != 0
    for number in (2, 4, 6):
        assert f"lti.md:{line + number}: WARNING" in finished.stderr
