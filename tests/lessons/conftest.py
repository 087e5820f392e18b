"""Lessons that are written from a text, read and run."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from grader.errors import DefinitionError
from grader.lessons.execute import run_lesson
from grader.lessons.lesson import Lesson, read_lesson
from grader.sandbox.process import Sandbox

Run: TypeAlias = Callable[[str], Lesson]
Refuse: TypeAlias = Callable[[str], list[tuple[int, str]]]


@pytest.fixture
def run(tmp_path: Path, sandbox: Sandbox) -> Run:
    """Write a lesson, and run it."""

    def run(text: str) -> Lesson:
        path = tmp_path / "01-lesson.md"
        path.write_text(text, encoding="utf-8")
        return run_lesson(read_lesson(path), sandbox)

    return run


@pytest.fixture
def refuse(run: Run) -> Refuse:
    """Run a lesson with mistakes; return the line and the message of each."""

    def refuse(text: str) -> list[tuple[int, str]]:
        with pytest.raises(DefinitionError) as caught:
            run(text)
        return [(problem.where.line, problem.message) for problem in caught.value.problems]

    return refuse
