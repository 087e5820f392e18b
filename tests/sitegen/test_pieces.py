"""Building again: only what has changed is made, and nothing tells the difference."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.definitions.exercise import ExerciseId
from grader.definitions.public import PublicExercise, PublicTrack
from grader.disk_cache import Cache
from grader.errors import DefinitionError
from grader.lessons.execute import RunExercises
from sitegen.build import site_files
from sitegen.content import Content
from sitegen.hosting import Hosting
from sitegen.runnable import Runnable, Solution

if TYPE_CHECKING:
    from grader.lessons.execute import RunProse
    from tests.sitegen.conftest import MakeExercise, MakeLesson, MakeTrack

Change = Callable[[Content], Content]


class Source:
    """A content that counts what it is asked for."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.made: list[str] = []

    @property
    def counting(self) -> Content:
        runnable = {
            name: replace(each, engine=partial(self._engine, name))
            for name, each in self.content.runnable.items()
        }
        return replace(self.content, runnable=runnable)

    def _engine(self, name: str) -> str:
        self.made.append(name)
        return f"engine of {name}"


@pytest.fixture
def content(
    make_exercise: "MakeExercise",
    make_lesson: "MakeLesson",
    make_prose: "Callable[..., RunProse]",
    make_track: "MakeTrack",
) -> Content:
    names = ("one", "two", "three", "loose")
    exercises = [make_exercise(name, digest=f"digest of {name}") for name in names]
    place = RunExercises((ExerciseId("three"),))
    lesson = replace(
        make_lesson("begin", make_prose("Text."), place, exercises=("one", "two")),
        digest="digest",
        placed=("three",),
    )
    return Content(
        [make_track(*exercises), make_track(make_exercise("far", digest="far"), id="far")],
        {"attention": [lesson]},
        {name: Runnable(lambda: "engine") for name in names},
        b"modules",
    )


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache", "sources")


def with_exercise(content: Content, name: str, **changes: object) -> Content:
    """The content with one exercise changed, as its file would have another digest."""

    def changed(each: PublicExercise) -> PublicExercise:
        if each.id != name:
            return each
        return replace(each, digest=f"changed {each.digest}", **changes)  # type: ignore[arg-type]

    def of(track: PublicTrack) -> PublicTrack:
        return replace(track, exercises=tuple(map(changed, track.exercises)))

    return replace(content, tracks=[of(track) for track in content.tracks])


def with_lesson(content: Content, **changes: object) -> Content:
    lessons = {
        track: [replace(each, **changes) for each in found]  # type: ignore[arg-type]
        for track, found in content.lessons.items()
    }
    return replace(content, lessons=lessons)


def with_track(content: Content, **changes: object) -> Content:
    first, *others = content.tracks
    return replace(content, tracks=[replace(first, **changes), *others])  # type: ignore[arg-type]


def with_solutions(content: Content) -> Content:
    solution = Solution("x = 1", "Because.")
    runnable = {name: replace(each, solution=solution) for name, each in content.runnable.items()}
    return replace(content, runnable=runnable)


CHANGES: dict[str, Change] = {
    "an exercise's text": lambda c: with_exercise(c, "two", instructions="Do something else."),
    "a title that others show": lambda c: with_exercise(c, "two", title="Renamed"),
    "an exercise's XP": lambda c: with_exercise(c, "two", xp=99),
    "a title in another track": lambda c: with_exercise(c, "far", title="Renamed"),
    "a title in a lesson that leads elsewhere": lambda c: with_exercise(c, "three", title="New"),
    "a lesson's text": lambda c: with_lesson(c, digest="other", title="begin"),
    "a lesson's title": lambda c: with_lesson(c, title="Renamed"),
    "a lesson's exercises": lambda c: with_lesson(c, exercises=("one",)),
    "a track's title": lambda c: with_track(c, title="Renamed"),
    "a track's description": lambda c: with_track(c, description="Other *words*."),
    "the order": lambda c: with_track(c, exercises=c.tracks[0].exercises[::-1]),
    "one exercise less": lambda c: with_track(c, exercises=c.tracks[0].exercises[:3]),
    "solutions": with_solutions,
    "no page that runs": lambda c: replace(c, runnable={}),
    "the grader's modules": lambda c: replace(c, python=b"other modules"),
    "no lessons": lambda c: replace(c, lessons={}),
}


HOSTINGS = (
    Hosting.of(base_url="/etude/"),
    Hosting.of(site_url="https://example.org/"),
    Hosting.of(pyodide_url="https://example.org/python/"),
    Hosting.of(pyodide={"pyodide.mjs": b""}),
)


@pytest.mark.slow
def test_builds_after_others_give_what_first_ones_give(content: Content, cache: Cache) -> None:
    """Byte for byte, whatever has changed in between or where it is hosted, and back again."""
    first = site_files(content)
    assert site_files(content, store=cache) == first

    for name, change in CHANGES.items():
        changed = change(content)
        assert site_files(changed, store=cache) == site_files(changed), name
    for hosting in HOSTINGS:
        hosted = site_files(content, hosting=hosting)
        assert site_files(content, hosting=hosting, store=cache) == hosted
    assert site_files(content, store=cache) == first


