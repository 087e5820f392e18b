"""Samples and their document: versions, files and commands that exist."""

import re
import shlex
from pathlib import Path

import pytest

from grader import __version__

ROOT = Path(__file__).parent.parent.parent
INTEGRATIONS = ROOT / "integrations"
DOCUMENT = (ROOT / "docs" / "how-to" / "integrations.md").read_text()
FILES = sorted(path for path in INTEGRATIONS.rglob("*") if path.is_file() and path.suffix != ".pyc")
VERSION = re.compile(r"(?<![\w.@-])v?\d+\.\d+\.\d+(?![\w.])|@v\d+\.\d+\.\d+")
WITH_VERSION = {
    "github/audit.yml", "github/grade.yml", "github/grade-private.yml", "github/pages.yml",
    "gitlab/.gitlab-ci.yml", "pre-commit/.pre-commit-config.yaml",
    "devcontainer/devcontainer.json",
}  # fmt: skip


ANOTHER_ACTION = re.compile(r"@[0-9a-f]{40} # v\S+")


def test_versions_are_this_one() -> None:
    """A copied sample uses the version of Etude that it came with."""
    found = {
        path.relative_to(INTEGRATIONS).as_posix(): set(
            VERSION.findall(ANOTHER_ACTION.sub("", path.read_text()))
        )
        for path in FILES
    }
    named = {name: versions for name, versions in found.items() if versions}
    assert set(named) == WITH_VERSION
    for name, versions in named.items():
        assert {version.lstrip("@") for version in versions} == {f"v{__version__}"}, name


def test_every_integration_is_in_the_document() -> None:
    """Each file is named there, and what is named there exists."""
    for path in FILES:
        assert path.relative_to(ROOT).as_posix() in DOCUMENT
    linked = re.findall(r"\]\(\.\./\.\./([^)#]+)\)", DOCUMENT)
    assert linked
    assert not [name for name in linked if not (ROOT / name).exists()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(INTEGRATIONS).as_posix())
def test_a_file_names_only_files_that_there_are(path: Path) -> None:
    """Paths within Etude that a sample uses lead somewhere."""
    named = re.findall(r"integrations/[\w./-]+", path.read_text())
    assert not [name for name in named if not (ROOT / name.rstrip(".")).exists()]


def test_the_document_s_commands_are_in_one_line() -> None:
    """Every block for a shell can be pasted: its words are closed."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert blocks
    for line in "".join(blocks).splitlines():
        assert shlex.split(line, comments=True)
