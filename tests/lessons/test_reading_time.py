"""The time that reading a lesson takes, from its words, code, matrices and questions."""

from pathlib import Path

import pytest

from grader.lessons.lesson import read_lesson

QUESTION = "```question number\nHalf of 2?\nanswer: 1\nreason: Half.\n```\n"


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("one word", 1),
        ("word " * 900, 5),
        ("```python\n" + "x = 1\n\n" * 60 + "```\n", 5),
        ("```python hidden\n" + "x = 1\n" * 60 + "```\n", 1),
        ("```python hidden\n" + "heatmap(x)\n" * 10 + "```\n", 3),
        (QUESTION * 4, 4),
        ("```exercise\n" + "one\n" * 60 + "```\n", 1),
    ],
)
def test_what_a_reader_looks_at_takes_time(tmp_path: Path, text: str, minutes: int) -> None:
    """Hidden code takes no time, and exercises have their own estimate."""
    path = tmp_path / "01-a-lesson.md"
    path.write_text(text, encoding="utf-8")

    assert read_lesson(path).reading_minutes == minutes
