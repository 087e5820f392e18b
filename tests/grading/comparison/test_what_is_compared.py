"""Every row of the page "What is compared": a result that passes and one that fails."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.grading.results.verdict import Outcome
from grader.mutation import mutants
from tests.grading.conftest import GradeOne

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "what-is-compared.md"
_ROW = re.compile(r"\| ([^|`]+) \| (?:`([^`]+)` )?\| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|")


def rows() -> list[Any]:
    """Return the rows of the page's tables, in order."""
    lines = PAGE.read_text("utf-8").splitlines()
    found = [match.groups() for line in lines if (match := _ROW.fullmatch(line))]
    assert len(found) == sum(line.startswith("| ") for line in lines) - lines.count(
        "| wish | YAML | expected | passes | fails |"
    )
    return [pytest.param(*row, id=f"{row[0]}: {row[2]}") for row in found]


@pytest.mark.parametrize(("wish", "line", "expected", "right", "wrong"), rows())
def test_a_row_says_what_passes_and_what_fails(
    grade_one: GradeOne, wish: str, line: str | None, expected: str, right: str, wrong: str
) -> None:
    """One line of YAML is all that a wish takes."""
    usual = {"call": "f()", "expect": {"expression": expected}}
    test = usual | (yaml.safe_load(line) if line else {})
    for result, outcome in ((right, Outcome.PASSED), (wrong, Outcome.FAILED)):
        source = f"import numpy as np\ndef f():\n    return {result}\n"
        graded = grade_one(source, test, solution=source)
        assert graded.outcome is outcome, f"{wish}: {result}: {graded.message}"


def test_an_exact_dtype_has_its_sentence(grade_one: GradeOne) -> None:
    """It is said before the values that differ for it."""
    test = {
        "call": "f()",
        "expect": {"expression": "np.array([200, 44], np.uint8)"},
        "dtype": "exact",
    }
    source = "import numpy as np\ndef f():\n    return np.array([200, 300])\n"
    message = grade_one(source, test).message
    assert message.startswith("The result should have dtype uint8, but has dtype int64.")


@pytest.mark.parametrize(("policy", "passes"), [("kind", True), ("exact", False)])
def test_an_exact_dtype_rejects_the_mutant_without_it(
    grade_one: GradeOne, policy: str, passes: bool
) -> None:
    """`drop-dtype` leaves the conversion out; without `dtype: exact` nothing tells it apart."""
    source = "import numpy as np\ndef f(x):\n    return np.arange(x, dtype=np.uint8)\n"
    (mutant,) = [each for each in mutants(source) if each.operator == "drop-dtype"]
    test = {"given": {"x": 3}, "call": "f(x)", "expect": "solution", "dtype": policy}
    assert (grade_one(mutant.source, test, solution=source).outcome is Outcome.PASSED) is passes
