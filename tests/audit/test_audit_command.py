"""`etude audit`, from files to its report and its tests."""

import json
from pathlib import Path

import pytest

from tests.conftest import Etude

SOLUTION = '''import numpy as np


def scores(Q, K, mask=None):
    """Return the scaled scores; those that the mask rules out are -1e9."""
    found = Q @ K.T / np.sqrt(Q.shape[-1])
    if mask is not None:
        found = np.where(mask, found, -1e9)
    return found
'''
WEAK = """import numpy as np

from solution import scores


def test_values():
    Q = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    np.testing.assert_allclose(scores(Q, Q), [[0.5, 0.0], [0.0, 2.0]])


def test_shape():
    assert scores(np.ones((2, 4)), np.ones((3, 4))).shape == (2, 3)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "homework"
    made.mkdir()
    (made / "solution.py").write_text(SOLUTION)
    (made / "test_scores.py").write_text(WEAK)
    return made


@pytest.fixture
def no_exercises(tmp_path: Path) -> Path:
    (tmp_path / "none").mkdir()
    return tmp_path / "none"


@pytest.mark.slow
def test_tests_that_never_mask_are_found_and_completed(
    etude: Etude, folder: Path, no_exercises: Path
) -> None:
    """The mask's mutants survive; with the tests that are written none does."""
    extra = folder / "test_extra.py"
    words = ("audit", folder, "--jobs", "2", "--exercises", no_exercises)
    finished = etude(*words, "--write", extra)
    assert finished.returncode == 1
    assert "mask-polarity in scores" in finished.stdout
    assert ", mask=np.array([" in finished.stdout
    assert "1 of 2 tests accepts a result of the right shape full of sevens" in finished.stdout
    again = etude(*words)
    assert again.returncode == 0, again.stdout
    assert "No hole was found" in again.stdout


BRANCHES = """def add(a, b=0):
    \"\"\"Add.\"\"\"
    if a > 3:
        return a + b
    for each in range(a):
        b += 1
    try:
        return b
    except ValueError:
        return None


def never(x):
    return x + 1


class Point:
    def __eq__(self, other):
        if not isinstance(other, Point):
            return NotImplemented
        return True


def total(rows):
    return sum(sum(row) for row in rows)
"""


@pytest.mark.slow
def test_branches_that_no_test_enters_are_holes_and_their_changes_are_counted_apart(
    etude: Etude, folder: Path, no_exercises: Path
) -> None:
    """A function that no test calls is not a hole, but its changes were not tried either."""
    (folder / "solution.py").write_text(BRANCHES)
    (folder / "test_scores.py").write_text(
        "from solution import Point, add, total\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
        "    assert Point() == Point()\n"
        "    assert add(2, 2) == 4\n    assert add(0, 7) == 7\n\n\ndef test_total():\n"
        "    assert total([[1, 2], [4, 8]]) == 15\n    assert total([[3, 1], [5, 2]]) == 11\n"
        "    assert total([[3, 9], [4, 2]]) == 18\n"
    )
    words = ("audit", folder, "--exercises", no_exercises, "--jobs", "2")
    finished = etude(*words)
    assert finished.returncode == 1
    hole = "No test enters line 4 of add and line 10 of add."
    assert f"HOLE  {hole}" in finished.stdout
    assert "were not tried" in finished.stdout
    assert "All arrays in the tests are square; they have no negative number;" in finished.stdout
    (folder / "accepted.txt").write_text(hole)
    again = etude(*words, "--accepted", folder / "accepted.txt")
    assert f"note  {hole}" in again.stdout


@pytest.mark.slow
def test_values_are_not_called(etude: Etude, folder: Path, no_exercises: Path) -> None:
    """An assignment that asks for values alone has nothing to call."""
    (folder / "solution.py").write_text("x = 2\n")
    (folder / "test_scores.py").write_text(
        "from solution import x\n\n\ndef test_x():\n    assert x == 2\n"
    )
    finished = etude("audit", folder, "--exercises", no_exercises)
    assert finished.returncode == 0, finished.stdout
    assert "never call" not in finished.stdout


