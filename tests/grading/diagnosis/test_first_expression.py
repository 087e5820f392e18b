"""The first expression that leaves the track, in the real sandbox; golden files show each kind."""

import json
from dataclasses import replace

import pytest

from grader.grading.diagnosis import first_expression
from grader.grading.expected.oracle import Oracle
from grader.grading.feedback.diagnosis_sentences import first_expression_sentence
from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import verdict_data
from grader.grading.submissions.program_text import ProgramText
from tests.grading.conftest import Fields, GradeAll, Make

DRAWN: Fields = {
    "given": "n, m = sizes(2, least=2)\nx = rng.standard_normal((n, m))",
    "call": "f(x)",
    "expect": "solution",
}
HIDDEN: Fields = {**DRAWN, "hidden": True}
SOLUTION = """\
import numpy as np


def f(x):
    away = x - x.mean(axis=-1, keepdims=True)
    return away / np.sqrt((away**2).mean(axis=-1, keepdims=True) + 1)
"""
WRONG = """\
import numpy as np


def f(x):
    away = np.subtract(x, np.mean(x, axis=1)[:, np.newaxis])
    size = np.ptp(away, axis=1, keepdims=True)
    return away / size
"""
FILE = "import numpy as np\n\n\ndef f(x):\n    return {}(float(*x))\n"
PLACE = "`np.ptp(away, axis=1, keepdims=True)` in line 6"


def graded(grade_all: GradeAll, source: str, *tests: Fields, **fields: object) -> Verdict:
    return grade_all(source, *tests, **{"solution": SOLUTION, **fields})


def said(verdict: Verdict) -> str:
    return "" if verdict.diagnosis is None else verdict.diagnosis.feedback


def test_the_search_names_the_learners_own_text_and_line(grade_all: GradeAll) -> None:
    """It is a diagnosis of its own kind, and says which tests it is about."""
    verdict = graded(grade_all, WRONG, HIDDEN)
    assert verdict.diagnosis is not None
    assert verdict.diagnosis.kind == "expression"
    assert verdict.diagnosis.tests == ("test-0",)
    assert PLACE in said(verdict)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "tests", "fields"),
    [
        (WRONG, [{**HIDDEN, "disclose": "nothing"}], {}),
        (WRONG, [HIDDEN], {"kind": "fix", "starter": SOLUTION.replace("+ 1", "+ 2")}),
        (WRONG, [{**DRAWN, "given": "x = rng.standard_normal((3, 4))"}], {}),
        (WRONG, [{**HIDDEN, "call": "f(x * 2.5)"}], {}),
        (WRONG, [{**DRAWN, "given": {"x": [[1.0, 2.0]]}, "call": "f(np.array(x))"}], {}),
        (WRONG.replace("return away", "x += 1; return away"), [HIDDEN], {}),
        (WRONG.replace("away / size", "away / (size + 1) ** len(C)").replace(
            "def f(x):", "C = []\ndef f(x):\n    C.append(1)"), [HIDDEN], {}),
        (WRONG, [HIDDEN, {**HIDDEN, "given": "x = rng.standard_normal(3)"}], {}),
        (FILE.format("np.sin"), [{**HIDDEN, "given": "import io\nx = io.StringIO(f'{rng.uniform(1, 2)}')"}],
         {"solution": FILE.format("np.tanh")}),
    ],
    ids=["nothing-disclosed", "fix", "one-size", "constant", "no-draws", "in-place", "state",
         "an-error-elsewhere", "file"],
)  # fmt: skip
def test_the_search_is_silent_in_doubt(
    grade_all: GradeAll, source: str, tests: list[Fields], fields: Fields
) -> None:
    """And where the place would be the answer, or nothing may be told."""
    verdict = graded(grade_all, source, *tests, **fields)
    assert not verdict.score
    assert verdict.diagnosis is None or verdict.diagnosis.kind != "expression"
    assert not verdict.feedback_errors


def test_a_mistake_of_the_caller_is_not_looked_for_in_a_helper(grade_all: GradeAll) -> None:
    """What comes into a helper is wrong already: its first expression is not named."""
    body = "def root(v):\n    return np.sqrt(v + 1)\n\n\ndef f(x):\n"
    source = WRONG.replace("def f(x):\n", body).replace(
        "np.ptp(away, axis=1, keepdims=True)", "root(np.ptp(away, axis=1, keepdims=True))"
    )
    assert "in line 10" in said(graded(grade_all, source, HIDDEN))


