"""Answers of the page's Python, whatever it is given."""

import json
import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from grader.browser.data_encoding import from_text
from grader.browser.shipping import make_break_data, make_grading_data
from grader.definitions.collection import load_exercise_file
from grader.definitions.student_edition import student_text
from grader.grading.diagnosis.break_it import judge_breaking_call
from grader.grading.expected.oracle import Oracle
from grader.grading.submissions.submission import Submission
from grader.sandbox.process import Sandbox
from tests.browser_engine.conftest import Page
from tests.browser_engine.test_shipping import decoded
from tests.grading.conftest import Fields, Make

TWICE: dict[str, object] = {"given": {"x": 3}, "call": "f(x)", "expect": 6.0}
RIGHT = "def f(x):\n    return 2.0 * x\n"


Check: TypeAlias = Callable[..., dict[str, Any]]


@pytest.fixture
def check(page: Page, make: Make, sandbox: Sandbox) -> Check:
    """Open an exercise with these tests, and check a program."""

    def check(*tests: Fields, program: str = RIGHT) -> dict[str, Any]:
        page("open_exercise", make_grading_data(make(*tests), sandbox))
        verdict: dict[str, Any] = page("check", program)
        return verdict

    return check


def figure(**parts: object) -> dict[str, Any]:
    return {"kind": "heatmap", "title": "", "rows": [], "columns": [], "whole": False, **parts}


def test_running_a_program_shows_what_it_prints(page: Page) -> None:
    """Both streams appear in order; the program runs as the main module."""
    source = "import sys\nprint('one')\nprint('two', file=sys.stderr)\nprint(__name__)\n"
    assert page("run", source) == {
        "output": "one\ntwo\n__main__\n",
        "truncated": 0,
        "figures": [],
        "problem": None,
    }


def test_a_run_has_the_inputs_of_the_visible_tests(
    page: Page, make: Make, sandbox: Sandbox
) -> None:
    """Those of the first test by name, of all by test; a run changes them for itself alone."""
    fields: dict[str, object] = {"given": {"x": [1, 2]}, "call": "f(x)", "expect": 1.0}
    tests: list[dict[str, object]] = [
        {"id": "one", **fields},
        {"id": "two", **fields, "given": {"x": 3}},
        {"id": "secret", **fields, "given": {"x": 4}, "hidden": True},
    ]
    engine = make_grading_data(make(tests=tests), sandbox, for_practice=True)
    page("open_exercise", engine)
    source = "print(x, inputs['two'], list(inputs))\nx[0] = 9\n"
    for _ in range(2):
        assert page("run", source)["output"] == "[1 2] {'x': 3} ['one', 'two']\n"


def test_a_run_draws_but_a_check_cannot(
    page: Page, engines: dict[str, str], programs: dict[str, dict[str, str]]
) -> None:
    """A heatmap of a run that was shown once is not shown again; the tests have no `heatmap`."""
    page("open_exercise", engines["scaled-scores"])
    (shown,) = page("run", "heatmap([[1.0, 2.0]], title='Scores')\n")["figures"]
    assert shown == figure(title="Scores", values=[[1.0, 2.0]])
    assert page("run", "np.ones(2)\n")["figures"] == []
    solution = programs["scaled-scores"]["the solution"]
    assert page("check", f"{solution}\nheatmap([[1.0]])\n")["outcome"] == "errored"
    inside = f"{solution}\nif __name__ == '__main__':\n    heatmap([[1.0]])\n"
    assert page("run", inside)["figures"] != []
    assert page("check", inside)["outcome"] == "passed"


def test_a_figure_gets_what_the_cells_have_made(page: Page) -> None:
    """The current matrices are sent, but only small ones of finite numbers."""
    page("open_lesson")
    assert page("arrays", "X") == {"X": None}
    page("cell", "import numpy as np\nX = np.eye(2)\nq = X[0]\nlarge = np.ones((9, 2))\n")
    page("cell", "X = X * 3\nbad = X / 0\n")
    found = page("arrays", "X", "q", "large", "bad")
    assert found == {"X": [[3.0, 0.0], [0.0, 3.0]], "q": None, "large": None, "bad": None}


