"""A learner's call that shall break a wrong program, in the real sandbox."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from grader.authoring.verify.breaking_calls import find_breaking_notes
from grader.grading.diagnosis.break_it import judge_breaking_call
from grader.grading.expected.oracle import Oracle
from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import verdict_data
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import WorkerPool
from grader.sandbox.process import Sandbox, open_sandbox
from tests.grading.conftest import Fields, Make

Judge: TypeAlias = Callable[..., Verdict]

MEANS = (
    "import numpy as np\n\n\ndef f(x, axis=-1):\n    return x - x.mean(axis=axis, keepdims=True)\n"
)
WHOLE = MEANS.replace("axis=axis", "axis=None")
TEST: Fields = {
    "hidden": True,
    "seeds": 6,
    "given": "n, m = sizes(2)\nx = rng.uniform(31.25, 87.5, (n, m))",
    "call": "f(x)",
    "expect": "solution",
}


@pytest.fixture
def judge(make: Make, sandbox: Sandbox) -> Judge:
    """Judge a call that shall break a program."""

    def verdict(call: str, source: str = WHOLE, *tests: Fields, **fields: object) -> Verdict:
        exercise = make(*(tests or (TEST,)), **{"solution": MEANS, **fields})
        submission = Submission.from_bytes(Path("small.py"), source.encode())
        return judge_breaking_call(Oracle(exercise, sandbox), submission, call)

    return verdict


def test_a_call_counts_if_the_results_differ(judge: Judge) -> None:
    """Whole numbers are read as floats where the task has floats; both results are shown."""
    example = judge("f(np.array([[1, 2], [3, 6]]))").example
    assert example is not None
    assert example.code == "f(np.array([[1, 2], [3, 6]]))"
    assert example.result.expected is not None
    assert example.result.got is not None
    assert example.result.expected.text == "[[-0.5  0.5]\n [-1.5  1.5]]"
    assert example.result.got.text == "[[-2. -1.]\n [ 0.  3.]]"


def test_a_change_of_the_arguments_counts(judge: Judge) -> None:
    """As in the tests of the exercise, if these look for it."""
    changing = MEANS.replace("    return", "    x += 1\n    return")
    verdict = judge("f(np.array([[1, 2]]))", changing)
    assert verdict.example is not None
    assert "the program changes argument 1 in place" in verdict.message


def test_an_empty_text_asks_for_a_call_that_counts(judge: Judge) -> None:
    """The first one that counts among small inputs and those of the tests."""
    example = judge("").example
    assert example is not None
    assert example.code.startswith("f(np.array([[")
    assert judge(example.code).example == example
    assert judge("", MEANS).message == "A search finds no small call that breaks this program."


@pytest.mark.parametrize(
    ("given", "right", "wrong"),
    [
        ("x = ''.join(rng.choice(['a', 'b'], size))", "x.upper()", "x"),
        ("x = rng.random(2)", "x + 0", "x + (x[0] == 7)"),
        ("x = np.array(rng.standard_normal())", "x + 0", "x + 1"),
    ],
    ids=["texts", "inputs of a visible test", "an array without axes"],
)
def test_such_a_call_may_have_any_inputs_of_the_tests(
    judge: Judge, given: str, right: str, wrong: str
) -> None:
    """Also without a number in them, and those that only one test has."""
    right, wrong = (f"import numpy as np\n\n\ndef f(x):\n    return {e}\n" for e in (right, wrong))
    tests = [{**TEST, "given": given, "call": "f(x)"}]
    if "7" in wrong:
        tests.append({"given": {"x": [7.0, 9.0]}, "call": "f(x)", "expect": "solution"})
    example = judge("", wrong, *tests, solution=right).example
    assert example is not None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("f(np.array([[1, 2]]))", "Both give the same result: `[[-0.5 0.5]]`."),
        ("f(np.array([[1, 2], [1, 2 + 1e-12]]))", "Both give the same result"),
        ("f(np.zeros((0, 2)))", "promises at least one number here, and `np.zeros((0, 2))`"),
        ("f(np.array([[-1.0]]))", "give only numbers above 0 here, not `np.array([[-1.0]])`"),
        ("f(np.array([[np.nan, 1.0]]))", "give only finite numbers here"),
        ("f(np.array([1.0, 2.0]))", "give only an array with 2 axes here"),
        ("f([[1.0, 2.0]])", "give only an array with 2 axes here, not `[[1.0, 2.0]]`"),
        ("f(np.array([[1.0]]), axis=0)", "No test of this exercise compares"),
        ("f(7)", "give only an array with 2 axes here, not `7`"),
        ("f()", "No test of this exercise compares"),
        ("g(np.array([[1.0]]))", "Call `f`, nothing else"),
        ("f(x)", "`x` is no plain data"),
        ("f(np.array([[1.0]])).sum()", "No test of this exercise compares"),
        ("f(np.array([[1.0]]).T)", "is no plain data"),
        ("f(np.load('small.yaml'))", "is no plain data"),
        ("f(np.array([[1.0]]).__class__)", "is no plain data"),
        ("f(__import__('os'))", "is no plain data"),
        ("f(open('small.yaml'))", "is no plain data"),
        ("f(f(np.array([[1.0]])))", "is no plain data"),
        ("f(reference)", "is no plain data"),
        ("f([x for x in (1, 2)])", "is no plain data"),
        ("f(x := 1)", "is no plain data"),
        ("f(lambda: 1)", "is no plain data"),
        ("f(*[1])", "A * is no argument here"),
        ("f(**{'x': 1})", "Give each argument once"),
        ("import os", "This is no Python call"),
        ("f(1)\nf(2)", "This is no Python call"),
        ("(" * 500, "This is no Python call"),
        ("f(" + "1" * 3000 + ")", "The call is too long"),
        ("f(np.zeros(10**12))", "The arguments are too large"),
        ("f(np.zeros((2, -1)))", "The arguments cannot be computed (ValueError)"),
        ("f(np.ones((999, 999)))", "The arguments are too large"),
        ("f(9**9**9)", "`9 ** 9 ** 9` is no plain data"),
        ("f(((9**999)**999)**999)", "is no plain data"),
        ("f(2**-1.5)", "an array with 2 axes here, not `2 ** (-1.5)`"),
        ("f(np.array([None]))", "This is no plain data"),
    ],
)
def test_a_call_that_does_not_count_is_told_why(judge: Judge, call: str, message: str) -> None:
    """Nothing of the hidden test is in the sentence."""
    verdict = judge(call)
    assert verdict.example is None
    assert message in verdict.message
    assert not any(secret in verdict.message for secret in ("31.25", "87.5", "rng", "test-0"))


def test_right_programs_must_agree(judge: Judge) -> None:
    """Where another right program differs, or none has a result, nothing is wrong."""
    half = MEANS.replace("    return", "    if len(x) == 3:\n        return x\n    return")
    fields = {"also_right": [half]}
    message = "Right programs give different results"
    assert message in judge("f(np.eye(3) + 1)", WHOLE, **fields).message
    assert judge("f(np.eye(2) + 1)", WHOLE.replace("x - x", "x - 2 * x"), **fields).example
    raising = MEANS.replace(
        "    return", "    if len(x) == 3:\n        raise ValueError\n    return"
    )
    assert "Right programs raise" in judge("f(np.eye(3) + 1)", WHOLE, solution=raising).message
    assert (
        "has NaN"
        in judge(
            "f(np.full((1, 2), 7.0))",
            WHOLE,
            solution=MEANS.replace("n x", "n x + (np.nan if x[0, 0] == 7 else 0)"),
        ).message
    )


def test_equal_lengths_of_ordinary_draws_stay_equal(judge: Judge) -> None:
    """Broadcasting must not make a call count that the task does not have."""
    source = "def f(x, y):\n    return x * y\n"
    test = {
        **TEST,
        "given": "n, m = sizes(2)\nx = rng.random(n)\ny = rng.random(n)",
        "call": "f(x, y)",
    }
    wrong = "def f(x, y):\n    return x + y\n"
    assert judge(
        "f(np.array([0.5, 0.5]), y=np.array([0.5, 0.25]))", wrong, test, solution=source
    ).example
    message = judge(
        "f(np.array([0.5, 0.5]), np.array([0.5]))", wrong, test, solution=source
    ).message
    assert "different lengths" in message


def test_a_program_cannot_make_a_call_count_by_not_ending(judge: Judge) -> None:
    """It cannot do so by remembering calls either: each call has its own child."""
    endless = f"{WHOLE}\n\ndef f(x):\n    while True:\n        pass\n"
    assert "takes too long" in judge("f(np.ones((1, 2)))", endless).message
    counting = MEANS.replace("def f", "seen = []\n\n\ndef f").replace(
        "return", "seen.append(1)\n    return (len(seen) > 1) +"
    )
    for _ in range(3):
        assert "same result" in judge("f(np.array([[1.0, 2.0]]))", counting).message


def test_nothing_of_a_hidden_test_is_in_what_is_said(judge: Judge) -> None:
    """Neither its id and words, nor its code, inputs and constants; whatever is asked."""
    test: Fields = {
        **TEST,
        "id": "zqx-id",
        "description": "zqxwords",
        "given": "zqxname = 83174.2969\nn, m = sizes(2)\nx = rng.uniform(31.25, 87.5, (n, m))",
        "expect": "f(x) + 0 * 59263.7183 + len('zqxcode') - 7",
    }
    calls = [
        "f(np.array([[1.0, 2.0], [3.0, 7.0]]))", "f(np.array([[1.0, 2.0]]))", "f(np.ones((2, 0)))",
        "f(-np.ones((2, 2)))", "f(np.full((2, 2), np.nan))", "f(np.eye(2, dtype=bool))", "f('a')",
        "f(None)", "f([[1.0]])", "f(np.ones((9, 9, 9)))", "f(zqxname)", "f(x=1, y=2)", "f(rng)",
    ]  # fmt: skip
    raising = f"{WHOLE}    raise ValueError(str(x))\n".replace(
        "    return", "    np.mean = len\n    "
    )
    for source in (WHOLE, MEANS, raising):
        said = [json.dumps(verdict_data(judge(call, source, test))) for call in calls]
        secrets = ("zqx", "83174", "59263", "31.25", "87.5", "rng.")
        assert [
            s for s in secrets if any(s in each.replace("`zqxname`", "") for each in said)
        ] == []


def test_an_author_is_told_of_what_no_call_breaks(make: Make) -> None:
    """And of a program that is kept from learners though a call breaks it."""
    large = MEANS.replace("    return", "    if x.size > 8:\n        return x\n    return")
    programs = {"whole": WHOLE, "same": MEANS.replace("x - x", "x + 0 - x"), "kept": WHOLE}
    programs["large"] = large
    misconceptions = [
        {"id": name, "code": code, "feedback": "No.", "breakable": name != "kept"}
        for name, code in programs.items()
    ]
    exercise = make(TEST, solution=MEANS, misconceptions=misconceptions)
    with WorkerPool(1, open_sandbox) as pool:
        notes = [note.message for note in find_breaking_notes(exercise, pool)]
    assert len(notes) == 3
    assert notes[-1].startswith("1 of 4 misconceptions")
    assert "large (" in notes[-1]
    assert any("no call that breaks misconception 'same'" in note for note in notes)
    assert any("'kept' has 'breakable: false', but this breaks it: f(np.array(" in n for n in notes)
