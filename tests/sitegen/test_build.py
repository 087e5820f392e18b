"""Building into a folder: what is written, what is left alone, what is refused."""

import gzip
import hashlib
import json
import re
from dataclasses import replace
from graphlib import CycleError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.errors import DefinitionError, Location, UsageError
from grader.lessons.blocks import Prose
from grader.lessons.computed_text import Text
from sitegen import Content, build_site
from sitegen.assets import Assets
from sitegen.content import Runnable, Solution
from sitegen.hosting import Hosting
from tests.sitegen.conftest import (
    Build,
    Site,
    contents,
    make_exercise,
    make_lesson,
    make_test,
    make_track,
)


def test_an_asset_s_name_changes_with_its_content(site: Site) -> None:
    """Hosts may keep it forever, but files at the root must keep their names."""
    for path in (site.root / "assets").iterdir():
        if path.suffix == ".gz":
            continue
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert path.stem.endswith(f"-{digest[:12]}")
    assert {path.name for path in site.root.iterdir() if path.is_file()} == {
        *("index.html", "404.html", "offline.js", "embed.js", "robots.txt", ".etude-site")
    }


def test_assets_name_each_other_as_they_are_called(site: Site) -> None:
    """A font in the stylesheet, a chunk in a script."""
    folder = site.root / "assets"
    named = {
        name
        for path in folder.iterdir()
        if path.suffix in {".js", ".css"}
        for name in re.findall(r"""["'`(]\./([\w.-]+)["'`)]""", path.read_text("utf-8"))
    }

    kinds = {name.rpartition("-")[0] for name in named}
    assert kinds >= {"stix-two-math"}
    assert any(kind.startswith("chunk-") for kind in kinds)
    assert all((folder / name).is_file() for name in named)


def test_two_assets_may_not_name_each_other() -> None:
    """Neither could get its hashed name first."""
    with pytest.raises(CycleError):
        Assets({"a.js": b'import"./b.js"', "b.js": b'import"./a.js"'})


def test_the_pages_that_were_written_are_counted(tmp_path: Path) -> None:
    """Their number is that on the disk."""
    pages = build_site(Content([make_track(make_exercise())]), tmp_path)

    assert pages == sum(name.endswith(".html") for name in contents(tmp_path)) == 10


def test_what_pages_load_lies_there_compressed_too(tmp_path: Path) -> None:
    """Python as well; a copy that was lost is made again, and one without its file goes."""
    python = {"pyodide.asm.wasm": b"\0asm" * 999, "numpy.whl": b"zipped" * 999, "tiny.js": b"0"}
    build_site(Content(()), tmp_path, hosting=Hosting(pyodide=python))
    copies = list(tmp_path.rglob("*.gz"))
    assert all(
        gzip.decompress(each.read_bytes()) == each.with_suffix("").read_bytes() for each in copies
    )
    names = {each.name.removesuffix(".gz") for each in copies}
    assert {name for name in names if name in python} == {"pyodide.asm.wasm"}
    assert {name.rpartition("-")[0] for name in names} >= {"site", "page", "exercise"}

    lost = tmp_path / "pyodide" / "pyodide.asm.wasm.gz"
    lost.unlink()
    build_site(Content(()), tmp_path, hosting=Hosting(pyodide=python))
    assert lost.is_file()
    build_site(Content(()), tmp_path)
    assert not lost.exists()


def test_the_same_tracks_give_the_same_bytes(tmp_path: Path) -> None:
    """Two folders and a second build into the first do not differ in any byte."""
    test = make_test(given={"words": {"the", "cat", "sat"}}, expected=np.full((20, 20), 0.1))
    track = make_track(make_exercise(tests=(test,)), make_exercise("second"))
    for folder in ("one", "two", "one"):
        build_site(Content([track]), tmp_path / folder)

    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_page_that_is_no_longer_built_is_removed(tmp_path: Path) -> None:
    """Its folder goes with it; pages that are still built, and files of someone else, stay."""
    build_site(
        Content([make_track(make_exercise("kept"), *map(make_exercise, ("gone", "left")))]),
        tmp_path,
    )
    for name in ("CNAME", "attention/left/notes.txt"):
        (tmp_path / name).write_text("mine")
    build_site(Content([make_track(make_exercise("kept"))]), tmp_path)

    assert (tmp_path / "attention/kept/index.html").is_file()
    assert not (tmp_path / "attention/gone").exists()
    assert not (tmp_path / "attention/left/index.html").exists()
    assert (tmp_path / "CNAME").read_text() == "mine"
    assert (tmp_path / "attention/left/notes.txt").read_text() == "mine"