def test_names_of_numpy_say_what_they_do(page: Page) -> None:
    """A function by its documentation's first sentence, whose signature is left out."""
    names = page("names")
    assert names["np"]["swapaxes"] == "Interchange two axes of an array."
    assert names["np"]["exp"] == "Calculate the exponential of all elements in the input array."
    assert names["np"]["pi"] == ""
    assert {"norm", "default_rng"} <= {*names["np.linalg"], *names["np.random"]}


def test_an_error_names_the_learner_s_line(page: Page) -> None:
    """The program's own line, which called something; what was printed before stays."""
    source = "import numpy as np\nprint('before')\nnp.ones(2) @ np.ones(3)\n"
    said = page("run", source)
    assert (said["output"], said["problem"]["line"]) == ("before\n", 3)
    assert said["problem"]["message"].startswith("Line 3: A matrix product needs")
    assert "(ValueError: matmul" in said["problem"]["message"]


def test_what_python_cannot_read_has_its_line(page: Page) -> None:
    """A program that is not finished is told of like any other mistake."""
    problem = page("run", "x = 1\ny = (2\n")["problem"]
    assert problem["line"] == 2
    assert "Python cannot read line 2" in problem["message"]


def test_much_output_is_cut_and_counted(page: Page) -> None:
    """A loop that prints without an end comes to one, and how much is missing is said."""
    said = page("run", "while True:\n    print('x' * 999)\n")
    assert said["output"] == (("x" * 999 + "\n") * 66)[: 64 << 10]
    assert said["truncated"] == 66_000 - (64 << 10) - 1  # the last line feed was not tried
    assert "printed more than it may" in said["problem"]["message"]
    assert said["problem"]["line"] == 2


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import sys\nsys.exit(2)\n", "sys.exit()"),
        ("raise KeyboardInterrupt\n", "KeyboardInterrupt"),
        ("def f():\n    f()\nf()\n", "RecursionError"),
        ("input()\n", "`input()` has nothing to read"),
        ("import torch\n", "no module `torch` here"),
        ("import numpy as np\nnp.ones((10**6, 10**7))\n", "more memory than it may use"),
        ("class E(Exception):\n    def __str__(self):\n        raise E\nraise E\n", "E (line 4)"),
        ("print('\\ud800')\nraise E\n", "NameError"),
        ("\ud800", "UnicodeEncodeError"),
        ("\0", "null bytes"),
        (
            "import builtins\nbuiltins.len = builtins.dict = builtins.type = None\n",
            "ended the whole",
        ),
    ],
)
def test_no_program_makes_the_page_raise(page: Page, source: str, expected: str) -> None:
    """However a program ends, a sentence says so, and the next one is not touched by it."""
    assert expected in page("run", source)["problem"]["message"]
    assert page("run", "print(len('abc'))\n")["output"] == "3\n"


def test_a_program_has_python_to_itself(page: Page, make: Make, sandbox: Sandbox) -> None:
    """Changes of Python or NumPy by a check or program are gone when the next one runs."""
    probe = """
import random, sys, warnings
import numpy as np
print(np.pi, np.array([1 / 3]), np.geterr()["over"], sys.getrecursionlimit() > 999)
print(len(warnings.filters), random.random(), np.random.rand(), "left" in globals(), hasattr(np, "x"))
warnings.warn("again")
"""
    changes = """
import random, sys, warnings
import numpy as np
left = np.x = np.pi = 3
del np.exp
np.set_printoptions(precision=1)
np.seterr(all="raise")
np.random.seed(5)
random.seed(5)
sys.setrecursionlimit(500)
warnings.simplefilter("ignore")
"""
    page("open_exercise", make_grading_data(make({"pytest": "assert f(1.0) == 2.0"}), sandbox))
    before = page("run", probe)
    assert before["problem"] is None
    assert "UserWarning: again" in before["output"]
    assert page("check", RIGHT)["outcome"] == "passed"
    assert page("run", probe) == before
    assert page("run", changes)["problem"] is None
    assert page("run", probe) == before


