"""The command, and a document without mistakes."""

from functools import partial
from pathlib import Path

import pytest

from tests.conftest import Etude

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


@pytest.fixture
def etude_import(etude: Etude, tmp_path: Path) -> Etude:
    """Run `etude import` in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    return partial(etude, "import", cwd=folder)


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A document with one correct exercise."""
    path = tmp_path / "sound.md"
    path.write_text(SOUND)
    return path
