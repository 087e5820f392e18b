"""GitHub's runner: what it does with the steps of a workflow or an action.

Actions that a step `uses` are noted, not executed.
"""

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.integrations.conftest import Run

FOLDER = Path(__file__).parents[2] / "integrations" / "github"
BASH = shutil.which("bash") or "/bin/bash"
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")

# Inputs that a shell, or a command line, could take for more than words.
COMMANDS = (
    '"; touch pwned; "\'; touch pwned; $(touch pwned)`touch pwned`\ntouch pwned\n${{ secrets.x }}'
)
OPTIONS = "--unsafe-no-sandbox --output=pwned"


@dataclass
class Runner:
    """Runs the steps of a job or of a composite action in a workspace."""

    run: Run
    workspace: Path
    temp: Path
    action_path: Path
    inputs: Mapping[str, str] = field(default_factory=dict)
    prefix: Callable[..., list[str | Path]] = lambda *command: list(command)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    used: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    log: str = ""
    path: str = ""  # in place of PATH, until a step sets Python up

    @property
    def summary(self) -> str:
        """What the job's summary page shows."""
        path = self.workspace.parent / "summary.md"
        return path.read_text("utf-8") if path.exists() else ""

    def steps(self, steps: list[dict[str, Any]]) -> int:
        """Run until a step fails; return its status."""
        for number, step in enumerate(steps):
            if not self._wanted(step.get("if", "")):
                continue
            if "uses" in step:
                given = {
                    name: self.evaluate(str(text)) for name, text in step.get("with", {}).items()
                }
                self.used.append((step["uses"].partition("@")[0], given))
                self.path = ""
            elif status := self._run(step, step.get("id", f"step{number}")):
                return status
        return 0

    def evaluate(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: self._value(found[1]), text)

    def _value(self, expression: str) -> str:
        first, _, rest = expression.partition(" || ")
        if first.startswith("hashFiles("):
            return "hash"
        if first.startswith("'"):
            return first.strip("'")
        context, _, name = first.partition(".")
        if context == "inputs":
            value = self.inputs[name]
        elif context == "runner":
            value = {"temp": str(self.temp), "os": "Linux", "arch": "X64"}[name]
        elif context == "github":
            value = {"action_path": str(self.action_path), "action_ref": "v0"}[name]
        else:
            assert context == "steps", expression
            step, _, output = name.partition(".outputs.")
            value = self.outputs.get(step, {}).get(output, "")
        return value or (self._value(rest) if rest else "")

    def _wanted(self, condition: str) -> bool:
        if condition in ("", "always()"):
            return True
        left, right = condition.split(" == ")
        return self._value(left) == right.strip("'")

    def _run(self, step: Mapping[str, Any], name: str) -> int:
        output, script = self.temp / f"{name}.output", self.temp / f"{name}.sh"
        output.touch()
        output.chmod(0o666)
        script.write_text(step["run"])
        variables = {key: self.evaluate(str(text)) for key, text in step.get("env", {}).items()}
        finished = self.run(
            *self.prefix(BASH, "--noprofile", "--norc", "-e", "-o", "pipefail", script),
            cwd=self.evaluate(step.get("working-directory", str(self.workspace))),
            **variables,
            **({"PATH": self.path} if self.path else {}),
            GITHUB_ACTIONS="true",
            GITHUB_OUTPUT=str(output),
            GITHUB_STEP_SUMMARY=str(self.workspace.parent / "summary.md"),
            GITHUB_ACTION_PATH=str(self.action_path),
            RUNNER_TEMP=str(self.temp),
        )
        self.log += finished.stdout + finished.stderr
        lines = output.read_text().splitlines()
        self.outputs[name] = dict(line.split("=", 1) for line in lines)
        return finished.returncode
