"""The real command, and a document in which everything is right."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Import: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]

COMMAND = (
    "from grader.cli import main; main._COMMANDS.setdefault('import', 'grader.cli.import_'); "
    "main.main()"
)

SOUND = """\
Some words.

{
  type: 'exercise',
  id: 'halve',
  title: 'Halve it',
  difficulty: 'beginner',
  exerciseType: 'write',
  instructions: 'Write halve(x), which returns half of x.',
  starterCode: 'def halve(x):\\n    ...',
  testCases: [
    { id: 'four', input: 'print(halve(4.0))', expectedOutput: '2.0', description: 'half of 4' },
    { id: 'others', input: 'print(halve(3.0), halve(-10.0))', expectedOutput: '1.5 -5.0', hidden: true },
  ],
  hints: ['Divide.', 'By 2.'],
  solution: 'def halve(x):\\n    return x / 2',
  solutionExplanation: 'A half is one of two parts.',
  xpReward: 5,
}
"""


def run_import(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", COMMAND, "import", *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def etude_import(tmp_path: Path) -> Import:
    """Run `etude import` in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()

    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return run_import(*words, cwd=folder)

    return run


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A document with one exercise that is right."""
    path = tmp_path / "sound.md"
    path.write_text(SOUND)
    return path