@pytest.mark.slow
def test_a_missing_package_of_the_course_has_a_way_out(
    etude: Etude, folder: Path, no_exercises: Path
) -> None:
    """A stub module beside the solution is enough."""
    tests = folder / "test_scores.py"
    tests.write_text("import coursegrader\n" + WEAK)
    words = ("audit", folder, "--exercises", no_exercises)
    finished = etude(*words)
    assert finished.returncode == 2
    assert "install it, or put a file 'coursegrader.py' beside the solution" in finished.stderr
    (folder / "coursegrader.py").write_text("")
    assert "does not load" not in etude(*words).stderr


@pytest.mark.slow
def test_accepted_survivors_are_no_holes(etude: Etude, folder: Path, no_exercises: Path) -> None:
    """A file names them; what it does not name is a hole still."""
    words = ("audit", folder, "--exercises", no_exercises, "--jobs", "2")
    (found,) = json.loads(etude(*words, "--format", "json").stdout)["audits"]
    changes = [each["change"] for each in found["survivors"]]
    assert changes
    accepted = folder / "accepted.txt"
    accepted.write_text("# agreed\n" + "\n".join(changes))
    finished = etude(*words, "--accepted", accepted)
    assert finished.returncode == 0, finished.stdout
    assert "Named in the file of accepted ones" in finished.stdout