def test_what_has_not_changed_is_not_made_again(content: Content, cache: Cache) -> None:
    """What a page gives to its Python takes longest to make."""
    first = Source(content)
    site_files(first.counting, store=cache)
    again = Source(content)
    site_files(again.counting, store=cache)
    other = Source(with_exercise(content, "two", instructions="Do something else."))
    site_files(other.counting, store=cache)

    assert first.made == ["one", "two", "three", "loose"]
    assert again.made == []
    assert other.made == ["two"]


def test_what_has_no_digest_is_always_made(content: Content, cache: Cache) -> None:
    """Nobody can tell whether it is still the same."""
    track = content.tracks[0]
    bare = tuple(replace(each, digest="") for each in track.exercises)
    source = Source(with_track(content, exercises=bare))
    for _ in range(2):
        site_files(source.counting, store=cache)

    assert source.made == ["one", "two", "three", "loose"] * 2


@pytest.mark.parametrize("damage", [lambda _: b"", lambda kept: kept[:-1], lambda _: b"[]\n"])
def test_damaged_pages_are_made_again(
    content: Content, cache: Cache, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    """Half a page is never published."""
    first = site_files(content, store=cache)
    for path in (tmp_path / "cache").iterdir():
        path.write_bytes(damage(path.read_bytes()))

    assert site_files(content, store=cache) == first


def test_the_problems_of_all_pages_are_told(content: Content, cache: Cache) -> None:
    """Not those of the first alone, and a page with one is not kept."""
    broken = with_exercise(content, "one", instructions=r"$\foo$")
    broken = with_exercise(broken, "two", instructions=r"$\bar{$")
    for _ in range(2):
        with pytest.raises(DefinitionError) as caught:
            site_files(broken, store=cache)
        assert [str(each.where).split(":")[0] for each in caught.value.problems] == [
            "attention/one/instructions",
            "attention/two/instructions",
        ]


SCRIPT = """
import os, sys
from pathlib import Path
from grader.disk_cache import Cache
from grader.definitions.public import PublicExercise, PublicTrack
from sitegen.build import build_site
from sitegen.content import Content
from sitegen.runnable import Runnable

output, processes, dies = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "dies"
parent = os.getpid()

def engine():
    if os.getpid() != parent:
        (output.parent / f"{output.name} had help").touch()
        if dies:
            os._exit(1)
    return "engine"

names = [f"exercise-{number}" for number in range(40)]
exercises = tuple(
    PublicExercise(
        id=name, title=name, kind="write", difficulty="beginner", xp=1, requires=(),
        concepts=("axes", "shapes"), instructions="Do $x^2$.",
        starter="x = {1, 2}", defines=("x",), hints=(), tests=(), hidden_tests=0, max_points=1,
        digest=name,
    )
    for name in names
)
track = PublicTrack("track", "Track", "A track.", 40, exercises)
runnable = {name: Runnable(engine, {"b": "B", "a": "A"}) for name in names}
cache = Cache(output.parent / f"{output.name} cache", "sources")
build_site(Content([track], {}, runnable), output, store=cache, processes=processes)
"""


def run(folder: Path, name: str, processes: int, seed: int, *, dies: bool = False) -> bool:
    """Build in a process of its own; tell whether another one helped."""
    arguments = [str(folder / name), str(processes), "dies" if dies else "lives"]
    subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        env={
            **os.environ,
            "PYTHONHASHSEED": str(seed),
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        check=True,
    )
    return (folder / f"{name} had help").exists()


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
def test_two_processes_give_what_one_gives(tmp_path: Path) -> None:
    """Nothing tells who made a page, nor the seed of its hashes; one that dies is not missed."""
    assert not run(tmp_path, "alone", 1, seed=1)
    assert run(tmp_path, "helped", 2, seed=2)
    assert run(tmp_path, "left", 2, seed=1, dies=True)

    alone = contents(tmp_path / "alone")
    assert alone == contents(tmp_path / "helped")
    assert alone == contents(tmp_path / "left")


SHARING = """
import os, sys, time
from pathlib import Path
from sitegen.incremental import together

done = Path(sys.argv[1])
before = os.sched_getaffinity(0)

def do(number):
    deadline = time.monotonic() + 30
    while number == 0 and len(list(done.iterdir())) < 39 and time.monotonic() < deadline:
        time.sleep(0.01)
    left = 39 - len(list(done.iterdir()))
    with (done / str(number)).open("x") as file:  # fails if it is there
        file.write(f"{os.getpid()} {sorted(os.sched_getaffinity(0))} {left}")
    if number == 20:
        raise ValueError("told to nobody")

together(range(40), do, processes=len(before))
assert os.sched_getaffinity(0) == before
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) == 1, reason="this machine has one core")
def test_work_is_shared_out_as_it_gets_done(tmp_path: Path) -> None:
    """A process with a long piece makes few others; each piece is made once."""
    subprocess.run(
        [sys.executable, "-c", SHARING, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
    )
    told = {int(path.name): path.read_text() for path in tmp_path.iterdir()}
    assert sorted(told) == list(range(40))
    assert told[0].endswith(" 0")  # all others were done by then
    assert len({text.partition(" ")[0] for text in told.values()}) > 1  # processes