def test_what_a_program_changes_holds_for_its_calls(check: Check) -> None:
    """A change of NumPy lasts for the program's calls, not for our printing of results."""
    shown: Fields = {"given": {"x": [0.123456]}, "call": "f(x)", "expect": "[0.1]"}
    third: Fields = {"given": {"x": 3}, "call": "f(x)", "expect": 1.0}
    source = """
import numpy as np
np.set_printoptions(precision=1)
def f(x):
    return str(x) if np.ndim(x) else 1 / x
"""
    verdict = check(shown, third, program=source)
    assert [each["outcome"] for each in verdict["tests"]] == ["passed", "failed"]
    assert "is 0.3333" in verdict["tests"][1]["message"]


def test_each_check_is_a_fresh_start(page: Page, check: Check) -> None:
    """A name that an earlier program defined, or the exercise before, is not there for the next."""
    assert check(TWICE)["outcome"] == "passed"
    assert "There is no function `f`" in page("check", "g = 1\n")["message"]
    assert page("check", RIGHT)["outcome"] == "passed"
    assert check({**TWICE, "expect": 9.0})["outcome"] == "failed"


def test_a_check_says_where_it_was_done(page: Page, make: Make, sandbox: Sandbox) -> None:
    """By the visible tests, in a browser; the exercise is the one that the command line knows."""
    exercise = make(TWICE, {**TWICE, "hidden": True})
    page("open_exercise", make_grading_data(exercise, sandbox))
    verdict = page("check", RIGHT)
    assert (verdict["sandbox"], verdict["exercise_hash"]) == ("browser", exercise.digest)
    assert (verdict["hidden_elsewhere"], verdict["xp"], verdict["score"]) == (1, 0, 1)


def test_no_check_changes_what_the_next_one_says(page: Page, make: Make, sandbox: Sandbox) -> None:
    """A function that remembers, random numbers that go on and a list that grows are made again."""
    first = "seen = []\ndef first(v):\n    seen.append(v)\n    return seen[0]"
    tests = [
        {"given": first, "call": "first(f(3))", "expect": 6.0},
        {"given": "s = np.random.default_rng(1)", "call": "f(s.random())", "expect": "solution"},
        {"given": {"seen": {}}, "call": "seen.setdefault('first', f(3))", "expect": 6.0},
    ]
    page("open_exercise", make_grading_data(make(*tests), sandbox))
    wrong = RIGHT.replace("2.0", "3.0")
    scores = [page("check", source)["score"] for source in (RIGHT, wrong, RIGHT)]
    assert scores == [3, 0, 3]


WARNS = "simplefilter('error')\n    assert f(1.0) == 2.0"


@pytest.mark.parametrize(
    "test",
    [
        {"given": {"x": None}, "pytest": "with pytest.raises(TypeError):\n    f(x)"},
        {"given": "from reference.softmax import softmax", "call": "f(3)", "expect": 6.0},
        # Megabytes of expected values would keep a learner waiting.
        {"given": "x = rng.standard_normal((400, 500))", "call": "f(x)", "expect": "solution"},
        {"pytest": f"import warnings\nwith warnings.catch_warnings():\n    warnings.{WARNS}"},
        {"pytest": "import warnings as w\nwith w.catch_warnings():\n    assert f(1.0) == 2.0"},
        {
            "pytest": "from warnings import catch_warnings\nwith catch_warnings():\n    assert f(1) == 2"
        },
        {"pytest": "with np.errstate(over='raise'):\n    assert f(1.0) == 2.0"},
    ],
    ids=["pytest", "reference", "large", "warnings", "renamed", "from warnings", "errstate"],
)
def test_what_a_page_cannot_run_is_counted_with_the_hidden_tests(
    test: Fields, page: Page, make: Make, sandbox: Sandbox
) -> None:
    """A page has no pytest and no reference, and its NumPy never warns of an overflow."""
    engine = make_grading_data(make(TWICE, test), sandbox)
    assert len(engine) < 10_000
    page("open_exercise", engine)
    verdict = page("check", RIGHT)
    assert [test["id"] for test in verdict["tests"]] == ["test-0"]
    assert (verdict["outcome"], verdict["hidden_elsewhere"]) == ("passed", 1)


