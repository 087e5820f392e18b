"""The GitHub Action that audits, run step by step as the runner runs it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml

from tests.integrations.conftest import Run
from tests.integrations.github_runner import COMMANDS, FOLDER, OPTIONS, Runner

Audit: TypeAlias = Callable[..., tuple[int, Runner]]

SOLUTION = "def double(x):\n    return 2 * x\n"
WEAK = "from solution import double\n\n\ndef test_two():\n    assert double(2) > 1\n"
STRONG = WEAK + "\n\ndef test_three():\n    assert double(3) == 6\n"


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((FOLDER / "audit" / "action.yml").read_text())
    return loaded


@pytest.fixture(scope="module")
def temp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runner-temp")


@pytest.fixture
def audit(action: dict[str, Any], temp: Path, checkout: Path, run: Run, tmp_path: Path) -> Audit:
    """Run the action with inputs, on an assignment with these tests."""

    def audit(tests: str, inputs: Mapping[str, str]) -> tuple[int, Runner]:
        workspace = tmp_path / "workspace"
        (workspace / "homework").mkdir(parents=True, exist_ok=True)
        (workspace / "homework" / "solution.py").write_text(SOLUTION)
        (workspace / "homework" / "test_solution.py").write_text(tests)
        # Nothing here may be imported by the Python that runs Etude.
        (workspace / "click.py").write_text("open('/dev/null/ran')\n")
        (tmp_path / "summary.md").touch()
        given = {name: about["default"] for name, about in action["inputs"].items()}
        path = checkout / "integrations" / "github" / "audit"
        runner = Runner(run, workspace, temp, path, inputs={**given, **inputs})
        return runner.steps(action["runs"]["steps"]), runner

    return audit


@pytest.mark.slow
def test_holes_fail_the_job(audit: Audit) -> None:
    """Status 1 with a summary and the reports; with better tests status 0."""
    inputs = {"path": "homework", "reports": "sarif=a.sarif\nbadge=a.svg"}
    status, runner = audit(WEAK, inputs)
    assert status == 1, runner.log
    assert runner.outputs["audit"] == {"outcome": "holes"}
    assert "## homework" in runner.summary
    assert (runner.workspace / "a.sarif").is_file()
    assert (runner.workspace / "a.svg").is_file()
    status, runner = audit(WEAK, {**inputs, "fail-under": "0"})
    assert status == 0, runner.log
    named = {
        "solution": "homework/solution.py",
        "tests": "homework/test_solution.py\n",
        "path": "homework",
    }
    status, runner = audit(STRONG, named)
    assert (status, runner.outputs["audit"]) == (0, {"outcome": "clean"}), runner.log


@pytest.mark.slow
def test_what_cannot_be_audited_is_told_apart(audit: Audit) -> None:
    """Status 2, and the sentence in the log."""
    status, runner = audit("from solution import double\n", {"path": "homework"})
    assert (status, runner.outputs["audit"]) == (2, {"outcome": "not audited"})
    assert "homework/test_solution.py:1:1: there is no test in it" in runner.log


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize(
    "name", ["path", "solution", "tests", "accepted", "fail-under", "reports", "requirements"]
)
@pytest.mark.parametrize("text", [COMMANDS, OPTIONS], ids=["commands", "options"])
def test_an_input_is_never_a_program(audit: Audit, name: str, text: str) -> None:
    """Whatever an input holds is words to Etude or to pip: no command, and no option."""
    status, runner = audit(WEAK, {"path": "homework", name: text})
    assert status in (1, 2), runner.log
    found = {path.name for path in (*runner.workspace.rglob("*"), *runner.temp.iterdir())}
    assert "pwned" not in found
