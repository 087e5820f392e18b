"""The disk cache: entries found by their key, and forgotten when their sources change."""

import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.disk_cache import Cache, cache_folder, compute_key, fingerprint


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


def test_every_damage_is_seen(tmp_path: Path) -> None:
    """An entry with a changed bit, or cut short, counts as missing."""
    cache = Cache(tmp_path, "sources")
    cache.keep("key", b"content")
    (entry,) = tmp_path.iterdir()
    data = entry.read_bytes()
    changed = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in range(len(data))]
    for damaged in [*changed, *(data[:end] for end in range(len(data)))]:
        entry.write_bytes(damaged)
        assert cache.find("key") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """Everything works without a cache."""
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "folder", "sources")
    cache.keep("key", b"content")

    assert cache.find("key") is None
    cache.tidy()


def test_the_oldest_entries_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache keeps so many entries and no more."""
    monkeypatch.setattr("grader.disk_cache._MAX_ENTRIES", 2)
    cache = Cache(tmp_path, "sources")
    for number in range(5):
        before = set(tmp_path.iterdir())
        cache.keep(str(number), b"")
        (new,) = set(tmp_path.iterdir()) - before
        os.utime(new, (number, number))
    cache.tidy()

    assert [cache.find(str(number)) for number in range(5)] == [None, None, None, b"", b""]


def test_what_takes_too_much_room_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest entries are removed until the rest fits."""
    monkeypatch.setattr("grader.disk_cache._MAX_BYTES", 100)
    for number in range(4):
        Cache(tmp_path, "sources").keep(str(number), b"x" * 10)
    for age, path in enumerate(sorted(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime)):
        os.utime(path, (age, age))
    Cache(tmp_path, "sources").tidy()

    other = Cache(tmp_path, "sources")
    assert [other.find(str(number)) is not None for number in range(4)] == [
        False,
        False,
        True,
        True,
    ]


def test_nothing_but_entries_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown folder stays, and does not block the removal of entries."""
    monkeypatch.setattr("grader.disk_cache._MAX_ENTRIES", 0)
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / ("0" * 64)).mkdir()
    Cache(tmp_path, "sources").keep("old", b"")
    os.utime(tmp_path / ("0" * 64), (1, 1))
    Cache(tmp_path, "sources").tidy()

    assert {"notes.txt", "0" * 64} == {path.name for path in tmp_path.iterdir()}


@pytest.fixture
def no_room() -> Iterator[None]:
    """Let no file of this process grow, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.usefixtures("no_room")
def test_a_full_disk_is_left_as_it_was(tmp_path: Path) -> None:
    """No partial entry stays."""
    cache = Cache(tmp_path, "sources")
    cache.keep("key", b"x" * 100)

    assert cache.find("key") is None
    assert not list(tmp_path.iterdir())


def let_others_write(path: Path) -> None:
    """As a folder that is shared among a group may do by itself."""
    path.chmod(0o660)


def make_a_link(path: Path) -> None:
    """To a file with the same content."""
    path.rename(path.with_suffix(".kept"))
    path.symlink_to(path.with_suffix(".kept"))


def make_a_pipe(path: Path) -> None:
    """Everyone who opens it waits for a writer."""
    path.unlink()
    os.mkfifo(path)


def make_a_folder(path: Path) -> None:
    """It cannot be read, and nothing can replace it."""
    path.unlink()
    path.mkdir()


def give_away(path: Path) -> None:
    """To another user."""
    if os.geteuid() != 0:
        pytest.skip("only root can give files to others")
    os.chown(path, 12345, -1)


@pytest.mark.parametrize(
    "change", [let_others_write, make_a_link, make_a_pipe, make_a_folder, give_away]
)
def test_what_others_could_have_written_is_not_found(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    """On a shared machine, another user may have made the shared folder first."""
    cache = Cache(tmp_path, "sources")
    cache.keep("key", b"content")
    (entry,) = tmp_path.iterdir()
    change(entry)

    assert cache.find("key") is None
    cache.keep("key", b"anew")
    assert cache.find("key") == (b"anew" if change is not make_a_folder else None)
    assert len(list(tmp_path.iterdir())) <= 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
@pytest.mark.parametrize("is_link", [True, False])
def test_the_home_of_another_is_left_alone(tmp_path: Path, is_link: bool) -> None:
    """With `sudo` it may be in the environment; a link there leads where that user likes."""
    home, target = tmp_path / "home", tmp_path / "target"
    home.mkdir()
    target.mkdir()
    if is_link:
        (home / "cache").symlink_to(target)
    for path in home, *home.iterdir():
        os.chown(path, 12345, -1, follow_symlinks=False)
    Cache(home / "cache" / "etude", "sources").keep("key", b"content")

    assert not list(target.iterdir())
    assert len(list(home.iterdir())) == is_link


def test_folders_are_made_for_this_user_alone(tmp_path: Path) -> None:
    """The mode holds under any umask, since exercises have hidden tests and solutions."""
    folder = tmp_path / "etude" / "definitions"
    before = os.umask(0)
    try:
        Cache(folder, "sources").keep("key", b"content")
    finally:
        os.umask(before)

    (entry,) = folder.iterdir()
    modes = [path.stat().st_mode & 0o777 for path in (folder.parent, folder, entry)]
    assert modes == [0o700, 0o700, 0o600]


def test_a_key_may_name_any_file(tmp_path: Path) -> None:
    """Also one whose name is in no encoding."""
    cache = Cache(tmp_path, "sources")
    cache.keep(os.fsdecode(b"\xff.yaml"), b"content")

    assert cache.find(os.fsdecode(b"\xff.yaml")) == b"content"
    assert cache.find(os.fsdecode(b"\xfe.yaml")) is None


def test_parts_do_not_run_into_each_other() -> None:
    """Where one ends and the next begins counts."""
    assert (
        len(
            {
                compute_key([b"ab"]),
                compute_key([b"a", b"b"]),
                compute_key([b"", b"ab"]),
                compute_key([]),
            }
        )
        == 4
    )


def test_the_fingerprint_follows_the_sources(tmp_path: Path) -> None:
    """A changed line, a new file and a new name count; what Python compiles does not."""
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.py").write_text("x = 1")
    first = fingerprint([tmp_path])
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.py").write_text("")
    assert fingerprint([tmp_path]) == first
    (tmp_path / "below" / "a.py").write_text("x = 2")
    second = fingerprint([tmp_path])
    (tmp_path / "below" / "a.py").rename(tmp_path / "below" / "b.py")
    assert len({first, second, fingerprint([tmp_path])}) == 3


def test_the_fingerprint_knows_a_name_from_what_is_in_the_file(tmp_path: Path) -> None:
    """And takes no notice of the links that editors leave beside a file that is open."""
    prints = set()
    for number, files in enumerate([{"a.py": "", "b.py": "x"}, {"a.py": "/b.pyx"}]):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_text(content)
        prints.add(fingerprint([folder]))
        (folder / ".#a.py").symlink_to("me@here.1234")
        prints.add(fingerprint([folder]))
    assert len(prints) == 2


def test_the_cache_is_where_the_desktop_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """XDG_CACHE_HOME if it is an absolute path, else the home folder's .cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder("verify") == tmp_path / "etude" / "verify"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder("verify") == tmp_path / ".cache" / "etude" / "verify"


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose user has no name: everything else works."""

    def nobody(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    cache = Cache(cache_folder("verify"), "sources")
    cache.keep("key", b"content")
    cache.tidy()

    assert cache_folder("verify") is None
    assert cache.find("key") is None
