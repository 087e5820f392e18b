"""What is kept on disk: found by its key, forgotten when anything could change it."""

from pathlib import Path

import pytest

from grader.cached import Cache, cache_folder, fingerprint, key_of


def test_what_is_kept_is_found_by_another_cache(tmp_path: Path) -> None:
    """Another process reads it, byte for byte."""
    Cache(tmp_path / "new", "sources").keep("key", b"\0content")
    cache = Cache(tmp_path / "new", "sources")

    assert cache.find("key") == b"\0content"
    assert cache.find("other") is None


def test_what_other_sources_made_is_not_found(tmp_path: Path) -> None:
    """A changed program asks under other names."""
    Cache(tmp_path, "sources").keep("key", b"content")

    assert Cache(tmp_path, "changed").find("key") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """Everything works without a cache."""
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "folder", "sources")
    cache.keep("key", b"content")

    assert cache.find("key") is None
    cache.tidy()


def test_the_oldest_entries_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache has an end, but what was asked for stays."""
    monkeypatch.setattr("grader.cached._KEPT", 2)
    for number in range(5):
        Cache(tmp_path, "sources").keep(str(number), b"")
    cache = Cache(tmp_path, "sources")
    cache.find("0")
    cache.keep("new", b"")
    cache.tidy()

    assert len(list(tmp_path.iterdir())) == 4
    assert cache.find("0") == cache.find("new") == b""


def test_parts_do_not_run_into_each_other() -> None:
    """Where one ends and the next begins counts."""
    assert len({key_of([b"ab"]), key_of([b"a", b"b"]), key_of([b"", b"ab"]), key_of([])}) == 4


def test_the_fingerprint_follows_the_sources(tmp_path: Path) -> None:
    """A changed line, a new file and a new name count; what Python compiles does not."""
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.py").write_text("x = 1")
    first = fingerprint([tmp_path])
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.py").write_text("")
    assert fingerprint([tmp_path]) == first
    assert fingerprint([tmp_path], packages=["jinja2"]) != first
    (tmp_path / "below" / "a.py").write_text("x = 2")
    second = fingerprint([tmp_path])
    (tmp_path / "below" / "a.py").rename(tmp_path / "below" / "b.py")
    assert len({first, second, fingerprint([tmp_path])}) == 3


def test_the_cache_is_where_the_desktop_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """XDG_CACHE_HOME if it is an absolute path, else the home folder's .cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder("verify") == tmp_path / "etude" / "verify"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder("verify") == tmp_path / ".cache" / "etude" / "verify"
