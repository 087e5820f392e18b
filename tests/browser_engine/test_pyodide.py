"""The shipped Python in the Python of browsers, run by Node: Pyodide, and its NumPy."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.browser.shipping import bundle, make_grading_data
from grader.grading.feedback.versions import HERE
from grader.sandbox.process import Sandbox
from tests.browser_engine.conftest import Page, Programs, Said
from tests.browser_engine.test_verdicts import in_sandbox
from tests.grading.conftest import Make
from tests.grading.feedback.test_versions import NEWER
from tests.own_collection import COLLECTION, COURSES

pytestmark = pytest.mark.slow

CELLS = ["x = np.eye(2)\nheatmap(x)", "x.sum()"]
COURSES_FOR_PRACTICE = {
    name: [e for e in course.exercises if e.course and e.course.grading == "practice"]
    for name, course in {"": COLLECTION, **COURSES}.items()
}
# Their values are right, and only the warnings of NumPy, which no page hears, tell them apart.
PASS_WITHOUT_WARNINGS = {
    ("fully-masked-rows", "replaced-afterwards"),
    ("logistic-sigmoid", "first-form"),
    ("logistic-sigmoid", "both-forms-everywhere"),
}
ENDINGS = {
    "1 / 0": "ZeroDivisionError",
    "while True: print('x' * 999)": "printed more than it may",
    "def f(): f()\nf()": "RecursionError",
    "import numpy as np\nnp.ones((10**6, 10**6))": "more memory than it may use",
    "import scipy": "no module `scipy` here",
    "import sys\nsys.exit()": "sys.exit()",
    "import builtins\nbuiltins.len = None": "ended the whole program",
}


def in_pyodide(node: list[str], calls: list[list[str]], folder: Path) -> list[Any]:
    """Answer calls as a worker in a browser does; nothing may go to the console."""
    archive, asked = folder / "bundle.zip", folder / "calls"
    archive.write_bytes(bundle())
    asked.write_text("".join(f"{json.dumps(call)}\n" for call in calls))
    command = [*node, str(archive), str(asked)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr[-2000:]
    said = json.loads(finished.stdout)
    assert (said["shown"], finished.stderr) == ([], "")
    return [None if answer is None else json.loads(answer) for answer in said["answers"]]


def learner_view(verdict: dict[str, Any]) -> object:
    """Return what a learner reads; the default integers have 32 bits there."""
    tests = [
        (test["outcome"], test["message"].replace("int32", "int64"), test["line"], test["points"])
        for test in verdict["tests"]
    ]
    return verdict["outcome"], verdict["message"], verdict["line"], tests, verdict["diagnosis"]


@pytest.mark.skipif(HERE.python >= (3, 12), reason="the grader reads all of these")
def test_a_pass_that_the_grader_would_not_give_is_noted(
    node: list[str], make: Make, sandbox: Sandbox, tmp_path: Path
) -> None:
    """For each program that needs a newer Python, and for a name that its NumPy has no more."""
    right = "\n\ndef f(x):\n    return 2.0 * x\n"
    engine = make_grading_data(make({"given": {"x": 3}, "call": "f(x)", "expect": 6.0}), sandbox)
    starts = [start for start, (_, since) in NEWER.items() if since <= (3, 13)]
    starts.append("from itertools import batched")
    others = [
        "import numpy as np\nnp.trapz([1.0])",
        "d = {'a': 1}\nx = f'{d[\"a\"]!r:>{9}}'",
        "x = 1",
    ]
    calls = [["open_exercise", engine], *(["check", each + right] for each in [*starts, *others])]
    verdicts = in_pyodide(node, calls, tmp_path)[1:]
    assert {verdict["outcome"] for verdict in verdicts} == {"passed"}
    notes = [verdict.get("notes", []) for verdict in verdicts]
    for start, (note,) in zip(starts, notes, strict=False):
        assert note.startswith(f"The grader has {HERE}; this page has Python 3.13 and NumPy 2.2. ")
        assert "or newer, and the grader has 3.11" in note, start
    *_, trapezoid, plain, none = notes
    gone = "Line 2: NumPy 2.4 has no `np.trapz` any more: use `np.trapezoid`."
    assert (gone in trapezoid[0]) if HERE.numpy >= (2, 4) else not trapezoid
    assert plain == none == []


def test_pyodide_does_what_python_does_here(
    node: list[str],
    engines: dict[str, str],
    programs: dict[str, Programs],
    verdicts: dict[str, Said],
    tmp_path: Path,
) -> None:
    """The same verdicts in one process, after whatever learners do, and a lesson's cells."""
    runs = [["run", source] for source in ENDINGS]
    lesson = [["open_lesson"], *(["cell", code] for code in CELLS)]
    checks = [
        call
        for name, handed_in in programs.items()
        for call in (
            ["open_exercise", engines[name]],
            *(["check", code] for code in handed_in.values()),
        )
    ]
    answers = in_pyodide(node, [*runs, *lesson, *checks], tmp_path)

    for expected in ENDINGS.values():
        assert expected in answers.pop(0)["problem"]["message"]
    _, first, second, *rest = answers
    assert first["figures"][0]["values"] == [[1, 0], [0, 1]]
    assert (second["printed"], second["problem"]) == ("2.0\n", None)
    found = [learner_view(verdict) for verdict in rest if verdict is not None]
    assert found == [
        learner_view(verdict) for said in verdicts.values() for verdict in said.values()
    ]


