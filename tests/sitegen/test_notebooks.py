"""Lessons and exercises as notebooks beside their pages."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from grader.definitions.files import courses, default_folder
from sitegen.from_collection.builder import ContentBuilder, open_site_cache
from sitegen.lesson_notebooks import lesson_notebook
from tests.sitegen.conftest import Build, Site, make_exercise, make_track


def cells(book: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(book)["cells"]
    return found


def run(book: str) -> str:
    """Run the cells of a notebook as Jupyter would, and return their output."""
    printed, namespace = io.StringIO(), {"__name__": "__main__"}
    with contextlib.redirect_stdout(printed):
        for cell in cells(book):
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), namespace)  # noqa: S102  our own lessons
    return printed.getvalue()


def test_a_lesson_is_a_notebook_too(site: Site) -> None:
    """Its title first, then its cells in their order, hidden ones folded; the page links it."""
    link = site["course/lessons/begin/index.html"].one("a", download="").attributes["href"]
    book = (site.root / "course/lessons/begin" / link).read_text("utf-8")

    texts = ["".join(each["source"]) for each in cells(book)]
    assert texts[0].startswith("# Another title")
    assert texts[2:4] == [
        "print(1)\nheatmap(weights)",
        "**Your turn**\n\n- Title of two: `etude check two two.py`",
    ]
    folded = [each["source"] for each in cells(book) if each["metadata"]]
    assert folded[1:] == [["table(numbers)"]]


def test_an_exercise_links_its_notebook(build: Build) -> None:
    """The notebook is linked if it exists: an exercise that asks for several files lacks it."""
    track = make_track(make_exercise("one"), make_exercise("two"))
    site = build(track, notebooks={"one": lambda: "a notebook"})

    link = site["attention/one/index.html"].one("a", download="").attributes["href"]
    assert (site.root / "attention/one" / link).read_text("utf-8") == "a notebook"
    assert not site["attention/two/index.html"].all("a", download="")


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("folder", [default_folder(), courses()["learning-from-data"]])
def test_the_notebooks_of_all_lessons_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With tables and heatmaps, from the first cell to the last; their data files come along."""
    mpl.use("agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))  # as Jupyter does
    with ContentBuilder(cache=open_site_cache()) as builder:
        content = builder.build_collection(folder)
        for lessons in content.lessons.values():
            for lesson in lessons:
                assert run(lesson_notebook(lesson, {})), lesson.id
