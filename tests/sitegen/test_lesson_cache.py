"""Lessons that were run before: the same, as long as their file is."""

from pathlib import Path

import numpy as np
import pytest

from grader.disk_cache import Cache
from grader.errors import DefinitionError
from grader.lessons.lesson import read_lesson
from grader.sandbox.process import Sandbox
from sitegen.from_collection.lesson_cache import run_cached

LESSON = """\
# Rows

Two and two is `= 2 + 2`.

```python
print("printed")
heatmap([[0.25, 0.75], [1.0, 0.0]], title="Weights", rows=["a", "b"])
```

```exercise
double
```
"""


def nobody() -> Sandbox:
    raise AssertionError("it was run again")


def test_a_known_lesson_is_not_run_again(tmp_path: Path, sandbox: Sandbox) -> None:
    """What it showed comes back: texts, matrices and exercises."""
    path = tmp_path / "01-rows.md"
    path.write_text(LESSON)
    cache = Cache(tmp_path / "cache", "sources")
    first = run_cached(read_lesson(path), cache, lambda: sandbox)
    again = run_cached(read_lesson(path), cache, nobody)

    with np.printoptions(floatmode="unique"):
        assert repr(again) == repr(first)
    assert "Weights" in repr(again)


def test_a_changed_lesson_is_run(tmp_path: Path, sandbox: Sandbox) -> None:
    """And one that fails tells so each time."""
    path = tmp_path / "01-rows.md"
    path.write_text(LESSON)
    cache = Cache(tmp_path / "cache", "sources")
    run_cached(read_lesson(path), cache, lambda: sandbox)
    path.write_text(LESSON.replace("2 + 2", "2 / 0"))

    for _ in range(2):
        with pytest.raises(DefinitionError, match="ZeroDivisionError"):
            run_cached(read_lesson(path), cache, lambda: sandbox)
