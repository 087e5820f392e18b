"""`etude site build`, as a person or a workflow runs it."""

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

Etude: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]


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
def build(tmp_path: Path, collection: Path) -> Etude:
    """Build the collection's site into a folder of this name."""

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


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_no_byte_depends_on_where_a_site_is_built(
    build: Etude, collection: Path, tmp_path: Path
) -> None:
    """Nor on the hour, the time zone, the language, the seed of hashes, or who may read it."""
    options = ("--no-cache", "--site-url", "https://example.org/")
    elsewhere = tmp_path / "another place" / "of mine"
    shutil.copytree(collection, elsewhere)
    environment = {
        "PYTHONHASHSEED": "77", "TZ": "Pacific/Kiritimati", "LANG": "tr_TR.UTF-8", "LC_ALL": "C",
        "SOURCE_DATE_EPOCH": "1", "COLUMNS": "40",
    }  # fmt: skip
    here = build("one", *options)
    there = build("an output/two", *options, source=elsewhere, umask=0o077, **environment)

    assert (here.returncode, there.returncode) == (0, 0), here.stderr + there.stderr
    assert not (tmp_path / "cache").exists()
    assert contents(tmp_path / "one") == contents(tmp_path / "an output" / "two")


def change(path: str, old: str, new: str) -> Callable[[Path], None]:
    def apply(collection: Path) -> None:
        file = collection / "track" / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    return apply


@pytest.mark.parametrize(
    "apply",
    [
        change("01-double.yaml", "return x * 2.0", "return x + x"),
        change("02-halve.yaml", "title: The exercise halve", "title: Half of it"),
        change("01-double.yaml", "You squared it.", "That is the *square*."),
        change("lessons/01-begin.md", "6 * 7", "7 * 7"),
        change("track.yaml", "[double, halve]", "[halve, double]"),
    ],
    ids=["solution", "title", "feedback", "lesson", "order"],
)
def test_a_second_build_gives_what_a_first_one_would(
    build: Etude, collection: Path, tmp_path: Path, apply: Callable[[Path], None]
) -> None:
    """After a change, into the folder of the build before it, by what is remembered of it."""
    assert build("site").returncode == 0
    before = contents(tmp_path / "site")
    apply(collection)
    assert build("site").returncode == 0
    assert build("fresh", "--no-cache").returncode == 0

    assert contents(tmp_path / "site") == contents(tmp_path / "fresh") != before


def test_pages_that_stay_are_not_written_again(
    build: Etude, collection: Path, tmp_path: Path
) -> None:
    """So whoever copies a site to its host copies what has changed."""
    assert build("site").returncode == 0
    pages = [tmp_path / "site" / "track" / name / "index.html" for name in ("double", "halve")]
    for page in pages:
        os.utime(page, (0, 0))
    change("01-double.yaml", "Write `double(x)`.", "Write it.")(collection)
    assert build("site").returncode == 0

    assert [page.stat().st_mtime == 0 for page in pages] == [False, True]


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        ("track/01-double.yaml", "concepts", "requires: [away]\nconcepts", "no exercise 'away'"),
        ("track/02-halve.yaml", "xp: 5", "xp: many", "02-halve.yaml:4"),
        ("track/track.yaml", "[double, halve]", "[double]", "is not listed"),
        ("other/01-far.yaml", "id: far", "id: near", "01-near.yaml"),
        ("03-alone.yaml", "xp: 5", "xp: many", "03-alone.yaml:4"),
    ],
    ids=["requires", "exercise", "track", "other track", "no track"],
)
def test_what_contradicts_what_is_remembered_is_told(  # noqa: PLR0917  four of one table
    build: Etude, collection: Path, path: str, old: str, new: str, told: str
) -> None:
    """Of whatever track, though all of the others are known to be valid, and as long as it does."""
    other = collection / "other"
    other.mkdir()
    (other / "01-far.yaml").write_text(EXERCISE.format(id="far", factor="3.0"))
    (other / "track.yaml").write_text(OTHER)
    (collection / "03-alone.yaml").write_text(EXERCISE.format(id="alone", factor="4.0"))
    assert build("site").returncode == 0
    change(f"../{path}", old, new)(collection)

    for _ in range(2):
        done = build("site")
        assert done.returncode == 2
        assert told in done.stderr


