"""Notebooks that are handed out: what is in them, and that a right solution passes their cells."""

import json
import sys
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.course.handout_notebook import format_value, make_handout
from grader.definitions.collection import find_exercise, load_exercise_file
from grader.definitions.exercise import Exercise, Seeded
from grader.definitions.files import default_folder
from grader.errors import DefinitionError, Location
from grader.grading.expected.public_form import MAX_DATA_IN_PAGE
from grader.grading.submissions.submission import Submission
from tests.conftest import Etude

FEW = ("token-lookup", "attention-weights", "broadcasting", "test-softmax")
PATHS = sorted(path for path in default_folder().glob("*/*.yaml") if path.name != "track.yaml")


@pytest.fixture(autouse=True)
def folder_of_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run cells in a folder of their own; one writes the module `program` there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "program", raising=False)


def cells(book: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(book)["cells"]
    return found


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def assert_sound(exercise: Exercise) -> None:
    """Run the cells of a notebook with the solution in the place of the starter."""
    book, is_suite = make_handout(exercise), exercise.kind == "test"
    namespace: dict[str, Any] = {}
    for cell in cells(book):
        if cell["cell_type"] == "code":
            code = exercise.solution if cell["id"] == "solution" else source(cell)
            exec(code, namespace)  # noqa: S102  our own exercises
    has_cells = exercise.kind not in ("predict", "test")
    visible = [test for test in exercise.tests if not test.hidden and has_cells]
    assert len(cells(book)) == 4 + len(visible) + bool(visible) + 2 * is_suite
    text = "\n".join(map(source, cells(book)))
    assert exercise.solution.strip() not in text
    assert not is_suite or exercise.program.strip() not in text
    seeded = [test.given.code for test in exercise.tests if isinstance(test.given, Seeded)]
    assert not any(code in text for code in seeded if len(code) > 40)  # not `n = 3`
    ((_, code),) = Submission.from_bytes(Path("x.ipynb"), book.encode()).cells
    assert code == exercise.starter.rstrip("\n")


def test_a_right_solution_passes_the_cells_and_only_the_starter_is_submitted() -> None:
    """For exercises of a few kinds; nothing hidden is in the notebook."""
    for name in FEW:
        assert_sound(find_exercise(name, default_folder()))


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_exercise_makes_a_sound_notebook(path: Path) -> None:
    """As above, for all of them."""
    assert_sound(load_exercise_file(path))


def test_the_command_writes_a_notebook_and_changes_none(etude: Etude, tmp_path: Path) -> None:
    """A student's work could be in it."""
    assert etude("export", "notebook", "token-lookup").returncode == 0
    path = tmp_path / "token-lookup.ipynb"
    before = path.read_text()
    assert source(cells(before)[0]).startswith("# Look up the vectors of tokens\n")
    again = etude("export", "notebook", "token-lookup")
    assert (again.returncode, path.read_text()) == (2, before)
    assert "is there already" in again.stderr


def test_images_of_the_instructions_are_attached(tmp_path: Path) -> None:
    """The notebook is then one file; a file name inside code stays unchanged."""
    picture = b"\x89PNG\r\n\x1a\n and so on"
    path = tmp_path / "01-x.yaml"
    (tmp_path / "two rows.png").write_bytes(picture)
    text = "![rows](<two rows.png>) and ![rows](two%20rows.png), not `![x](y.png)`"
    exercise = replace(
        find_exercise("token-lookup", default_folder()), where=Location(path), instructions=text
    )

    cell = cells(make_handout(exercise))[0]

    assert "![rows](attachment:image-1.png) and ![rows](attachment:image-2.png)" in source(cell)
    assert "`![x](y.png)`" in source(cell)
    attached = [b64decode(each["image/png"]) for each in cell["attachments"].values()]
    assert attached == [picture, picture]
    (tmp_path / "two rows.png").unlink()
    with pytest.raises(DefinitionError, match=r"01-x.yaml:.*there is no file 'two rows.png'"):
        make_handout(exercise)


def test_a_notebook_brings_its_data_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell writes them that is not part of a submission; those too large are named."""
    data = {"numbers.csv": b"1.5\n2.5\n"}
    exercise = replace(find_exercise("token-lookup", default_folder()), data=data)
    book = make_handout(exercise)
    monkeypatch.chdir(tmp_path)

    exec(source(cells(book)[1]), {})  # noqa: S102  our own

    assert (tmp_path / "numbers.csv").read_bytes() == data["numbers.csv"]
    assert len(Submission.from_bytes(Path("x.ipynb"), book.encode()).cells) == 1
    large = replace(exercise, data={"large.csv": bytes(MAX_DATA_IN_PAGE + 1)})
    assert (
        source(cells(make_handout(large))[1])
        == "Put these files beside this notebook: `large.csv`."
    )


@pytest.mark.parametrize(
    "value",
    [
        np.array([[1.5, np.nan], [-np.inf, 0.1]]),
        np.array([], float),
        np.array([1, 2], np.int8),
        {"a": (1,), "b": [None, "x"], 2: -0.0},
        np.array(["a", "bc"]),
        (np.array([True]), 1j),
    ],
)
def test_values_are_written_as_python(value: object) -> None:
    """The same value and dtype come back."""
    text = format_value(value)
    assert text is not None
    found = eval(text, {"np": np})  # noqa: S307  our own text
    np.testing.assert_equal(found, value)
    assert getattr(found, "dtype", None) == getattr(value, "dtype", None)
    assert format_value([np.zeros(3_000)]) is None
    assert format_value(object()) is None


def test_a_track_is_one_notebook_and_is_submitted_as_one(etude: Etude, tmp_path: Path) -> None:
    """Two right, one wrong, and the rest not begun, so not submitted; under any file name."""
    assert etude("export", "notebook", "numpy-warmup").returncode == 0
    book = json.loads((tmp_path / "numpy-warmup.ipynb").read_text())
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    right = {name: find_exercise(name, default_folder()) for name in ("axis-sums", "keepdims")}
    for cell in book["cells"]:
        marker = cell["metadata"].get("etude")
        name = marker["exercise"] if isinstance(marker, dict) else ""
        if cell["cell_type"] == "code" and name in right:
            cell["source"] = right[name].solution
        elif cell["cell_type"] == "code" and name == "fancy-indexing":
            cell["source"] = ["# wrong\n", *cell["source"]]
    upload = tmp_path / "zip/Ada Lovelace_7_assignsubmission_file_/week 1.ipynb"
    upload.parent.mkdir(parents=True)
    upload.write_text(json.dumps(book))

    finished = etude("grade", "zip", "--output", "a.jsonl")
    assert [line.split()[-3:-1] for line in finished.stdout.splitlines() if "Ada" in line] == [
        ["axis-sums", "passed"], ["fancy-indexing", "failed"], ["keepdims", "passed"],
    ]  # fmt: skip
    assert "3 submissions: 2 passed, 1 failed" in finished.stdout
    single = etude("check", "keepdims", str(upload))
    assert single.returncode == 0, single.stdout
    unclear = etude("check", str(upload))
    assert "has array-shapes, axis-sums, keepdims and 9 more; name the EXERCISE" in unclear.stderr
    assert "nothing for this exercise yet" in etude("check", "einsum", str(upload)).stderr
    etude("collect", "zip", "--into", "in")
    finished = etude("grade", "in", "--output", "b.jsonl")
    assert "3 submissions: 2 passed, 1 failed" in finished.stdout
