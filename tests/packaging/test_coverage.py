"""Claims of docs/ about the content, checked against the content."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.own_collection import COLLECTION

ROOT = Path(__file__).parent.parent.parent
COVERAGE = ROOT / "docs" / "reference" / "coverage.md"


def test_every_id_in_the_coverage_exists() -> None:
    """A step of a source document is mapped to lessons and exercises that are really there."""
    exercises = {str(each.id) for each in COLLECTION.exercises}
    lessons = {str(each.id) for track in COLLECTION.tracks for each in track.definition.lessons}
    rows = [line for line in COVERAGE.read_text().splitlines() if re.match(r"\| [0-9]", line)]
    assert len(rows) >= 40
    for row in rows:
        _, _, in_lessons, in_exercises = (part.strip() for part in row.strip("|").split("|"))
        named = re.findall(r"`([^`]+)`", in_lessons), re.findall(r"`([^`]+)`", in_exercises)
        assert named[0] or named[1], row
        assert set(named[0]) <= lessons, row
        assert set(named[1]) <= exercises, row


def test_the_printed_numbers_are_compared_with_computed_ones() -> None:
    """The table of wrong numbers is what its script computes now."""
    script = ROOT / "scripts" / "printed_numbers.py"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    finished = subprocess.run([sys.executable, script, "--check"], check=False, env=environment)
    assert finished.returncode == 0