@pytest.mark.parametrize(
    ("path", "old", "new", "seen_in"),
    [
        ("site/templates/exercise.html", "Starter code", "Begin with", "track/double/index.html"),
        ("site/assets/theme.js", '"use strict";', '"use strict"; // new', "assets/theme-"),
        ("site/sitegen/search.py", "etude/search/v1", "etude/search/v2", "assets/search-index-"),
        ("grader/grading/projection.py", "points=test.points", "points=77", "track/double/index"),
    ],
    ids=["template", "asset", "generator", "grader"],
)
def test_another_version_remembers_nothing_of_this_one(  # noqa: PLR0917  four of one table
    build: Etude, tmp_path: Path, path: str, old: str, new: str, seen_in: str
) -> None:
    """Whatever in it has changed: a template, a script, or code that a page is made by."""
    copy = tmp_path / "checkout"
    for name in ("grader", "reference", "site"):
        shutil.copytree(
            ROOT / name,
            copy / name,
            ignore=shutil.ignore_patterns("__pycache__", "node_modules", "frontend"),
        )
    assert build("site", at=copy).returncode == 0
    file = copy / path
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    done = build("site", at=copy)
    assert done.returncode == 0, done.stderr

    told = new.removeprefix("points=")
    found = [content for name, content in contents(tmp_path / "site").items() if seen_in in name]
    assert any(told.encode() in content for content in found)


def test_python_comes_from_where_it_is_said(build: Etude, tmp_path: Path) -> None:
    """From another folder of the net, or copied from one of this machine."""
    assert build("away", "--pyodide-url", "https://example.org/py").returncode == 0
    page = (tmp_path / "away/track/double/index.html").read_text()
    assert 'data-pyodide="https://example.org/py/"' in page

    folder = tmp_path / "pyodide"
    folder.mkdir()
    digest = hashlib.sha256(b"x").hexdigest()
    packages = {"numpy": {"file_name": "numpy.whl", "sha256": digest, "depends": []}}
    (folder / "pyodide-lock.json").write_text(json.dumps({"packages": packages}))
    for name in ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"):
        (folder / name).write_text("x")
    refused = build("here", "--pyodide-dir", str(folder))
    assert (refused.returncode, (tmp_path / "here").exists()) == (2, False)
    assert "no Pyodide distribution with NumPy: numpy.whl" in refused.stderr
    (folder / "numpy.whl").write_text("x")
    assert build("here", "--pyodide-dir", str(folder)).returncode == 0
    page = (tmp_path / "here/track/double/index.html").read_text()
    assert 'data-pyodide="../../pyodide/"' in page
    assert (tmp_path / "here/pyodide/numpy.whl").read_text() == "x"


def test_two_places_for_python_are_refused(build: Etude, tmp_path: Path) -> None:
    """One of them would be ignored."""
    done = build("x", "--pyodide-url", "https://a.org/", "--pyodide-dir", str(tmp_path))

    assert done.returncode == 2
    assert "two places for one thing" in done.stderr


def test_an_address_adds_what_needs_one(build: Etude, tmp_path: Path) -> None:
    """Sitemap, feed and canonical links; without it no file names an address of the site."""
    assert build("without").returncode == 0
    assert build("with", "--site-url", "https://example.org/etude").returncode == 0
    site, bare = tmp_path / "with", tmp_path / "without"
    page = (site / "track/double/index.html").read_text()
    address = "https://example.org/etude/track/double/"

    assert f'<link rel="canonical" href="{address}">' in page
    assert f'<meta property="og:url" content="{address}">' in page
    assert f"<loc>{address}</loc>" in (site / "sitemap.xml").read_text()
    assert f"<link>{address}</link>" in (site / "feed.xml").read_text()
    assert "Sitemap: https://example.org/etude/sitemap.xml" in (site / "robots.txt").read_text()
    assert 'href="/etude/search/index.html"' in (site / "404.html").read_text()
    assert not (bare / "sitemap.xml").exists()
    assert not (bare / "feed.xml").exists()
    assert "Sitemap" not in (bare / "robots.txt").read_text()
    assert "og:title" in (bare / "index.html").read_text()
    assert "og:url" not in (bare / "index.html").read_text()


def test_a_feed_s_item_is_new_when_the_task_is(
    build: Etude, collection: Path, tmp_path: Path
) -> None:
    """A changed text is, a changed test is not: nobody has to do the exercise again for it."""

    def ids() -> list[str]:
        assert build("site", "--site-url", "https://example.org/").returncode == 0
        feed = (tmp_path / "site" / "feed.xml").read_text()
        return [part.partition("<")[0] for part in feed.split('isPermaLink="false">')[1:]]

    first = ids()
    change("01-double.yaml", "{id: two", "{hidden: true, id: two")(collection)
    assert ids() == first
    change("01-double.yaml", "Write `double(x)`.", "Write it.")(collection)
    assert [one == other for one, other in zip(ids(), first, strict=True)] == [True, False, True]
