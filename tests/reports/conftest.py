"""Hand-made verdicts, one for each thing that a report can show."""

from math import nan
from typing import Any

import pytest

from grader.definitions.exercise import ExerciseId, TestId
from grader.grading.results.verdict import (
    Diagnosis,
    Outcome,
    SmallExample,
    TestResult,
    ValueSummary,
    Verdict,
)
from grader.reports.report import Batch, Report

BEGAN, ENDED = 1_750_000_000.0, 1_750_000_001.25

# Text with which a submission might break out of a format.
NASTY = "<b>&amp;</b> ::error::x %0A \"q\" 'a' `c` | [l](http://x) @you *e* $m$ ]]> \\ \u00e9\u2713"

VALUES: dict[str, Any] = {
    "inputs": (
        ("x", ValueSummary("int64 (3,)", "[1 2 3]", ((1, 2, 3),), is_vector=True)),
        ("how", ValueSummary("str", repr(NASTY))),
    ),
    "expected": ValueSummary("float64 (2, 2)", "[[0.5  0.25]\n [0.   1.  ]]", ((0.5, 0.25), (0.0, 1.0))),
    "got": ValueSummary("float64 (2, 2)", "[[0.5  0.75]\n [nan  1.  ]]", ((0.5, 0.75), (nan, 1.0))),
    "worst": (1, 0),
}  # fmt: skip


def result(name: str, outcome: Outcome, points: int = 0, **more: Any) -> TestResult:
    about = {"description": f"the test {name}", "hidden": False, "max_points": 1, **more}
    return TestResult(id=TestId(name), outcome=outcome, points=points, **about)


def verdict(outcome: Outcome, tests: tuple[TestResult, ...], **more: Any) -> Verdict:
    about = {
        "exercise": ExerciseId("scaled-scores"),
        "title": "Scale the scores & <keep> the shape",
        "message": "",
        "line": None,
        "output": "",
        "hidden_elsewhere": 0,
        "xp": 0,
        "sandbox": "namespaces",
        "exercise_hash": "e" * 64,
        "submission_hash": "5" * 64,
        "grader_version": "0.1.0",
        **more,
    }
    return Verdict(outcome=outcome, tests=tests, **about)


def _pass() -> Verdict:
    tests = (
        result("worked", Outcome.PASSED, 1, output="(3, 2)\n"),
        result("secret", Outcome.PASSED, 3, hidden=True, description="", max_points=3),
    )
    return verdict(Outcome.PASSED, tests, xp=15)


def _fail() -> Verdict:
    tests = (
        result("worked", Outcome.FAILED, message=f"6 of 9 values differ. Got {NASTY}", line=3, seconds=0.00125, **VALUES),
        result("printed", Outcome.ERRORED, message=f"ValueError: {NASTY}", line=4, output=f"=1+1\n{NASTY}\n```\n", seconds=0.25),
        result("slow", Outcome.TIMED_OUT, message="Your code took more than 2 seconds.", seconds=2.0),
        result("after", Outcome.NOT_RUN, message="Not run: an earlier test ended your code."),
        result("fine", Outcome.PASSED, 1, seconds=0.0004),
        result("secret", Outcome.FAILED, 1, hidden=True, description="", max_points=4, message="The result has the right form but wrong values in this hidden test."),
    )  # fmt: skip
    feedback = "These are the scores without\nthe division by $\\sqrt{d_k}$."
    known = Diagnosis("misconception", "unscaled", feedback, 2, (TestId("worked"),))
    return verdict(Outcome.FAILED, tests, diagnosis=known, output=f"loading {NASTY}\n")


def _load() -> Verdict:
    message = f"Python cannot read line 1: `def f(:{NASTY}` (SyntaxError: invalid syntax)."
    tests = tuple(result(name, Outcome.NOT_RUN, message=message) for name in ("worked", "after"))
    return verdict(Outcome.ERRORED, tests, message=message, line=1)


def _hidden() -> Verdict:
    said = "The result has the right form but wrong values in this hidden test."
    secret: dict[str, Any] = {"hidden": True, "description": ""}
    tests = (
        result("worked", Outcome.PASSED, 1),
        result("any-shape", Outcome.FAILED, max_points=2, message=said, **secret),
        result("large", Outcome.ERRORED, message="Your code raised an error.", **secret),
        result("one-token", Outcome.FAILED, message=said, **secret),
    )
    values = {name: value for name, value in VALUES.items() if name != "inputs"}
    tried = result(
        "any-shape", Outcome.FAILED, message=f"Not right: {NASTY}", max_points=0, **values
    )
    code = "x = np.array([[1.0, 2.0], [0.0, 1.0]])\nscaled_scores(x, x)"
    return verdict(Outcome.FAILED, tests, example=SmallExample(code, tried))


def _of(one: Verdict, student: str | None = None) -> Report:
    file = "ada.py" if student is None else f"in/{student}/scaled-scores.py"
    outcome = one.outcome.value
    return Report(one.exercise, file, outcome, one, "", student, BEGAN, ENDED)


def _fault(student: str | None = None) -> Report:
    file = "ada.py" if student is None else f"in/{student}/scaled-scores.py"
    reason = "no sandbox on this host: bwrap is missing, FAULT-REASON"
    return Report("scaled-scores", file, "grader fault", None, reason, student, BEGAN, ENDED)


def _batch() -> Batch:
    lost = "there is no exercise 'scald'; did you mean 'scaled-scores'?"
    not_graded = Report("scald", "in/ed/scald.py", "not graded", None, lost, "ed", BEGAN, ENDED)
    reports = (
        _of(_pass(), "ada"),
        _of(_fail(), "=bob|<i>"),
        _of(_load(), "cy"),
        _fault("dee"),
        not_graded,
    )
    return Batch(reports, 2, ("in/notes.txt",))


def failed(
    name: str, message: str, output: str = "", outcome: Outcome = Outcome.FAILED
) -> TestResult:
    return TestResult(TestId(name), name, False, outcome, 0, 1, message, None, output)


def report_of(
    tests: tuple[TestResult, ...], output: str = "", student: str | None = None
) -> Report:
    made = Verdict(
        exercise=ExerciseId("double"),
        title="Double it",
        outcome=Outcome.FAILED,
        message="",
        line=None,
        tests=tests,
        output=output,
        hidden_elsewhere=0,
        xp=0,
        sandbox="namespaces",
        exercise_hash="",
        submission_hash="",
        grader_version="",
    )
    return Report("double", "double.py", "failed", made, student=student)


@pytest.fixture
def cases() -> dict[str, Report | Batch]:
    """The reports to render in each format, by name."""
    return {
        "pass": _of(_pass()),
        "fail": _of(_fail()),
        "hidden": _of(_hidden()),
        "load": _of(_load()),
        "fault": _fault(),
        "batch": _batch(),
        "homework": Batch(tuple(_of(one, "ada") for one in (_pass(), _fail(), _load()))),
        "homework-fault": Batch((_of(_pass(), "ada"), _fault("ada"))),
        "nothing": Batch(()),
    }


@pytest.fixture
def classroom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the environment variables of Classroom 50's runner."""
    for name in ("CLASSROOM", "ASSIGNMENT", "COMMIT_URL", "RELEASE_URL", "USERNAME"):
        monkeypatch.setenv(name, name.lower())
    monkeypatch.setenv("SUBMISSION_TAG", "submit/1")
    monkeypatch.delenv("MODE", raising=False)