def test_a_page_goes_on_after_a_time_out_as_the_sandbox_does(
    node: list[str], make: Make, sandbox: Sandbox, tmp_path: Path
) -> None:
    """The next test runs; after the third time-out none does."""
    tests = [{"given": {"x": n}, "call": "f(x)", "expect": 2.0 * n} for n in range(1, 6)]
    exercise = make(*tests, limits={"cpu_seconds": 1})
    loops = {"once": "x == 2", "often": "x > 1"}
    programs = {
        name: f"def f(x):\n    while {condition}:\n        pass\n    return 2.0 * x\n"
        for name, condition in loops.items()
    }
    (there,) = in_sandbox([(exercise, programs)], sandbox)
    calls = [["open_exercise", make_grading_data(exercise, sandbox)]]
    calls += [["check", code] for code in programs.values()]
    _, *here = in_pyodide(node, calls, tmp_path)
    assert [learner_view(verdict) for verdict in here] == [
        learner_view(verdict) for verdict in there.values()
    ]
    ends = [[test["outcome"] for test in verdict["tests"]] for verdict in here]
    assert ends == [
        ["passed", "timed out", "passed", "passed", "passed"],
        ["passed", "timed out", "timed out", "timed out", "not run"],
    ]


@pytest.mark.release
@pytest.mark.parametrize("course", [name for name, found in COURSES_FOR_PRACTICE.items() if found])
def test_pages_for_practice_pass_each_solution_and_no_known_mistake(
    course: str,
    node: list[str],
    page: Page,
    sandbox: Sandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pass means the same as elsewhere, or the verdict says that a test is run elsewhere.

    Pyodide runs the solutions; starters and mistakes run in the same Python outside it, in a third
    of the time.
    """
    for name in [name for name in sys.modules if name.startswith("learning_reference")]:
        monkeypatch.delitem(sys.modules, name)  # from the files: tests of the reference import it
    solved: list[list[str]] = []
    passed: set[tuple[str, str]] = set()
    for exercise in COURSES_FOR_PRACTICE[course]:
        opening = ["open_exercise", make_grading_data(exercise, sandbox, for_practice=True)]
        solved += [opening, ["check", exercise.solution]]
        page(*opening)
        wrong = {"": exercise.starter, **{each.id: each.code for each in exercise.misconceptions}}
        for name, code in wrong.items():
            verdict = page("check", code)
            if verdict["outcome"] == "passed":
                assert verdict["hidden_elsewhere"], (exercise.id, name)
                passed.add((exercise.id, name))
    verdicts = in_pyodide(node, solved, tmp_path)[1::2]
    ids = [exercise.id for exercise in COURSES_FOR_PRACTICE[course]]
    outcomes = zip(ids, [verdict["outcome"] for verdict in verdicts], strict=True)
    assert dict(outcomes) == dict.fromkeys(ids, "passed")
    assert passed == {each for each in PASS_WITHOUT_WARNINGS if each[0] in ids}
