"""Sources of every layout, damaged as they come, with the report and the definitions they give.

`pytest tests/authoring/importing --update-goldens` writes them down anew.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise

FOLDER = Path(__file__).parents[2] / "golden" / "importing"
SOURCES = [
    "lesson.md",
    "signs.html",
    "problems",
    "exercism/tally-box",
    "lab.ipynb",
    "homework.ipynb",
]
COMMAND = (
    "from grader.cli import main; main._COMMANDS.setdefault('import', 'grader.cli.import_'); "
    "main.main()"
)


@pytest.mark.parametrize("source", SOURCES)
def test_each_source_gives_the_report_and_the_files_in_its_golden_folder(
    source: str, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Every repair, every decision, what is wrong, and the YAML itself."""
    golden = FOLDER / "out" / source.replace("/", "-").replace(".", "-")
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "import", str(FOLDER / source), "--into", "out"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    written = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    written["report.txt"] = done.stdout
    if pytestconfig.getoption("--update-goldens"):
        golden.mkdir(parents=True, exist_ok=True)
        for path in golden.iterdir():
            path.unlink()
        for name, text in written.items():
            (golden / name).write_text(text)
    assert written == {path.name: path.read_text() for path in golden.iterdir()}


@pytest.mark.parametrize(
    "path", sorted((FOLDER / "out").glob("*/*.yaml")), ids=lambda path: path.stem
)
def test_each_definition_that_was_written_loads(path: Path) -> None:
    """What is imported is valid in the format, whatever is wrong with it otherwise."""
    assert load_exercise(path).solution
