"""The examples of the reference pages and of the cookbook, proven and run."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli.main import etude

EXAMPLES = Path(__file__).parents[2] / "docs" / "reference" / "examples"
DOCS = EXAMPLES.parents[1]
PAGES = ("reference/examples.md", "reference/lesson-format.md", "how-to/cookbook.md")
_WHOLE = re.compile(r"^```{literalinclude} (\S+)\n:language: \w+\n```$", re.MULTILINE)


def test_every_example_is_on_its_page() -> None:
    """Each definition and each lesson is included whole, and is the only one of its kind."""
    included = {
        (DOCS / page).parent.joinpath(name).resolve().relative_to(EXAMPLES)
        for page in PAGES
        for name in _WHOLE.findall((DOCS / page).read_text())
    }
    definitions = [*EXAMPLES.rglob("*.yaml"), *EXAMPLES.rglob("lessons/*.md")]
    unnamed = {"cookbook/course.yaml", "cookbook/recipes/track.yaml"}
    files = {path.relative_to(EXAMPLES) for path in definitions} - {Path(p) for p in unnamed}
    assert len(files) == 29
    assert files - included == set()


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="matplotlib is not installed; `make .venv/.dev` does it"
)
@pytest.mark.parametrize("command", ["verify", "lint"])
def test_the_example_that_draws_is_proven(command: str) -> None:
    """It is a course of its own, which needs matplotlib."""
    finished = CliRunner().invoke(etude, [command, "--exercises", str(EXAMPLES / "plots")])
    assert finished.exit_code == 0, finished.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "folder"),
    [
        ("verify", "."),
        ("lint", "."),
        ("lesson run", "."),
        pytest.param("verify", "cookbook", marks=pytest.mark.release),
        ("lint", "cookbook"),
    ],
)
def test_the_examples_are_proven(words: str, folder: str) -> None:
    """A reader who copies one begins with what is right."""
    finished = CliRunner().invoke(etude, [*words.split(), "--exercises", str(EXAMPLES / folder)])
    assert finished.exit_code == 0, finished.output