def test_a_student_s_edition_makes_a_page_too(
    page: Page, make: Make, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Without the solution, a page checks the tests that the edition has."""
    make(TWICE, {**TWICE, "expect": "solution"}, {**TWICE, "hidden": True})
    edition = tmp_path / "student.yaml"
    edition.write_text(student_text(tmp_path / "small.yaml"))
    page("open_exercise", make_grading_data(load_exercise_file(edition), sandbox))
    verdict = page("check", RIGHT)
    assert (verdict["outcome"], verdict["score"], verdict["hidden_elsewhere"]) == ("passed", 1, 2)


def test_how_long_a_call_takes_does_not_count(page: Page, check: Check) -> None:
    """A browser is slower than the machine that the budget was set for; memory is the same."""
    large: Fields = {"given": "x = np.ones(100_000)", "call": "f(x)", "expect": "solution"}
    slow = """
import time
def f(x):
    begin = time.thread_time()
    while time.thread_time() < begin + 0.2:
        pass
    return 2.0 * x
"""
    verdict = check({**large, "budget": {"time": 0.001, "memory": 1.5}}, program=slow)
    assert verdict["outcome"] == "passed"
    wasteful = "def f(x):\n    y = [x * 1.0 for _ in range(9)]\n    return 2 * y[0]\n"
    assert "times the memory" in page("check", wasteful)["tests"][0]["message"]


def test_cells_share_a_namespace(page: Page) -> None:
    """Each goes on where the last one ended; its last value is printed."""
    page("open_lesson")
    first = page("cell", "x = np.arange(3)\nx + 1\n")
    assert (first["printed"], first["problem"]) == ("[1 2 3]\n", None)
    assert page("cell", "x * 2")["printed"] == "[0 2 4]\n"
    page("open_lesson")
    assert "NameError" in page("cell", "x")["problem"]["message"]


def test_a_cell_shows_figures(page: Page) -> None:
    """They have the form of the site's own cells; numbers that JSON lacks are sent by name."""
    page("open_lesson")
    code = "heatmap([[1.5, np.nan], [np.inf, 2]], rows=['a', 'b'], title='t')\ntable([[1]])"
    assert page("cell", code)["figures"] == [
        figure(title="t", rows=["a", "b"], values=[[1.5, "nan"], ["inf", 2.0]]),
        figure(kind="table", whole=True, values=[[1.0]]),
    ]
    assert page("cell", "1")["figures"] == []


def test_a_cell_s_error_names_a_line_of_the_cell(page: Page) -> None:
    """Also where it arose in what an earlier cell defined; what came before it is shown."""
    page("open_lesson")
    page("cell", "def f(x):\n    y = 0\n    return x / y\n")
    said = page("cell", "table([[1]])\nprint('before')\nf(1)\n")
    assert (said["printed"], len(said["figures"])) == ("before\n", 1)
    assert said["problem"]["line"] == 3
    assert said["problem"]["message"].startswith("Line 3: What this line divides by is 0")
    assert page("cell", "2 * 2 (")["problem"]["line"] == 1
    assert page("cell", "1")["problem"] is None


def test_every_cell_may_print_as_much_as_the_first(page: Page) -> None:
    """A lesson is read for a long time; the cap is for a loop in one cell."""
    page("open_lesson")
    for _ in range(3):
        assert page("cell", "print('x' * 60_000)")["problem"] is None
    assert page("cell", "print('x' * 70_000)")["truncated"] == 70_000 - (64 << 10)


def test_a_cell_that_replaces_what_shows_figures_harms_nothing(page: Page) -> None:
    """It shows no figures then, but still shows the output."""
    page("open_lesson")
    said = page("cell", "def _pop_displays():\n    raise SystemExit\nprint('here')")
    assert (said["printed"], said["figures"]) == ("here\n", [])


def test_a_page_has_data_files(page: Page, make: Make, tmp_path: Path, sandbox: Sandbox) -> None:
    """In checks and runs, read-only and new each time; hidden ones only for practice."""
    (tmp_path / "three.csv").write_text("1,2,3\n")
    (tmp_path / "four.csv").write_text("4,4,4,4\n")
    read = (
        "import numpy as np\n\n\ndef f(x):\n    return float(np.loadtxt(x, delimiter=',').sum())\n"
    )
    shown = {"given": {"x": "three.csv"}, "call": "f(x)", "expect": 6.0}
    drawn = {
        "given": "x = 'three.csv'\nn = np.loadtxt(x, delimiter=',')\ng = lambda: n",  # no page is sent `g`
        "call": "f(x) - g().sum()",
        "expect": 0.0,
    }
    hidden = {"given": {"x": "four.csv"}, "call": "f(x)", "expect": 16.0, "hidden": True}
    exercise = make(
        *(shown, drawn, hidden), solution=read, files=["three.csv"], hidden_files=["four.csv"]
    )
    data = make_grading_data(exercise, sandbox)
    assert "four.csv" not in str(from_text(data))
    page("open_exercise", data)
    assert page("check", read)["outcome"] == "passed"
    spoilt = "import os\nos.chmod('three.csv', 0o644)\nopen('three.csv', 'w').write('9')\n" + read
    page("check", spoilt)
    assert page("check", read)["outcome"] == "passed"
    assert page("run", "import os\nprint(os.listdir('.'))")["output"] == "['three.csv']\n"

    page("open_exercise", make_grading_data(exercise, sandbox, for_practice=True))
    verdict = page("check", read)
    assert [test["outcome"] for test in verdict["tests"]] == ["passed"] * 3


def test_a_lesson_has_data_files(page: Page) -> None:
    """They are there again when it starts again."""
    page("open_lesson", json.dumps({"three.csv": b64encode(b"1,2,3\n").decode()}))
    cell = "with open('three.csv') as file:\n    print(file.read().strip())"
    assert page("cell", cell)["printed"] == "1,2,3\n"
    page("open_lesson")
    assert page("cell", cell)["printed"] == "1,2,3\n"


def test_a_call_that_shall_break_a_program_is_judged_as_in_the_sandbox(
    page: Page, make: Make, sandbox: Sandbox
) -> None:
    """Endless calls, memory, NaN, small differences, changed globals and names of the page, too."""
    solution = (
        "import numpy as np\ndef f(x):\n    return np.array([x.sum() + np.log(x[0] - 5.0)])\n"
    )
    hang = solution.replace("    ret", "    while x[0] == 7:\n        pass\n    ret")
    wrong = {
        "hangs": hang,
        "barely": solution.replace("return ", "return 1e-13 + "),
        "patches": solution.replace("    ret", "    np.sum = np.array = None\n    x += 1\n    ret"),
        "zero": "import numpy as np\ndef f(x):\n    return np.zeros(1)\n",
    }
    exercise = make(
        {
            "hidden": True,
            "seeds": 6,
            "given": "x = rng.uniform(5.25, 87.5, sizes(1))  # zqxsource",
            "call": "f(x)",
            "expect": "solution",
        },
        solution=solution,
        misconceptions=[{"id": n, "code": c, "feedback": "No."} for n, c in wrong.items()],
    )
    data = make_break_data(exercise, sandbox)
    assert b"zqxsource" not in decoded(data)
    calls = [
        ("zero", "f(np.array([6, 8]))", ""),
        ("barely", "f(np.array([6, 8]))", "Both give the same result: `[14.]`."),
        ("patches", "f(np.array([6.0, 8.0]))", ""),
        ("zero", "f(np.array([4.0]))", "The right result has NaN here"),
        ("zero", "f(np.zeros(10**10))", "The arguments are too large"),
        ("zero", "f(page)", "`page` is no plain data"),
        ("zero", "f(np.array([6.0]), 1)", "No test of this exercise compares"),
    ]
    if hasattr(sys, "monitoring"):  # from Python 3.12 on, as in a browser
        calls.append(("hangs", "f(np.array([7.0]))", "The wrong program takes too long here"))
    for program, call, message in calls:
        answer = page("judge_break", data, program, call)
        submission = Submission.from_bytes(Path("f.py"), wrong[program].encode())
        verdict = judge_breaking_call(Oracle(exercise, sandbox), submission, call)
        assert message in (answer["message"] or "")
        assert (answer["example"] is None) == bool(message) == (verdict.example is None)
        if verdict.example is None:
            assert answer["message"] == verdict.message
        else:
            assert answer["example"]["code"] == call
            assert answer["example"]["result"]["message"] == verdict.message
