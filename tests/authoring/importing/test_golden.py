"""Sources of every layout, damaged as they come, with the report and the definitions they give.

`pytest tests/authoring/importing --update-goldens` writes them down again.
"""

from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise_file
from tests.conftest import Etude, Goldens

FOLDER = Path(__file__).parents[2] / "golden" / "importing"
SOURCES = [
    "lesson.md",
    "signs.html",
    "problems",
    "exercism/tally-box",
    "lab.ipynb",
    "homework.ipynb",
]


def golden_of(source: str) -> Path:
    return FOLDER / "out" / source.replace("/", "-").replace(".", "-")


@pytest.mark.parametrize(
    "source",
    [
        "lab.ipynb",
        *(pytest.param(each, marks=pytest.mark.slow) for each in SOURCES if each != "lab.ipynb"),
    ],
)
def test_each_source_gives_the_report_and_the_files_in_its_golden_folder(
    source: str, etude: Etude, tmp_path: Path, goldens: Goldens
) -> None:
    """Every repair, every decision, what is wrong, and the YAML itself."""
    finished = etude("import", FOLDER / source, "--into", "out")
    assert finished.returncode == 1, finished.stderr
    written = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    golden = golden_of(source)
    for name, text in {**written, "report.txt": finished.stdout}.items():
        goldens.check(golden / name, text)
    goldens.check_all([*golden.iterdir()], [golden / name for name in [*written, "report.txt"]])


def test_every_golden_folder_is_of_a_source(goldens: Goldens) -> None:
    """Nothing is left of a source that is gone."""
    there = [path for path in (FOLDER / "out").rglob("*") if path.is_file()]
    folders = {golden_of(source) for source in SOURCES}
    goldens.check_all(there, [path for path in there if path.parent in folders])


@pytest.mark.parametrize(
    "path", sorted((FOLDER / "out").glob("*/*.yaml")), ids=lambda path: path.stem
)
def test_each_definition_that_was_written_loads(path: Path) -> None:
    """What is imported is valid in the format, whatever is wrong with it otherwise."""
    assert load_exercise_file(path).solution