TWO: Fields = {
    **HIDDEN,
    "given": "n, m = sizes(2, least=2)\nx, y = rng.standard_normal((2, n, 2 * m))",
    "call": "f(x, y)",
}


def test_what_an_own_function_returns_as_it_came_in_is_no_right_step(grade_all: GradeAll) -> None:
    """Its value is an input, which a right program has too; the mistake lies in the function."""
    solution = """\
import numpy as np


def f(x, y):
    return np.tanh(np.cumsum(x, axis=-1) * np.exp(y) / np.arange(1, x.shape[-1] + 1))
"""
    right = """\
import numpy as np


def added(x, y):
    return np.cumsum(x, axis=-1) * np.exp(y)


def f(x, y):
    return np.tanh(added(x, y) / np.arange(1, x.shape[-1] + 1))
"""
    wrong = right.replace("np.cumsum(x, axis=-1) * np.exp(y)", "y")
    assert graded(grade_all, right, TWO, solution=solution).score
    assert "`y` in line 5" in said(graded(grade_all, wrong, TWO, solution=solution))


def test_a_part_of_a_wrong_array_is_no_right_operand(grade_all: GradeAll) -> None:
    """The parts of complex numbers that were never turned look right, and so does their use."""
    solution = """\
import numpy as np


def f(x, y):
    turned = x * np.cos(y) - y * np.sin(y), x * np.sin(y) + y * np.cos(y)
    return np.stack(turned, axis=-1)
"""
    right = """\
import numpy as np


def f(x, y):
    turned = (x + 1j * y) * np.exp(1j * y)
    return np.stack([turned.real, turned.imag], axis=-1)
"""
    wrong = right.replace("(x + 1j * y) * np.exp(1j * y)", "(x + 1j * y)")
    assert graded(grade_all, right, TWO, solution=solution).score
    assert said(graded(grade_all, wrong, TWO, solution=solution)) == ""


def test_an_edition_without_solution_starts_no_child(make: Make) -> None:
    """As in a page: nothing is searched there."""
    exercise = replace(make(HIDDEN, solution=SOLUTION), solution="")
    search = first_expression.find_first_wrong_expression
    assert search(Oracle(exercise), ProgramText(WRONG), {}) is None


ANSWERS = {
    "text": "[secret, secret]",
    "kind": "['the value is ' + secret, 0]",
    "number": "['wrong', 10**6]",
    "negative": "['wrong', -1]",
    "boolean": "['wrong', True]",
    "other kind": "['filled', 0]",
    "print": "print(secret)",
    "raise": "1 / 0 if secret else secret",
}


@pytest.mark.slow
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_nothing_but_a_place_comes_back(grade_all: GradeAll, answer: str) -> None:
    """A submission that takes over the search has right values, and tells none of them."""
    attack = f"""\
import sys
search = getattr(sys.modules.get("submission"), "_Search", None)


def found(self, calls, traces):
    secret = "SECRET" + str(traces[0][1])
    print(secret, file=sys.stderr)
    return {answer}


if search is not None:
    search.first_wrong = found
"""
    verdict = graded(grade_all, WRONG + attack, HIDDEN)
    assert verdict.diagnosis is None
    assert "SECRET" not in json.dumps(verdict_data(verdict))


def test_a_submission_that_takes_over_can_only_name_its_own_text(grade_all: GradeAll) -> None:
    """The attack works at all; the place that it names is read from the parsed source."""
    attack = """
import sys
search = getattr(sys.modules.get("submission"), "_Search", None)
if search is not None:
    search.first_wrong = lambda *_: ["wrong", 0]
"""
    assert "`x` in line 5" in said(graded(grade_all, WRONG + attack, HIDDEN))


def test_a_notebook_has_lines_of_cells() -> None:
    """The line is that in its cell."""
    line = ProgramText("", (2, 5), (3, 7)).name_line(7)
    assert "line 4 of cell 5 gives" in first_expression_sentence("wrong", "a", line)