@pytest.mark.slow
def test_every_part_of_an_audit_shows_its_progress(
    etude: Etude, folder: Path, no_exercises: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run of the wrong programs, the search for calls, and the proof of tests."""
    monkeypatch.setattr("grader.cli.progress_bar._SECONDS_BETWEEN_LINES", 0.0)
    (folder / "solution.py").write_text("def double(x):\n    return 2 * x\n")
    (folder / "test_scores.py").write_text(
        "from solution import double\n\n\ndef test_double():\n    assert double(0) == 0\n"
    )
    shown = etude("audit", folder, "--exercises", no_exercises, "--jobs", "2").stderr
    steps = dict.fromkeys(line.partition(" ")[0] for line in shown.splitlines())
    assert [*steps] == ["audited", "explained", "proved"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--format", "xml"], "'xml' is not a format of an audit; there are text, markdown, json"),
        (["--format", "text", "--format", "json"], "two reports in one place"),
    ],
)
def test_reports_that_cannot_be_had(
    etude: Etude, folder: Path, words: list[str], says: str
) -> None:
    """A sentence before anything runs."""
    finished = etude("audit", folder, *words)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert says in finished.stderr


@pytest.mark.slow
def test_several_reports_of_one_run(etude: Etude, folder: Path, no_exercises: Path) -> None:
    """Each with a file is written there, the other one is printed; JSON tests for a problem."""
    words = (
        "--format",
        "text",
        "--format",
        f"sarif={folder / 'a.sarif'}",
        "--write",
        folder / "a.json",
    )
    finished = etude("audit", folder, "--exercises", no_exercises, *words)
    assert finished.stdout.startswith("homework (pytest): ")
    assert json.loads((folder / "a.sarif").read_text())["version"] == "2.1.0"
    entries = json.loads((folder / "a.json").read_text())
    assert {entry["expected_output"] for entry in entries} == {"passed"}


@pytest.mark.slow
def test_a_folder_of_assignments(etude: Etude, tmp_path: Path, no_exercises: Path) -> None:
    """All are in one report; one that cannot be audited is named, and the status is 2."""
    for name in ("one", "two"):
        problem = tmp_path / "all" / name
        problem.mkdir(parents=True)
        (problem / "solution.py").write_text("def double(x):\n    return 2 * x\n")
        (problem / "tests.json").write_text('[{"test": {"x": 3}, "expected_output": 6}]')
    words = ("audit", tmp_path / "all", "--exercises", no_exercises, "--jobs", "2")
    finished = etude(*words)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "0 of 2 assignments have holes" in finished.stdout
    refused = etude(*words, "--write", tmp_path / "extra.py")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--write is for one assignment, and there are 2" in refused.stderr
    (problem / "tests.json").write_text('[{"test": {"x": 3}, "expected_output": 7}]')
    finished = etude(*words)
    assert finished.returncode == 2
    assert "two: the solution passes none of 1 test" in finished.stderr
    assert "one (problem folder)" in finished.stdout


ATTENTION = """import numpy as np


def attend(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ V
"""
ONE_SIZE = """import numpy as np

from solution import attend


def test_values():
    Q = np.eye(2)
    found = attend(Q, Q, np.array([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_allclose(found, [[1.66, 2.66], [2.34, 3.34]], atol=1e-2)
"""


@pytest.mark.slow
def test_known_mistakes_are_matched_by_behaviour(etude: Etude, folder: Path) -> None:
    """A function under another name does what attention does, so its known mistakes are tried."""
    (folder / "solution.py").write_text(ATTENTION)
    (folder / "test_scores.py").write_text(ONE_SIZE)
    finished = etude("audit", folder, "--jobs", "2", "--format", "json")
    (audit,) = json.loads(finished.stdout)["audits"]
    known = {each["misconception"]: each for each in audit["survivors"] if each["misconception"]}
    wrong_size = next(
        each for title, each in known.items() if title.startswith("scaled by the number of keys")
    )
    assert wrong_size["example"].startswith("attend(")
    assert wrong_size["test"]
    assert audit["misconceptions"] > len(known) > 0


@pytest.mark.parametrize(
    ("tests", "says"),
    [
        ("import solution.nothing\n\ndef test_one(): pass\n", "does not load: Module"),
        ("import solution\n\n\ndef test_one(): assert 1 == 2\n", "passes none of 1 test"),
        ("import solution\n\n\ndef test_one(tmp_path): pass\n", "the tests need a file to write"),
        ("import solution\n\n\ndef test_one(mocker): pass\n", "fixture 'mocker' not found"),
        ("import solution, sys\nsys.exit(3)\n\n\ndef test_one(): pass\n", "tests: SystemExit: 3"),
        (
            "import os, solution\n\n\ndef test_one(): os._exit(0)\n",
            "ended the process with status 0",
        ),
        (
            # Not a test of ours: an assignment that skips all of its own.
            "import pytest, solution\n\n\n@pytest.mark.skip\ndef test_one(): pass\n",
            "pytest skipped every test",
        ),
    ],
)
def test_what_cannot_be_audited(
    etude: Etude, folder: Path, no_exercises: Path, tests: str, says: str
) -> None:
    """One sentence, and status 2."""
    (folder / "test_scores.py").write_text(tests)
    finished = etude("audit", folder, "--exercises", no_exercises)
    assert finished.returncode == 2
    assert says in finished.stderr
    assert finished.stderr.count("\n") == 1


MODEL = """import numpy as np


class Scaler:
    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X):
        self.mean = X.mean(axis=0)
        return self

    def transform(self, X):
        return X - self.mean + self.shift
"""
TEST_CASE = """import unittest

import numpy as np

import solution


class TestScaler(unittest.TestCase):
    def test_shape(self):
        X = np.random.rand(3, 2)
        self.assertEqual(solution.Scaler().fit(X).transform(X).shape, (3, 2))

    def test_idle(self):
        self.assertTrue(np.ones(2).all())
"""


@pytest.mark.slow
def test_methods_of_a_class_and_unittest(etude: Etude, folder: Path, no_exercises: Path) -> None:
    """Calls of one object belong together; tests that are written are methods of a test case."""
    (folder / "solution.py").write_text(MODEL)
    (folder / "test_scores.py").write_text(TEST_CASE)
    extra = folder / "test_extra.py"
    words = ("audit", folder, "--exercises", no_exercises, "--format", "json", "--jobs", "2")
    (audit,) = json.loads(etude(*words, "--write", extra).stdout)["audits"]
    checks = {each["name"]: each for each in audit["checks"]}
    assert checks["never calls"]["tests"] == ["test_scores.py::TestScaler::test_idle"]
    assert checks["unseeded"]["tests"] == ["test_scores.py::TestScaler::test_shape"]
    mean = next(each for each in audit["survivors"] if "drop-axis" in each["change"])
    assert mean["example"].startswith("scaler = Scaler(); scaler.fit(np.array(")
    assert "class AuditTest(unittest.TestCase):" in extra.read_text()
    assert not json.loads(etude(*words).stdout)["audits"][0]["survivors"]


@pytest.mark.slow
def test_an_exercise_that_does_something_else_is_said_to_be_of_no_use(
    etude: Etude, folder: Path
) -> None:
    """Its solution fails the tests, so these would reject all its misconceptions as well."""
    finished = etude("audit", folder, "--jobs", "2", "--like", "layer-norm")
    assert "No known mistake of layer-norm was tried" in finished.stdout
