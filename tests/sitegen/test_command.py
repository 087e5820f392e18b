"""`etude site build`, as a person or a workflow runs it; in this process where that is enough."""

import gc
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from grader.cli import site
from grader.errors import DefinitionError, UsageError
from tests.sitegen.conftest import contents

ROOT = Path(__file__).parents[2]
TRACK = """\
id: track
title: Track
description: A track.
exercises: [double, halve]
lessons:
  - {id: begin, title: Begin, exercises: [double]}
"""
OTHER = "id: other\ntitle: Other\ndescription: Another track.\nexercises: [far]\n"
EXERCISE = """\
id: {id}
title: The exercise {id}
difficulty: beginner
xp: 5
concepts: [axes]
instructions: Write `{id}(x)`.
defines: {{{id}: {{}}}}
starter: |
  def {id}(x):
      ...
tests:
  - {{id: one, given: {{x: [1.0, 2.0]}}, call: "{id}(x)", expect: solution}}
  - {{id: two, given: {{words: [b, a]}}, call: "{id}(np.ones(2)) + len(words)", expect: solution}}
misconceptions:
  - id: squares
    code: |
      def {id}(x):
          return x * x
    feedback: You squared it.
solution: |
  def {id}(x):
      return x * {factor}
explanation: Because.
"""
LESSON = "# Begin\n\nIt is `= 6 * 7`.\n\n```python\nprint({3, 1, 2})\n```\n"

Build: TypeAlias = Callable[..., dict[str, bytes]]
Process: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "exercises" / "track"
    (folder / "lessons").mkdir(parents=True)
    (folder / "track.yaml").write_text(TRACK)
    (folder / "01-double.yaml").write_text(EXERCISE.format(id="double", factor="2.0"))
    (folder / "02-halve.yaml").write_text(EXERCISE.format(id="halve", factor="0.5"))
    (folder / "lessons" / "01-begin.md").write_text(LESSON)
    return folder.parent


@pytest.fixture
def build(tmp_path: Path, collection: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Build the collection's site into a folder of this name; returns its files."""
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(tmp_path / "cache"))
    monkeypatch.setattr(gc, "set_threshold", lambda _: None)  # it is for a whole process

    def run(output: str, *options: str) -> dict[str, bytes]:
        folder = tmp_path / output
        words = ["--exercises", str(collection), "--output", str(folder), *options]
        site.command.main(["build", *words], standalone_mode=False)
        return contents(folder)

    return run


