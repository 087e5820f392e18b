"""Definitions that were read before: the same, as long as their file is."""

import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

from grader.definitions.collection import Collection, load_definition
from grader.definitions.collection_cache import RememberingLoader
from grader.definitions.files import default_folder
from grader.disk_cache import Cache
from grader.errors import DefinitionError, UsageError

EXERCISE = """\
id: double
title: Double it
difficulty: beginner
xp: 5
instructions: Write `double(x)`.
defines: {double: {}}
starter: |
  def double(x):
      ...
tests:
  - {id: two, given: {x: [1.5, .nan]}, call: double(x), expect: [3.0, .nan]}
solution: |
  def double(x):
      return 2 * x
explanation: Twice.
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "01-double.yaml"
    path.write_text(EXERCISE)
    return path


@pytest.fixture
def loader(tmp_path: Path) -> RememberingLoader:
    return RememberingLoader(Cache(tmp_path / "cache", "sources"))


@pytest.mark.slow
def test_every_exercise_is_the_same_as_when_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the collection, with types, places and values, though no file is read anew."""
    folder = default_folder()
    first = Collection.load(folder)
    cache = Cache(tmp_path, "sources")
    Collection.load(folder, RememberingLoader(cache))
    monkeypatch.delattr("grader.definitions.collection_cache.load_definition")
    again = Collection.load(folder, RememberingLoader(cache))

    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        assert repr(again) == repr(first)  # NaN is not equal to itself


def test_a_changed_file_is_read(file: Path, loader: RememberingLoader) -> None:
    """Whatever its time says."""
    loader(file)
    status = file.stat()
    assert loader.find([file]) == []
    file.write_text(EXERCISE.replace("Double it", "Twice it"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert loader.find([file]) == [file]
    assert loader(file).exercise.title == "Twice it"


def test_a_copy_has_places_of_its_own(file: Path, loader: RememberingLoader) -> None:
    """A problem is told with the path of the file that it is in."""
    copy = file.with_name("02-double.yaml")
    copy.write_text(EXERCISE)

    assert loader(file).exercise.where.path == file
    assert loader(copy).exercise.where.path == copy


def test_what_is_not_valid_is_told_each_time(file: Path, loader: RememberingLoader) -> None:
    """It is never kept."""
    file.write_text(EXERCISE.replace("xp: 5", "xp: many"))
    for _ in range(2):
        with pytest.raises(DefinitionError, match="xp"):
            loader(file)


def test_a_file_that_is_not_there_is_told(tmp_path: Path, loader: RememberingLoader) -> None:
    """As without a cache."""
    with pytest.raises(UsageError, match="no file"):
        loader(tmp_path / "missing.yaml")


class Payload:
    """Runs something when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (os.fspath(self.path),)


@pytest.mark.parametrize("damage", [b"", b"garbage", pickle.dumps(3), pickle.dumps(Path("x"))])
def test_what_is_no_definition_is_read_anew(
    file: Path, loader: RememberingLoader, tmp_path: Path, damage: bytes
) -> None:
    """A damaged entry costs no more than its time."""
    loader(file)
    (entry,) = (tmp_path / "cache").iterdir()
    entry.write_bytes(damage)

    assert repr(loader(file)) == repr(load_definition(file))


def test_an_entry_cannot_run_anything(
    file: Path, loader: RememberingLoader, tmp_path: Path
) -> None:
    """Whoever can write to the cache can change what is remembered, and no more."""
    loader(file)
    (entry,) = (tmp_path / "cache").iterdir()
    entry.write_bytes(pickle.dumps(Payload(tmp_path / "made")))

    assert repr(loader(file)) == repr(load_definition(file))
    assert not (tmp_path / "made").exists()


def test_entries_are_for_this_user_alone(
    file: Path, loader: RememberingLoader, tmp_path: Path
) -> None:
    """An exercise has hidden tests and a solution."""
    loader(file)
    (entry,) = (tmp_path / "cache").iterdir()

    assert entry.stat().st_mode & 0o077 == 0
