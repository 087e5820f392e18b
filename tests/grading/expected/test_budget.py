"""Budgets: what a call may use, in multiples of what the reference or the solution uses."""

import gc
from pathlib import Path

import numpy as np
import pytest

from grader.definitions.exercise import Budget
from grader.errors import Location
from grader.grading.expected.budget import (
    MEMORY_FLOOR,
    TIME_FLOOR,
    find_excess,
    measure,
    total_usage,
)
from grader.grading.feedback.difference_sentences import difference_sentence
from grader.grading.results.raw_result import DifferenceKind
from grader.grading.results.verdict import Outcome
from grader.sandbox.answers import Usage
from tests.grading.conftest import GradeOne

SUMS = "import numpy as np\ndef f(x):\n    return sum(float((a * x).sum()) for a in x)\n"
WHOLE = "import numpy as np\ndef f(x):\n    return float(np.outer(x, x).sum())\n"
TEST = {
    "given": "x = rng.standard_normal(1000)",
    "call": "f(x)",
    "expect": "solution",
    "budget": {"memory": 20},
    "tolerance": {"rtol": 1e-6},
}


def budget(tmp_path: Path, **multiples: float) -> Budget:
    return Budget(where=Location(tmp_path), **multiples)


def test_a_whole_matrix_is_over_the_budget_of_one_row(grade_one: GradeOne) -> None:
    """The right values are not enough: the sentence gives both amounts and what is allowed."""
    assert grade_one(SUMS, TEST, solution=SUMS).outcome is Outcome.PASSED
    result = grade_one(WHOLE, TEST, solution=SUMS)
    assert result.outcome is Outcome.FAILED
    assert result.message.startswith("Your code used ")
    assert "times the memory of the solution (8.1 MB against" in result.message
    assert result.message.endswith("this exercise allows 20 times.")


def test_a_hidden_budget_tells_no_amount(grade_one: GradeOne) -> None:
    """Only that it was exceeded."""
    result = grade_one(WHOLE, {**TEST, "hidden": True}, solution=SUMS)
    assert result.message == "Your code uses more time or memory than this hidden test allows."


def test_the_reference_is_measured_for_the_same_call(grade_one: GradeOne) -> None:
    """Where there is one, in this process; the submission in its own."""
    source = "import numpy as np\ndef f(x):\n    e = np.exp(x - x.max())\n    return e / e.sum()\n"
    wasteful = source.replace("return", "np.ones((1000, 1000)); return")
    test = {**TEST, "expect": "reference"}
    defines = {"f": {"reference": "reference.softmax:softmax"}}
    assert grade_one(source, test, defines=defines).outcome is Outcome.PASSED
    result = grade_one(wasteful, test, defines=defines)
    assert "times the memory of the reference (8 MB against" in result.message


def test_a_wrong_value_is_reported_before_the_budget(grade_one: GradeOne) -> None:
    """A wrong value is reported before a budget that is exceeded."""
    wrong = WHOLE.replace("np.outer(x, x)", "np.ones((1000, 1000))")
    assert "Your code used" not in grade_one(wrong, TEST, solution=SUMS).message


@pytest.mark.parametrize(
    ("multiples", "used", "known", "sentence"),
    [
        ({"memory": 2.0}, Usage(0, 81_000_000), Usage(0, 6_700_000), "Your code used 12 times the memory of the reference (81 MB against 6.7 MB); this exercise allows 2 times."),
        ({"time": 3.0}, Usage(1.25, 0), Usage(0.1, 0), "Your code used 12 times the time of the reference (1.2 s against 100 ms); this exercise allows 3 times."),
        ({"memory": 2.0}, Usage(0, MEMORY_FLOOR), Usage(0, 10), None),
        ({"time": 2.0}, Usage(TIME_FLOOR, 0), Usage(1e-6, 0), None),
        ({"time": 2.0}, Usage(0.2, 1 << 40), Usage(0.1, 1), None),
        ({"time": 2.0, "memory": 1.5}, Usage(9.0, 90_000), Usage(0.1, 89_000), "Your code used 90 times the time of the reference (9 s against 100 ms); this exercise allows 2 times."),
    ],
)  # fmt: skip
def test_only_what_is_above_multiple_and_floor_is_too_much(
    tmp_path: Path, multiples: dict[str, float], used: Usage, known: Usage, sentence: str | None
) -> None:
    """The floors keep noise from deciding about calls that take next to nothing."""
    found = find_excess(budget(tmp_path, **multiples), used, known, "reference")
    assert (found and difference_sentence(found)) == sentence
    assert found is None or found.kind is DifferenceKind.BUDGET


def test_what_is_measured_here_is_the_peak_not_the_sum() -> None:
    """Two blocks of a megabyte, one after the other, take one megabyte."""

    def megabytes() -> object:
        return [len(bytes(1 << 20)) for _ in range(2)]

    usage = measure(megabytes, megabytes)
    assert 1 << 20 <= usage.peak_bytes < 3 << 19


def test_calls_of_one_expression_share_a_peak_and_add_up_their_time() -> None:
    """The largest peak is what they needed at once."""
    assert total_usage([Usage(1.0, 300), Usage(0.5, 200)]) == Usage(1.5, 300)


def test_what_is_measured_here_does_not_depend_on_what_was_before() -> None:
    """The same bytes each time, so that two builds of a site are equal."""

    def small_things() -> list[object]:
        return [[(n, float(n), {n: n}, np.arange(n)) for n in range(k)] for k in range(20)]

    def use_up() -> list[object]:
        return [small_things() for _ in range(3)]

    assert gc.isenabled()
    peaks = [measure(small_things, small_things).peak_bytes]
    gc.collect()  # nothing is left for reuse
    peaks.append(measure(small_things, small_things).peak_bytes)
    use_up()  # as much as there can be
    peaks.append(measure(small_things, small_things).peak_bytes)
    kept = use_up()
    peaks.append(measure(small_things, small_things).peak_bytes)
    assert kept
    assert gc.isenabled()
    assert len(set(peaks)) == 1