@pytest.fixture
def in_process(tmp_path: Path, collection: Path) -> Process:
    """Build the same by the command in a process of its own, which runs the code of a checkout."""

    def run(
        output: str,
        *options: str,
        at: Path = ROOT,
        source: Path = collection,
        umask: int = -1,
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        words = ["--exercises", str(source), "--output", str(tmp_path / output), *options]
        return subprocess.run(
            [sys.executable, "-m", "grader.cli", "site", "build", *words],
            cwd=at,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join((str(at), str(at / "site"))),
                "PYTHONHASHSEED": "0",
                "XDG_CACHE_HOME": str(tmp_path / "cache"),
                **environment,
            },
            umask=umask,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def change(collection: Path, path: str, old: str, new: str) -> None:
    file = collection / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.slow
@pytest.mark.release
def test_no_byte_depends_on_where_a_site_is_built(
    in_process: Process, collection: Path, tmp_path: Path
) -> None:
    """Nor does one depend on the hour, time zone, language, hash seed, or file modes."""
    options = ("--no-cache", "--site-url", "https://example.org/")
    elsewhere = tmp_path / "another place" / "of mine"
    shutil.copytree(collection, elsewhere)
    environment = {
        "PYTHONHASHSEED": "77", "TZ": "Pacific/Kiritimati", "LANG": "tr_TR.UTF-8", "LC_ALL": "C",
        "SOURCE_DATE_EPOCH": "1", "COLUMNS": "40",
    }  # fmt: skip
    here = in_process("one", *options)
    there = in_process("an output/two", *options, source=elsewhere, umask=0o077, **environment)

    assert (here.returncode, there.returncode) == (0, 0), here.stderr + there.stderr
    assert not (tmp_path / "cache").exists()
    assert contents(tmp_path / "one") == contents(tmp_path / "an output" / "two")


@pytest.mark.slow
def test_a_second_build_gives_what_a_first_one_would(build: Build, collection: Path) -> None:
    """An incremental build after each change equals a build from nothing."""
    new = EXERCISE.format(id="new", factor="3.0").replace("xp: 5", "xp: 5\nfiles: [data.csv]")
    picture = b"\x89PNG\r\n\x1a\n"
    steps: tuple[dict[str, tuple[str, str] | bytes | None], ...] = (
        {"track/01-double.yaml": ("return x * 2.0", "return x + x")},
        {"track/02-halve.yaml": ("title: The exercise halve", "title: Half of it")},
        {"track/01-double.yaml": ("You squared it.", "That is the *square*.")},
        {"track/01-double.yaml": ("Write", "Write ![a](a.png)"), "track/a.png": picture},
        {"track/a.png": picture + b"another"},
        {"track/lessons/01-begin.md": ("6 * 7", "7 * 7")},
        {"track/track.yaml": ("[double, halve]", "[halve, double]")},
        {"track/track.yaml": ("title: Track", "title: A track")},
        {
            "track/track.yaml": ("[halve, double]", "[halve, double, new]"),
            "track/03-new.yaml": new.encode(),
            "data.csv": b"1",
        },
        {"data.csv": b"2"},
        {"course.yaml": b"title: Course\n"},
        {"course.yaml": b"title: Course\ngrading: practice\n"},
        {"track/track.yaml": ("halve, double, new", "double, new"), "track/02-halve.yaml": None},
    )
    before = build("site")
    for changes in steps:
        for path, content in changes.items():
            if isinstance(content, tuple):
                change(collection, path, *content)
            elif content is None:
                (collection / path).unlink()
            else:
                (collection / path).write_bytes(content)
        again = build("site")
        assert again == build("fresh", "--no-cache") != before, changes
        before = again


@pytest.mark.slow
def test_pages_that_stay_are_not_written_again(
    build: Build, collection: Path, tmp_path: Path
) -> None:
    """Copying a site to its host then copies only changed files."""
    build("site")
    pages = [tmp_path / "site" / "track" / name / "index.html" for name in ("double", "halve")]
    for page in pages:
        os.utime(page, (0, 0))
    change(collection, "track/01-double.yaml", "Write `double(x)`.", "Write it.")
    build("site")

    assert [page.stat().st_mtime == 0 for page in pages] == [False, True]


@pytest.mark.slow
def test_what_contradicts_what_is_remembered_is_told(build: Build, collection: Path) -> None:
    """Errors between tracks are reported until fixed, although other tracks are cached."""
    other = collection / "other"
    other.mkdir()
    (other / "01-far.yaml").write_text(EXERCISE.format(id="far", factor="3.0"))
    (other / "track.yaml").write_text(OTHER)
    (collection / "03-alone.yaml").write_text(EXERCISE.format(id="alone", factor="4.0"))
    build("site")
    for path, old, new, told in (
        ("track/01-double.yaml", "concepts", "requires: [away]\nconcepts", "no exercise 'away'"),
        ("track/02-halve.yaml", "xp: 5", "xp: many", r"02-halve\.yaml:4"),
        ("track/track.yaml", "[double, halve]", "[double]", "is not listed"),
        ("other/01-far.yaml", "id: far", "id: near", r"01-near\.yaml"),
        ("03-alone.yaml", "xp: 5", "xp: many", r"03-alone\.yaml:4"),
    ):
        change(collection, path, old, new)
        for _ in range(2):
            with pytest.raises(DefinitionError, match=told):
                build("site")
        change(collection, path, new, old)


@pytest.mark.slow
def test_an_author_s_code_gets_nothing_of_who_builds(
    build: Build, collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sees no environment, file or process of the builder; its results are on the page."""
    monkeypatch.setenv("ETUDE_TEST_VALUE", "secret")
    (tmp_path / "neighbour").write_text("secret")
    attempts = [
        f"lambda: open({str(tmp_path / 'neighbour')!r})",
        f"lambda: open({str(tmp_path / 'stolen')!r}, 'w')",
        "lambda: open(f'/proc/{os.getppid()}/environ')",
    ]
    code = f"""
import os
words = ["b" * 3, "a" * 3, os.environ.get("ETUDE_TEST_VALUE")]
for attempt in ({", ".join(attempts)}):
    try:
        words.append(attempt())
    except OSError:
        pass
"""
    change(collection, "track/01-double.yaml", "{words: [b, a]}", json.dumps(code))
    page = build("site")["track/double/index.html"].decode()
    assert "bbb" in page
    assert "aaa" in page
    assert "secret" not in page
    assert "TextIOWrapper" not in page
    assert not (tmp_path / "stolen").exists()


@pytest.mark.slow
def test_no_lesson_is_read_through_a_link(build: Build, collection: Path, tmp_path: Path) -> None:
    """The error names the file, also if a lesson of the same text is cached."""
    lesson = collection / "track" / "lessons" / "01-begin.md"
    build("site")
    lesson.rename(tmp_path / "elsewhere.md")
    lesson.symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(DefinitionError, match=r"01-begin\.md:1:1: a symbolic link"):
        build("site")


@pytest.mark.slow
@pytest.mark.release
def test_another_version_remembers_nothing_of_this_one(in_process: Process, tmp_path: Path) -> None:
    """Whatever in it has changed: a template, a script, or code that a page is made by."""
    copy = tmp_path / "checkout"
    for name in ("grader", "reference", "site"):
        shutil.copytree(
            ROOT / name,
            copy / name,
            ignore=shutil.ignore_patterns("__pycache__", "node_modules", "frontend"),
        )
    assert in_process("site", at=copy).returncode == 0
    for path, old, new, seen, seen_in in (
        ("site/templates/exercise.html", "Starter code", "Begin with", "Begin with", "double/index.html"),
        ("site/assets/theme.js", '"use strict";', '"use strict"; // new', "// new", "assets/theme-"),
        ("site/sitegen/search.py", "search/v1", "search/v2", "search/v2", "assets/search-index-"),
        ("grader/grading/expected/public_form.py", "points=test.points", "points=7777", "7777", "double/index"),
    ):  # fmt: skip
        change(copy, path, old, new)
        finished = in_process("site", at=copy)
        assert finished.returncode == 0, finished.stderr
        built = contents(tmp_path / "site").items()
        assert any(seen.encode() in content for name, content in built if seen_in in name), path


@pytest.mark.slow
def test_python_comes_from_where_it_is_said(build: Build, tmp_path: Path) -> None:
    """It comes from another folder on the net, or is copied from this machine."""
    away = build("away", "--pyodide-url", "https://example.org/py")
    assert b'data-pyodide="https://example.org/py/"' in away["track/double/index.html"]

    folder = tmp_path / "pyodide"
    folder.mkdir()
    digest = hashlib.sha256(b"x").hexdigest()
    packages = {"numpy": {"file_name": "numpy.whl", "sha256": digest, "depends": []}}
    (folder / "pyodide-lock.json").write_text(json.dumps({"packages": packages}))
    for name in ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"):
        (folder / name).write_text("x")
    with pytest.raises(UsageError, match=r"no Pyodide distribution with NumPy: numpy\.whl"):
        build("here", "--pyodide-dir", str(folder))
    assert not (tmp_path / "here").exists()
    (folder / "numpy.whl").write_text("x")
    here = build("here", "--pyodide-dir", str(folder))
    assert b'data-pyodide="../../pyodide/"' in here["track/double/index.html"]
    assert here["pyodide/numpy.whl"] == b"x"


def test_two_places_for_python_are_refused(build: Build, tmp_path: Path) -> None:
    """One of them would be ignored."""
    with pytest.raises(UsageError, match="two places for one thing"):
        build("x", "--pyodide-url", "https://a.org/", "--pyodide-dir", str(tmp_path))


@pytest.mark.slow
def test_an_address_adds_what_needs_one(build: Build) -> None:
    """Sitemap, feed and canonical links; without it no file names an address of the site."""
    bare = build("without")
    found = build("with", "--site-url", "https://example.org/etude")
    page = found["track/double/index.html"].decode()
    address = "https://example.org/etude/track/double/"

    assert f'<link rel="canonical" href="{address}">' in page
    assert f'<meta property="og:url" content="{address}">' in page
    assert f"<loc>{address}</loc>".encode() in found["sitemap.xml"]
    assert f"<link>{address}</link>".encode() in found["feed.xml"]
    assert b"Sitemap: https://example.org/etude/sitemap.xml" in found["robots.txt"]
    assert b'href="/etude/search/index.html"' in found["404.html"]
    assert not {"sitemap.xml", "feed.xml"} & set(bare)
    assert b"Sitemap" not in bare["robots.txt"]
    assert b"og:title" in bare["index.html"]
    assert b"og:url" not in bare["index.html"]


@pytest.mark.slow
def test_a_feed_s_item_is_new_when_the_task_is(build: Build, collection: Path) -> None:
    """Changed text makes it new; a changed test does not."""

    def ids() -> list[str]:
        feed = build("site", "--site-url", "https://example.org/")["feed.xml"].decode()
        return [part.partition("<")[0] for part in feed.split('isPermaLink="false">')[1:]]

    first = ids()
    change(collection, "track/01-double.yaml", "{id: two", "{hidden: true, id: two")
    assert ids() == first
    change(collection, "track/01-double.yaml", "Write `double(x)`.", "Write it.")
    assert [one == other for one, other in zip(ids(), first, strict=True)] == [True, False, True]
