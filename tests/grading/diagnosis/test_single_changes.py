"""Submissions that are one change away from a right program, in another style than the solution."""

import pytest

from grader.grading.diagnosis.diagnostician import Diagnostician
from grader.grading.results.verdict import Verdict
from tests.grading.conftest import Fields, GradeAll

SOLUTION = """\
import numpy as np


def f(x, gain, bias):
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    kept = np.where(np.tri(*x.shape, k=-1) == 0, weights, 0.5)
    total = np.cumsum(gain * kept / np.sqrt(x.shape[1] + 2) + bias, axis=-1)
    return total - total.mean(axis=-1, keepdims=True)
"""
RIGHT = """\
import numpy as np


def f(x, gain, bias):
    rows, columns = x.shape
    weights = np.zeros((rows, columns))
    for i in range(rows):
        powers = np.exp(x[i] - np.max(x[i]))
        weights[i] = powers / powers.sum()
    below = np.arange(rows)[:, None] > np.arange(columns)
    kept = np.where(~below, weights, 0.5)
    scaled = np.multiply(kept, gain) / (x.shape[1] + 2) ** 0.5
    total = (scaled + bias).cumsum(axis=-1)
    return total - np.mean(total, 1)[:, None]
"""
TEST: Fields = {
    "seeds": 3,
    "given": "x = 400 * rng.standard_normal((size, size + 3))\n"
    "gain, bias = rng.standard_normal((2, size + 3))",
    "call": "f(x, gain, bias)",
    "expect": "solution",
}
CHANGES = {
    "operator": ("scaled + bias", "scaled * bias"),
    "one-off": ("(x.shape[1] + 2)", "(x.shape[1] + 2 - 1)"),
}


def _graded(grade_all: GradeAll, *changes: str, **fields: object) -> Verdict:
    source = RIGHT
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in source
        source = source.replace(old, new, 1)
    return grade_all(source, TEST, **{"solution": SOLUTION, **fields})


@pytest.fixture(autouse=True)
def no_mutants(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave mutants of the solution out: they explain some of these mistakes before."""
    monkeypatch.setattr(Diagnostician, "_find_mutants", lambda *_: iter(()))


@pytest.mark.parametrize("kind", CHANGES)
def test_the_change_that_makes_it_right_is_named(grade_all: GradeAll, kind: str) -> None:
    """With its place, and without what would be right."""
    diagnosis = _graded(grade_all, *CHANGES[kind]).diagnosis
    assert diagnosis is not None
    assert (diagnosis.kind, diagnosis.id) == ("repair", kind)
    assert diagnosis.feedback.endswith("the tests pass.")


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ((*CHANGES["operator"], "None] > np", "None] <= np"), {}),
        (CHANGES["operator"], {"kind": "fix", "starter": RIGHT}),
    ],
    ids=["two changes", "a program to be fixed"],
)
def test_nothing_is_named_that_is_not_the_mistake_alone(
    grade_all: GradeAll, changes: tuple[str, ...], fields: dict[str, object]
) -> None:
    """Nor where the place of the mistake is the answer."""
    diagnosis = _graded(grade_all, *changes, **fields).diagnosis
    assert diagnosis is None or diagnosis.kind != "repair"


@pytest.mark.parametrize("seen", ["0", "3.5 not in parts"], ids=["passes", "fails"])
def test_a_hidden_input_chooses_no_place(grade_all: GradeAll, seen: str) -> None:
    """A program that takes one of many places by a hidden input is not told by which."""
    places = "".join(f"        7 // 2,  # {n}\n" for n in range(9))
    source = (
        f"def f(x):\n    parts = [\n{places}    ]\n"
        f"    return x + ({seen} if x < 3 else parts[x.__trunc__()] != 3.5)\n"
    )
    tests = (
        {"given": "x = 2.0", "call": "f(x)", "expect": 2.0},
        {"given": "x = 5.0", "call": "f(x)", "expect": 5.0, "hidden": True},
    )
    verdict = grade_all(source, *tests, solution="def f(x):\n    return x\n")
    assert verdict.diagnosis is not None
    assert "lines 3, 4, 5, 6, 7, 8, 9, 10 and 11" in verdict.diagnosis.feedback


def test_a_property_alone_does_not_show_what_is_right(grade_all: GradeAll) -> None:
    """Many programs have it."""
    test = {"given": "x = rng.standard_normal((4, 3))", "call": "f(x)", "holds": "causal"}
    source = "def f(x):\n    return x - x.mean(axis=0)\n"
    solution = "def f(x):\n    return 2.0 * x\n"
    verdict = grade_all(source, test, solution=solution)
    assert verdict.score == 0
    assert verdict.diagnosis is None or verdict.diagnosis.kind != "repair"
