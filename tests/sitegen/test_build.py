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
from tests.sitegen.conftest import Build, Site, make_exercise, make_lesson, make_test, make_track


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_every_track_lesson_and_exercise_has_a_page(site: Site) -> None:
    """The pages lie where their addresses say, and there are no others."""
    assert sorted(site.pages) == [
        "404.html",
        "about/index.html",
        "accessibility/index.html",
        "arrays/broadcasting/index.html",
        "arrays/index.html",
        "attention/heads/index.html",
        "attention/index.html",
        "attention/masks/index.html",
        "attention/weights/index.html",
        "concepts/index.html",
        "course/index.html",
        "course/lessons/begin/index.html",
        "course/lessons/end/index.html",
        "course/loose/index.html",
        "course/one/index.html",
        "course/three/index.html",
        "course/two/index.html",
        "empty/index.html",
        "index.html",
        "offline/index.html",
        "progress/index.html",
        "search/index.html",
    ]


def test_an_asset_s_name_changes_with_its_content(site: Site) -> None:
    """So it may be kept for ever; what lies at the root has to keep its name."""
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
    """Neither could be named first."""
    with pytest.raises(CycleError):
        Assets({"a.js": b'import"./b.js"', "b.js": b'import"./a.js"'})


def test_the_report_counts_what_was_written(tmp_path: Path) -> None:
    """Pages and bytes are those on the disk, without our marker and compressed copies."""
    report = build_site(Content([make_track(make_exercise())]), tmp_path)
    written = contents(tmp_path)
    del written[".etude-site"]
    written = {name: data for name, data in written.items() if not name.endswith(".gz")}

    assert report.output == tmp_path
    assert report.pages == sum(name.endswith(".html") for name in written) == 10
    assert report.bytes == sum(map(len, written.values()))


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
    """Its folder goes with it; the pages that are still built stay."""
    build_site(Content([make_track(make_exercise("kept"), make_exercise("gone"))]), tmp_path)
    build_site(Content([make_track(make_exercise("kept"))]), tmp_path)

    assert (tmp_path / "attention/kept/index.html").is_file()
    assert not (tmp_path / "attention/gone").exists()


def test_files_that_we_did_not_write_survive_a_second_build(tmp_path: Path) -> None:
    """A file that someone put beside ours stays, even in a folder that a page left."""
    build_site(Content([make_track(make_exercise("gone"))]), tmp_path)
    for name in ("CNAME", "attention/gone/notes.txt"):
        (tmp_path / name).write_text("mine")
    build_site(Content(), tmp_path)

    assert (tmp_path / "CNAME").read_text() == "mine"
    assert (tmp_path / "attention/gone/notes.txt").read_text() == "mine"
    assert not (tmp_path / "attention/gone/index.html").exists()


def test_a_foreign_folder_is_refused_and_left_alone(tmp_path: Path) -> None:
    """A folder with files of someone else is not written into."""
    (tmp_path / "thesis.tex").write_text("years of work")

    with pytest.raises(UsageError, match="holds files that are not from an earlier build"):
        build_site(Content(), tmp_path)
    assert contents(tmp_path) == {"thesis.tex": b"years of work"}


def test_an_empty_folder_is_built_into(tmp_path: Path) -> None:
    """A folder that exists and holds nothing is as good as a new one."""
    build_site(Content(), tmp_path)

    assert (tmp_path / "index.html").is_file()


def test_a_file_as_output_is_refused(tmp_path: Path) -> None:
    """The sentence says that the path is not a folder."""
    output = tmp_path / "site"
    output.write_text("")

    with pytest.raises(UsageError, match="it is not a folder"):
        build_site(Content(), output)


def test_a_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    """What the operating system refuses is a sentence about the output, not a traceback."""
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match="Cannot write the site to"):
        build_site(Content(), tmp_path / "file" / "site")


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
    """A page's folder that is a link to another place is refused, and nothing lands there."""
    output, outside = tmp_path / "site", tmp_path / "outside"
    outside.mkdir()
    build_site(Content(), output)
    (output / "attention").symlink_to(outside, target_is_directory=True)

    with pytest.raises(UsageError, match="lies behind a link"):
        build_site(Content([make_track(make_exercise())]), output)
    assert not any(outside.iterdir())


def test_a_link_in_place_of_a_page_is_replaced(tmp_path: Path) -> None:
    """The page is written; the file that the link pointed to keeps its contents."""
    output, outside = tmp_path / "site", tmp_path / "outside.txt"
    outside.write_text("mine")
    build_site(Content(), output)
    (output / "index.html").unlink()
    (output / "index.html").symlink_to(outside)
    build_site(Content(), output)

    assert outside.read_text() == "mine"
    assert not (output / "index.html").is_symlink()


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "/etc", "A", "a b", "-a", "a--b", "a\n"])
def test_an_id_that_cannot_be_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    """An id never reaches the file system unless it is lower-case words joined by hyphens."""
    output = tmp_path / "site"

    with pytest.raises(DefinitionError, match="cannot be the folder of a page"):
        build_site(Content([make_track(make_exercise(name))]), output)
    with pytest.raises(DefinitionError, match="cannot be the folder of a page"):
        build_site(Content([make_track(id=name)]), output)
    assert not output.exists()


def test_two_exercises_of_one_id_are_refused(tmp_path: Path) -> None:
    """Their pages would be the same file; the error names the track and the exercise."""
    with pytest.raises(DefinitionError, match=r"attention/twin.*already the folder"):
        build_site(Content([make_track(make_exercise("twin"), make_exercise("twin"))]), tmp_path)


@pytest.mark.parametrize(
    "name",
    ["about", "accessibility", "assets", "concepts", "offline", "progress", "pyodide", "search"],
)
def test_a_track_cannot_have_the_name_of_a_folder_of_ours(tmp_path: Path, name: str) -> None:
    """Its page would lie where another one does."""
    with pytest.raises(DefinitionError, match=f"'{name}' is already the folder"):
        build_site(Content([make_track(id=name)]), tmp_path)


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

    files_for = tmp_path / "built/attention/weights"
    shown = site["attention/weights/index.html"].one("img").attributes
    assert ((files_for / shown["src"]).read_bytes()[-1:], shown["alt"]) == (b"a", "a")
    answer = json.loads((files_for / "solution.json").read_text())["explanation"]
    (name,) = re.findall(r'src="([^"]+)"', answer)
    assert (files_for / name).read_bytes()[-1:] == b"b"
    below = tmp_path / "built/attention/lessons/begin"
    assert (
        below / site["attention/lessons/begin/index.html"].one("img").attributes["src"]
    ).exists()
    assert '"image-1.png": {' in (below / "begin.ipynb").read_text()
