"""A notebook with several exercises: what of it counts for each."""

from dataclasses import replace
from pathlib import Path

import pytest

from grader.definitions.exercise import Exercise, ExerciseId
from grader.grading.submissions.submission import Submission
from grader.notebook_files import TEST_CELL, code_cell, notebook, text_cell
from grader.sandbox.process import Sandbox
from tests.grading.conftest import Make, grade

F, G = "def f(x):\n    return scale(x)\n", "def g(x):\n    return scale(x)\n"
DOUBLE, TRIPLE = "def scale(x):\n    return 2.0 * x\n", "def scale(x):\n    return 3.0 * x\n"
STARTER_F, STARTER_G = "def f(x):\n    ...\n", "def g(x):\n    ...\n"
NOISE = "for n in range(3):\n    print(1 / 0)\n"
BROKEN = "def f(x):\n    return (\n"

# The cells before the exercises, those of `one` (twice x, by f), of `two` (three times x, by g);
# and what comes of both.
TABLE = {
    "each has its own helper": ((), (DOUBLE, F), (TRIPLE, G), "passed passed"),
    "a helper of all": ((DOUBLE,), (F,), (TRIPLE + G,), "passed passed"),
    "a helper of an earlier one is there": ((), (TRIPLE, "def f(x):\n    return x + x"), (G,),
                                            "passed passed"),
    "a helper of a later one is not": ((), (F,), (DOUBLE, G), "errored failed"),
    "untouched": ((), (STARTER_F,), (TRIPLE, G), "begun passed"),
    "a cell below the starter": ((), (DOUBLE + F,), (STARTER_G, TRIPLE + G), "passed passed"),
    "emptied": ((), (DOUBLE, F), ("",), "passed begun"),
    "two that define it": ((DOUBLE,), ("def f(x):\n    return x", F), (TRIPLE, G), "passed passed"),
    "another's loop is not forbidden here": ((NOISE,), (NOISE, DOUBLE, F), (TRIPLE, G),
                                             "passed passed"),
    "one that Python cannot read": ((), (DOUBLE, BROKEN), (TRIPLE, G), "failed passed"),
    "names of a star": (("from math import *",),
                        (DOUBLE, "from math import *\ndef f(x):\n    return scale(x) * ceil(0.5)"),
                        (TRIPLE, G.replace("(x)\n", "(x * ceil(0.5))\n")), "passed passed"),
}  # fmt: skip


def book(before: tuple[str, ...], one: tuple[str, ...], two: tuple[str, ...], marks: str) -> bytes:
    """Return a notebook with markers, or with calls of `check` alone, or with neither."""
    cells = [code_cell("n", each) for each in before]
    for name, sources in (("one", one), ("two", two)):
        marker = {"etude": {"exercise": name}} if marks == "metadata" else {}
        cells.append({**text_cell("n", f"# {name}"), "metadata": marker})
        cells += [code_cell("n", each) for each in sources]
        call = f'from grader.notebook import check\n\ncheck("{name}")'
        cells.append(code_cell("n", call, {"etude": TEST_CELL} if marker else {}))
    return notebook(cells).encode()


@pytest.fixture
def pair(make: Make) -> dict[str, Exercise]:
    one = make({"call": "f(3.0)", "expect": 6.0}, forbid={"loops": True})
    two = make(
        {"call": "g(3.0)", "expect": 9.0}, defines={"g": {}}, starter=STARTER_G,
        solution="def g(x):\n    return 3.0 * x\n", forbid={"loops": True},
    )  # fmt: skip
    return {"one": replace(one, id=ExerciseId("one")), "two": replace(two, id=ExerciseId("two"))}


@pytest.mark.parametrize("marks", ["metadata", "calls"])
@pytest.mark.parametrize("case", TABLE)
def test_each_exercise_gets_its_part(
    case: str, marks: str, pair: dict[str, Exercise], sandbox: Sandbox
) -> None:
    """As if the notebook was run up to the exercise: its own definitions come before earlier ones.

    Only the cells that are needed are run; what is untouched is not submitted.
    """
    before, one, two, outcomes = TABLE[case]
    whole = Submission.from_bytes(Path("week-1.ipynb"), book(before, one, two, marks))
    for exercise, outcome in zip(pair.values(), outcomes.split(), strict=True):
        part = whole.part_for(exercise)
        if outcome == "begun":
            assert not part.is_begun
            continue
        verdict = grade(exercise, part, sandbox)
        assert verdict.outcome == outcome, verdict
        if one[-1] is BROKEN and outcome == "failed":
            assert "cell 3" in " ".join(verdict.notes).lower()


def test_a_part_keeps_its_hash_while_later_exercises_change(pair: dict[str, Exercise]) -> None:
    """Its verdict is then known again; a notebook of one exercise is read as before."""
    texts = [book((), (DOUBLE, F), (two,), "metadata") for two in (G, TRIPLE)]
    parts = [Submission.from_bytes(Path("a.ipynb"), each).part_for(pair["one"]) for each in texts]
    assert parts[0].digest == parts[1].digest
    alone = Submission.from_bytes(Path("a.ipynb"), notebook([code_cell("n", F)]).encode())
    assert alone.part_for(pair["one"]) is alone
