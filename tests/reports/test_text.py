"""Verdicts in the terminal."""

import io

from rich.console import Console

from grader.definitions.exercise import ExerciseId, TestId
from grader.grading.verdict import Diagnosis, Outcome, TestResult, Verdict
from grader.reports.text import print_verdict, why


def verdict(diagnosis: Diagnosis | None) -> Verdict:
    """Make a failed verdict."""
    test = TestResult(TestId("small"), "a small one", False, Outcome.FAILED, 0, 1, "Not 3.")
    return Verdict(
        exercise=ExerciseId("double"),
        title="Double it",
        outcome=Outcome.FAILED,
        message="",
        line=None,
        tests=(test,),
        output="",
        hidden_elsewhere=0,
        xp=0,
        sandbox="namespaces",
        exercise_hash="",
        submission_hash="",
        grader_version="",
        diagnosis=diagnosis,
    )


def shown(one: Verdict) -> list[str]:
    """Print a verdict and return its lines."""
    console = Console(file=io.StringIO(), width=100)
    print_verdict(console, one)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_diagnosis_comes_first() -> None:
    """What explains the failures stands before them, as plain text, with the hint that helps."""
    feedback = "Your *rows*\nare off by $\\sqrt{d_k}$."
    one = verdict(Diagnosis("misconception", "scale", feedback, 2, (TestId("small"),)))
    assert shown(one) == [
        "Double it",
        "    Your rows are off by \u221ad_k.",
        "    Hint 2 helps with this.",
        "\u2717 a small one  0/1 point",
        "    Not 3.",
        "Not passed yet: 0 of 1 tests, 0/1 point.",
    ]
    assert why(one) == "Your rows are off by \u221ad_k."


def test_without_a_diagnosis_the_tests_speak() -> None:
    """Nothing is said first where no mistake is known."""
    one = verdict(None)
    assert shown(one)[1] == "\u2717 a small one  0/1 point"
    assert why(one) == "Not 3."
