"""New entries in an exercise's file: in the right list, with all else as it was."""

from pathlib import Path

import pytest

from grader.authoring.add_entry import add_entry
from grader.definitions.collection import load_exercise_file
from grader.errors import UsageError
from tests.authoring.golden_cases import VERIFY

PROVEN = VERIFY.text("proven")
EQUIVALENT = "equivalent:\n- change: a\n  reason: b  # why\n# of the solution\n\nsolution: |"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An exercise that has misconceptions and no equivalents."""
    (tmp_path / "proven.yaml").write_text(PROVEN)
    return tmp_path / "proven.yaml"


def test_an_entry_goes_behind_the_last_one(path: Path) -> None:
    """Text of several lines, quotes and colons stay as they are; so does every other line."""
    code = 'def scaled_scores(Q, K):\n    return {"a: b": "#"}\n'
    line = add_entry(path, "misconceptions", {"id": "b", "code": code, "feedback": "A: 'b'."})
    added = load_exercise_file(path).misconceptions[1]
    assert (added.id, added.code, added.feedback) == ("b", code, "A: 'b'.")
    assert added.where.line == line
    lines = path.read_text().splitlines()
    assert [each for each in PROVEN.splitlines() if each not in lines] == []
    assert lines.index('  - id: "b"') < lines.index("solution: |")


def test_a_list_that_is_missing_is_made(path: Path) -> None:
    """At the end of the file."""
    add_entry(path, "equivalent", {"change": "x -> `y`", "reason": "z"})
    assert path.read_text().startswith(PROVEN)
    (only,) = load_exercise_file(path).equivalent
    assert (only.change, only.reason) == ("x -> `y`", "z")


def test_dashes_may_be_at_the_margin_and_comments_stay(path: Path) -> None:
    """The comment below the list belongs to the next key."""
    path.write_text(PROVEN.replace("solution: |", EQUIVALENT))
    add_entry(path, "equivalent", {"change": "c", "reason": "d"})
    text = path.read_text()
    assert 'reason: b  # why\n- change: "c"\n  reason: "d"\n# of the solution\n\nsol' in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PROVEN + "equivalent: [{change: a, reason: b}]\n", "written in brackets"),
        (PROVEN + "equivalent:\n  - {change: x, reason: b}\n", "would not be valid"),
    ],
)
def test_what_cannot_be_added_to_stays(path: Path, text: str, said: str) -> None:
    """A list in brackets, and an entry that is there."""
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        add_entry(path, "equivalent", {"change": "x", "reason": "y"})
    assert path.read_text() == text
