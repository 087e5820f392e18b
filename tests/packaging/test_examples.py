"""The examples of the reference pages, proven and run."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli.main import etude

EXAMPLES = Path(__file__).parents[2] / "docs" / "reference" / "examples"
PAGES = EXAMPLES.parent


def test_every_example_is_on_its_page() -> None:
    """Each definition and each lesson is included whole, and is the only one of its kind."""
    pages = "".join((PAGES / f"{name}.md").read_text() for name in ("examples", "lesson-format"))
    files = [*EXAMPLES.rglob("*.yaml"), *EXAMPLES.rglob("lessons/*.md")]
    assert len(files) == 11
    assert [
        p.name for p in files if f"{{literalinclude}} {p.relative_to(PAGES)}" not in pages
    ] == []


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="matplotlib is not installed; `make .venv/.dev` does it"
)
@pytest.mark.parametrize("command", ["verify", "lint"])
def test_the_example_that_draws_is_proven(command: str) -> None:
    """It is a course of its own, which needs matplotlib."""
    done = CliRunner().invoke(etude, [command, "--exercises", str(EXAMPLES / "plots")])
    assert done.exit_code == 0, done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("verify",), ("lint",), ("lesson", "run")], ids=["proof", "lint", "lesson"]
)
def test_the_examples_are_proven(words: tuple[str, ...]) -> None:
    """A reader who copies one begins with what is right."""
    done = CliRunner().invoke(etude, [*words, "--exercises", str(EXAMPLES)])
    assert done.exit_code == 0, done.output
