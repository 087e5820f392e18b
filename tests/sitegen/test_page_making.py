"""The making of pages: in one process or several, and with problems."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.disk_cache import Cache
from grader.errors import DefinitionError
from sitegen.build import make_files
from sitegen.content import Content, Runnable
from sitegen.hosting import Hosting
from tests.sitegen.conftest import contents, make_exercise, make_track


def test_the_problems_of_all_pages_are_told() -> None:
    """Not those of the first alone."""
    texts = {"one": r"$\foo$", "two": r"$\bar{$", "three": "Valid."}
    exercises = [make_exercise(name, instructions=text) for name, text in texts.items()]
    with pytest.raises(DefinitionError) as caught:
        make_files(Content([make_track(*exercises)]))
    assert [str(each.where).split(":")[0] for each in caught.value.problems] == [
        "attention/one/instructions",
        "attention/two/instructions",
    ]


def test_a_page_is_made_again_when_something_on_it_changes(tmp_path: Path) -> None:
    """Its own definition, another title of its track, or the site; otherwise it is remembered."""
    made = []

    def engine() -> str:
        made.append(1)
        return "engine"

    def build(title: str, fingerprints: str, hosting: Hosting) -> dict[str, bytes]:
        track = make_track(make_exercise(), make_exercise("other", title=title))
        content = Content(
            [track],
            runnable={"weights": Runnable(engine)},
            cache=Cache(tmp_path / "cache", ""),
            fingerprints={"attention": fingerprints},
        )
        return make_files(content, hosting=hosting)

    changes: list[tuple[str, str, Hosting]] = [
        *(("Title", "text", Hosting()), ("Another title", "text", Hosting())),
        *(("Title", "another text", Hosting()), ("Title", "text", Hosting(pyodide_url="/python/"))),
        ("Title", "text", Hosting(pyodide={"pyodide.mjs": b"python"})),
    ]
    for number, each in enumerate(changes, 1):
        assert build(*each) == build(*each)
        assert len(made) == number


SCRIPT = """
import os, sys
from pathlib import Path
from grader.definitions.public_exercise import PublicExercise, PublicTrack
from sitegen.build import build_site
from sitegen.content import Content
from sitegen.content import Runnable

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
build_site(Content([track], {}, runnable), output, processes=processes)
"""


def run(
    folder: Path, name: str, processes: int, seed: int, *, dies: bool = False
) -> subprocess.CompletedProcess[str]:
    """Build in a process of its own."""
    arguments = [str(folder / name), str(processes), "dies" if dies else "lives"]
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        env={
            **os.environ,
            "PYTHONHASHSEED": str(seed),
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_two_processes_give_what_one_gives(tmp_path: Path) -> None:
    """The files depend neither on the number of processes nor on the seed of their hashes."""
    for name, processes, seed in (("alone", 1, 1), ("helped", 2, 2)):
        finished = run(tmp_path, name, processes, seed)
        assert finished.returncode == 0, finished.stderr

    assert not (tmp_path / "alone had help").exists()
    assert (tmp_path / "helped had help").exists()
    assert contents(tmp_path / "alone") == contents(tmp_path / "helped")


def test_a_process_that_ends_early_is_told(tmp_path: Path) -> None:
    """And nothing is written."""
    finished = run(tmp_path, "site", 2, seed=1, dies=True)
    assert "GraderFault: a process that makes pages was ended" in finished.stderr
    assert not (tmp_path / "site").exists()
