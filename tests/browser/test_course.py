"""A course's packages and data files in the Python of its pages."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import sortedcontainers  # type: ignore[import-untyped]  # Hypothesis brings it
from playwright.sync_api import expect

from tests.browser.conftest import NewContext
from tests.browser.hosting import BASE, hosted
from tests.browser.learner import Bench
from tests.browser.tools import Tools, add_package, build_site

pytestmark = pytest.mark.slow

EXERCISE = """\
id: largest
title: Largest
difficulty: beginner
xp: 5
instructions: Write `largest(name)`, the largest number in a file.
defines: {largest: {}}
files: [data/small.csv]
starter: |
  import numpy as np
  from sortedcontainers import SortedList


  def largest(name):
      ...
tests:
  - id: visible
    given: {name: small.csv}
    call: largest(name)
    expect: 7.0
  - id: secret
    hidden: true
    given: {name: small.csv}
    call: -largest(name)
    expect: solution
solution: |
  import numpy as np
  from sortedcontainers import SortedList


  def largest(name):
      return SortedList(np.loadtxt(name, delimiter=",").tolist())[-1]
explanation: Sort and take the last.
"""
RIGHT = (
    EXERCISE.partition("solution: |\n")[2].partition("explanation")[0].replace("\n  ", "\n").strip()
)
LESSON = """\
# Data

```files
data/small.csv
```

```python
from sortedcontainers import SortedList
print(SortedList(map(float, open("small.csv").read().split(","))))
```
"""


@pytest.fixture(scope="module")
def pages(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a course's site, whose Python has one more package."""
    course, pyodide = (tmp_path_factory.mktemp(name) for name in ("course", "pyodide"))
    shutil.copytree(tools.pyodide, pyodide, dirs_exist_ok=True)
    package = Path(sortedcontainers.__file__).parent
    files = {
        f"{package.name}/{path.name}": path.read_text("utf-8") for path in package.glob("*.py")
    }
    add_package(pyodide, package.name, files)
    (course / "course.yaml").write_text("title: T\npackages: [sortedcontainers]\n")
    (course / "data").mkdir()
    (course / "data" / "small.csv").write_text("3,7,1\n")
    (course / "first" / "lessons").mkdir(parents=True)
    (course / "first" / "track.yaml").write_text(
        "id: first\ntitle: First\ndescription: D.\nexercises: [largest]\n"
        "lessons: [{id: data, title: Data, exercises: [largest]}]\n"
    )
    (course / "first" / "largest.yaml").write_text(EXERCISE)
    (course / "first" / "lessons" / "01-data.md").write_text(LESSON)
    site = tmp_path_factory.mktemp("built") / "site"
    words = ("--exercises", course, "--no-cache", "--pyodide-dir", pyodide)
    with hosted(build_site(site, tools, BASE, *words)) as address:
        yield address


def test_a_package_and_a_data_file_of_a_course(pages: str, new_context: NewContext) -> None:
    """A submission and a lesson's cell can import the package and read the file."""
    page = new_context(pages).new_page()
    page.goto("first/largest/")
    assert (
        page.request.get(page.get_by_role("link", name="small.csv").evaluate("a => a.href")).text()
        == "3,7,1\n"
    )
    bench = Bench(page)
    bench.check(RIGHT)
    bench.concludes("The visible test passes")
    page.goto("first/lessons/data/")
    cell = page.locator(".cell").first
    cell.get_by_role("button", name="Run cell").click()
    expect(cell.locator(".cell-said")).to_contain_text("Ran in")
    expect(cell.locator(".results")).to_contain_text("SortedList([1.0, 3.0, 7.0])")
