"""The assignments of `examples/audit`: their reports, and that the suggested tests fill the holes."""

import ast
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import Etude, Goldens

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "audit"
GOLDEN = ROOT / "tests" / "golden" / "audit" / "examples"


def add_file(assignment: Path, extra: Path) -> None:
    """Put the written tests beside the others."""
    shutil.copy(extra, assignment / "test_extra.py")


def add_cell(assignment: Path, extra: Path) -> None:
    """Paste the written tests into a cell of the notebook, and call each."""
    tree = ast.parse(extra.read_text())
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    source = "\n\n\n".join(ast.unparse(node) for node in tests)
    calls = "\n".join(f"{node.name}()" for node in tests)
    book = json.loads(assignment.read_text())
    cell = json.loads(json.dumps(book["cells"][-1]))
    cell["source"] = f"{source}\n\n\n{calls}\n"
    cell["metadata"]["nbgrader"]["grade_id"] = "test_more"
    book["cells"].append(cell)
    assignment.write_text(json.dumps(book))


def add_entries(assignment: Path, extra: Path) -> None:
    """Put the written entries at the end of the list."""
    listed = assignment / "tests.json"
    listed.write_text(json.dumps([*json.loads(listed.read_text()), *json.loads(extra.read_text())]))


WAYS = {
    "attention-homework": ("extra.py", add_file),
    "normalization.ipynb": ("extra.py", add_cell),
    "matching-words": ("extra.json", add_entries),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "attention-homework",
        pytest.param("normalization.ipynb", marks=pytest.mark.release),
        pytest.param("matching-words", marks=pytest.mark.release),
    ],
)
def test_an_example_is_audited_and_completed(
    etude_process: Etude, goldens: Goldens, tmp_path: Path, name: str
) -> None:
    """The report is the recorded one; with the written tests no hole is left."""
    extra_name, apply = WAYS[name]
    assignment, extra = tmp_path / name, tmp_path / extra_name
    if (EXAMPLES / name).is_dir():
        shutil.copytree(EXAMPLES / name, assignment)
    else:
        shutil.copy(EXAMPLES / name, assignment)
    finished = etude_process("audit", assignment, "--write", extra, "--jobs", "2")
    assert finished.returncode == 1, finished.stderr
    goldens.check(GOLDEN / f"{name}.txt", without_times(finished.stdout))
    apply(assignment, extra)
    again = etude_process("audit", assignment, "--jobs", "2")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "No hole was found" in again.stdout


def without_times(text: str) -> str:
    """Return a report without what depends on the machine."""
    text = re.sub(r"; the slowest is \w+ with [\d.]+ s", "", text)
    return re.sub(r"[\d.]+ s\b", "N s", text)


def test_every_recorded_report_is_of_an_example() -> None:
    """And every example has one."""
    recorded = {path.stem for path in GOLDEN.iterdir()}
    assert recorded == {path.name for path in EXAMPLES.iterdir()} == set(WAYS)


def test_the_worked_example_of_the_documentation_is_the_recorded_report() -> None:
    """Line by line."""
    recorded = (GOLDEN / "attention-homework.txt").read_text().splitlines()
    page = (ROOT / "docs" / "how-to" / "audit.md").read_text()
    shown = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(shown) == 2
    assert [line for line in "".join(shown).splitlines() if line not in recorded] == []
