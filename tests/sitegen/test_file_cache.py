"""Exercises that were loaded before, and lessons that were run: the same as long as their file is."""

from pathlib import Path

import numpy as np
import pytest

from grader.definitions.course_file import load_course
from grader.definitions.files import course_file, default_folder, files_by_folder
from grader.disk_cache import Cache
from grader.errors import DefinitionError
from grader.lessons.lesson import read_lesson
from grader.sandbox.process import Sandbox
from sitegen.from_collection import file_cache
from sitegen.from_collection.file_cache import load_cached, run_cached

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
    """Its texts, matrices and exercises come from the cache."""
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


def test_a_known_exercise_is_not_loaded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every exercise of Etude comes back as it was; one whose file changed is loaded."""
    cache, files = Cache(tmp_path / "cache", "sources"), files_by_folder(default_folder())
    paths = [path for paths in files.values() for path in paths][::9]
    course = load_course(course_file(paths[0]))
    first = [load_cached(path, course, cache=cache) for path in paths]
    copy = tmp_path / paths[0].name
    copy.write_bytes(paths[0].read_bytes())
    load_cached(copy, None, cache=cache)
    monkeypatch.setattr(file_cache, "load_in_course", lambda *_: pytest.fail("it was loaded again"))

    again = [load_cached(path, course, cache=cache) for path in paths]
    with np.printoptions(floatmode="unique", threshold=10**9):
        assert repr(again) == repr(first)
    copy.write_bytes(copy.read_bytes() + b"# Changed.\n")
    with pytest.raises(pytest.fail.Exception, match="it was loaded again"):
        load_cached(copy, None, cache=cache)