def test_only_a_folder_of_its_own_is_built_into(tmp_path: Path) -> None:
    """A folder with other files is left alone; a file, or a path below one, is not a folder."""
    (tmp_path / "thesis.tex").write_text("years of work")

    for output, message in (
        (tmp_path, "holds files that are not from an earlier build"),
        (tmp_path / "thesis.tex", "it is not a folder"),
        (tmp_path / "thesis.tex" / "site", "Cannot write the site to"),
    ):
        with pytest.raises(UsageError, match=message):
            build_site(Content(), output)
    assert contents(tmp_path) == {"thesis.tex": b"years of work"}


def test_an_edited_marker_cannot_remove_files_elsewhere(tmp_path: Path) -> None:
    """A line that leads out of the folder is not followed."""
    output = tmp_path / "site"
    outside = tmp_path / "precious.txt"
    outside.write_text("precious")
    build_site(Content(), output)
    with (output / ".etude-site").open("a") as marker:
        marker.write(f"../precious.txt\n{outside}\n")
    build_site(Content(), output)

    assert outside.read_text() == "precious"


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    """One in place of a page's folder is refused, and one in place of a page is replaced."""
    output, outside = tmp_path / "site", tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text("mine")
    build_site(Content(), output)
    (output / "index.html").unlink()
    (output / "index.html").symlink_to(outside / "mine")
    build_site(Content(), output)
    assert not (output / "index.html").is_symlink()

    (output / "attention").symlink_to(outside, target_is_directory=True)
    with pytest.raises(UsageError, match="lies behind a link"):
        build_site(Content([make_track(make_exercise())]), output)
    assert contents(outside) == {"mine": b"mine"}


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "/etc", "A", "a b", "-a", "a--b", "a\n"])
def test_an_id_that_cannot_be_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    """An id never reaches the file system unless it is lower-case words joined by hyphens."""
    output = tmp_path / "site"

    with pytest.raises(DefinitionError, match="cannot be the folder of a page"):
        build_site(Content([make_track(make_exercise(name))]), output)
    with pytest.raises(DefinitionError, match="cannot be the folder of a page"):
        build_site(Content([make_track(id=name)]), output)
    assert not output.exists()


@pytest.mark.parametrize(
    "name",
    ["about", "accessibility", "assets", "concepts", "offline", "progress", "pyodide", "search"],
)
def test_no_two_pages_have_one_folder(tmp_path: Path, name: str) -> None:
    """A track cannot have that of one of ours, nor an exercise that of another or of the lessons."""
    twins = make_track(make_exercise("twin"), make_exercise("twin"))
    for track, message in (
        (make_track(id=name), f"'{name}' is already the folder"),
        (make_track(make_exercise("lessons")), "'lessons' is already the folder"),
        (twins, "attention/twin.*already the folder"),
    ):
        with pytest.raises(DefinitionError, match=message):
            build_site(Content([track]), tmp_path)


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ({"instructions": "Some text.\n\nThen $x + \\foo{y}$."}, "instructions:3:7"),
        ({"hints": ("Fine.", "$$\\foo$$")}, "hint 2:1:3"),
    ],
)
def test_unknown_tex_names_the_exercise_and_writes_nothing(
    tmp_path: Path, field: dict[str, Any], place: str
) -> None:
    """The error says track, exercise, field, line and column, and what is unknown."""
    output = tmp_path / "site"

    with pytest.raises(DefinitionError) as caught:
        build_site(Content([make_track(make_exercise(**field))]), output)
    (problem,) = caught.value.problems
    assert str(problem.where) == f"attention/weights/{place}"
    assert 'Unknown command "\\foo"' in problem.message
    assert not output.exists()


def test_the_images_of_a_page_lie_beside_it(tmp_path: Path, build: Build) -> None:
    """Those of an exercise's instructions and explanation, and of a lesson and its notebook."""
    for name in "abc":
        (tmp_path / f"{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + name.encode())
    exercise = make_exercise("weights", instructions="![a](a.png)", file=tmp_path / "01-w.yaml")
    text = Prose(Location(tmp_path / "01-begin.md", 1), Text(("![c](c.png)",)))
    lesson = make_lesson("begin", text)
    lesson = replace(lesson, path=tmp_path / "01-begin.md")
    runnable = Runnable(lambda: "{}", {}, Solution("x = 1", "![b](b.png)"))

    site = build(
        make_track(exercise), lessons={"attention": [lesson]}, runnable={"weights": runnable}
    )

    folder = tmp_path / "built/attention/weights"
    shown = site["attention/weights/index.html"].one("img").attributes
    assert ((folder / shown["src"]).read_bytes()[-1:], shown["alt"]) == (b"a", "a")
    answer = json.loads((folder / "solution.json").read_text())["explanation"]
    (name,) = re.findall(r'src="([^"]+)"', answer)
    assert (folder / name).read_bytes()[-1:] == b"b"
    below = tmp_path / "built/attention/lessons/begin"
    assert (
        below / site["attention/lessons/begin/index.html"].one("img").attributes["src"]
    ).exists()
    assert '"image-1.png": {' in (below / "begin.ipynb").read_text()
