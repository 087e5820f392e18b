"""The exercise that was checked last: found again only as long as it means the same."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from grader.definitions import exercise_cache
from grader.definitions.collection import load_exercise, resolve
from grader.definitions.exercise import Exercise
from grader.definitions.exercise_cache import KeptDefinition
from tests.conftest import DOUBLE, Etude


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A definition, and nothing kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(tmp_path / "cache"))
    folder = tmp_path / "collection"
    folder.mkdir()
    path = folder / "01-double.yaml"
    path.write_text(DOUBLE)
    return path


def find(name: str | Path) -> Exercise | None:
    """Ask as a new process would, in the folder of the test."""
    return KeptDefinition(os.fspath(name), _collection()).find()


def check(name: str | Path) -> Exercise:
    """Keep what is loaded, as `etude check` does."""
    exercise = resolve(os.fspath(name), _collection())
    KeptDefinition(os.fspath(name), _collection()).keep(exercise)
    return exercise


def _collection() -> Path:
    return Path(os.environ["XDG_CACHE_HOME"]).parent / "collection"


def entries() -> list[Path]:
    """Return the files in the cache."""
    return list((Path(os.environ["XDG_CACHE_HOME"]) / "etude" / "checked").iterdir())


def test_it_is_found_by_its_path_and_by_its_id(file: Path) -> None:
    """As it was loaded."""
    assert find(file) is None
    exercise = check(file)
    assert repr(find(file)) == repr(find("double")) == repr(exercise)


def test_an_edit_counts_whatever_the_time_says(file: Path) -> None:
    """Also one of the same length, and one back to what it was."""
    check(file)
    status = file.stat()
    file.write_text(DOUBLE.replace("xp: 5", "xp: 7"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert find(file) is None

    file.write_text(DOUBLE)
    assert find(file) is not None


def test_a_file_that_is_edited_while_it_is_read_is_kept_as_it_was_read(file: Path) -> None:
    """So it is not found for what it is now."""
    exercise = load_exercise(file)
    file.write_text(DOUBLE.replace("xp: 5", "xp: 7"))
    KeptDefinition(os.fspath(file), _collection()).keep(exercise)

    assert find(file) is None


def test_an_id_that_two_files_claim_is_not_found(file: Path) -> None:
    """`resolve` has a sentence for it, as for a file whose name promises another id."""
    check("double")
    copy = file.with_name("02-double.yaml")
    copy.write_text(DOUBLE)
    assert find("double") is None

    copy.unlink()
    file.write_text(DOUBLE.replace("id: double", "id: triple"))
    check(file)
    file.rename(file.with_name("02-double.yaml"))
    assert find("double") is None


def test_what_another_grader_made_is_not_found(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One whose sources differ, though their sizes and times be the same, or that lies elsewhere."""
    for name in "old", "new":
        (tmp_path / name / "rules").mkdir(parents=True)
        (tmp_path / name / "kept.py").write_text("")
        (tmp_path / name / ".#kept.py").symlink_to("me@here.1234")  # as an editor leaves it
        os.utime(tmp_path / name / "kept.py", (1, 1))
    monkeypatch.setattr(exercise_cache, "__file__", os.fspath(tmp_path / "old" / "kept.py"))
    check(file)
    assert find(file) is not None
    monkeypatch.setattr(exercise_cache, "__file__", os.fspath(tmp_path / "new" / "kept.py"))
    assert find(file) is None

    monkeypatch.setattr(exercise_cache, "__file__", os.fspath(tmp_path / "old" / "kept.py"))
    (tmp_path / "old" / "kept.py").write_text("")
    os.utime(tmp_path / "old" / "kept.py", (1, 1))
    assert find(file) is None


def test_what_grades_others_believes_no_cache(file: Path, tmp_path: Path, etude: Etude) -> None:
    """Even if an entry says that nothing is asked for, `etude grade` reads the definition."""
    exercise = check(file)
    KeptDefinition(os.fspath(file), _collection()).keep(
        replace(exercise, tests=exercise.tests[1:2])
    )
    handed_in = tmp_path / "handed-in"
    handed_in.mkdir()
    (handed_in / "double.py").write_text("def double(x):\n    return 6\n")

    assert etude("check", file, handed_in / "double.py").returncode == 0
    assert etude("grade", handed_in, "--assigned", file).returncode == 1


def test_a_check_works_without_a_home(file: Path, etude: Etude) -> None:
    """And leaves no folder in the one that it runs in."""
    (file.parent / "double.py").write_text("def double(x):\n    return 2 * x\n")
    no_home = {"XDG_CACHE_HOME": None, "HOME": "nowhere"}
    done = etude("check", file, "double.py", cwd=file.parent, env=no_home)

    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in file.parent.iterdir()) == ["01-double.yaml", "double.py"]


def test_a_file_may_have_any_name(file: Path, etude: Etude) -> None:
    """Also one that is in no encoding."""
    named = file.with_name(os.fsdecode(b"\xff.yaml"))
    file.rename(named)
    (file.parent / "double.py").write_text("def double(x):\n    return 2 * x\n")

    for _ in range(2):
        done = etude("check", named, file.parent / "double.py")
        assert done.returncode == 0, done.stderr
    assert len(entries()) == 1


def test_a_cache_of_something_else_is_no_harm(file: Path) -> None:
    """It is loaded anew, and then kept."""
    check(file)
    (entry,) = entries()
    entry.write_bytes(b"")
    assert find(file) is None
    check(file)
    assert find(file) is not None
