"""Tests whose sentence names a relation, and tests whose sentence must not."""

from typing import Any, TypeAlias

import numpy as np
import pytest

from grader.grading.comparison.relations import find_relation
from tests.grading.conftest import GradeAll, GradeOne

Fields: TypeAlias = dict[str, Any]

SOLUTION = "import numpy as np\n\n\ndef f(x):\n    return x * 1.0\n"
THRICE = SOLUTION.replace("1.0", "3.0")
LIKE_X: Fields = {"call": "f(x)", "expect": {"expression": "x"}}
MATRIX: Fields = {**LIKE_X, "given": "x = rng.standard_normal((4, 3))"}
OTHER: Fields = {**LIKE_X, "given": "x = rng.standard_normal((3, 5))"}
BY_COLUMNS = SOLUTION.replace("1.0", "x.shape[-1]")
RELATION = "Every value is 3 times the expected one; 3 is the length of the last axis of `x`."


def test_visible_test_names_the_relation(grade_all: GradeAll) -> None:
    """After what differs, a visible test says how the values are related."""
    message = grade_all(BY_COLUMNS, MATRIX, OTHER).tests[0].message
    assert message.startswith("The result has the right shape, but all 12 values differ")
    assert message.endswith(f". {RELATION}")


def test_shape_names_the_relation(grade_one: GradeOne) -> None:
    """A result of another shape is related too."""
    message = grade_one("def f(x):\n    return x.T * 1.0\n", MATRIX).message
    assert message == (
        "The result should have shape (4, 3), but has shape (3, 4). "
        "This is the expected result with rows and columns swapped."
    )


def test_no_coincidence_is_a_cause(grade_all: GradeAll) -> None:
    """A size explains a factor only if inputs of another size agree."""
    for tests in ([MATRIX], [MATRIX, OTHER], [MATRIX, MATRIX]):
        message = grade_all(THRICE, *tests).tests[0].message
        assert message.endswith(". Every value is 3 times the expected one.")


def test_draw_is_said_after_the_relation(grade_all: GradeAll) -> None:
    """With several draws, the number of the draw stays at the end."""
    message = grade_all(BY_COLUMNS, {**MATRIX, "seeds": 2}, OTHER).tests[0].message
    assert message.endswith(f"{RELATION} (Inputs 1 of 2.)")


def test_hidden_test_names_no_relation(grade_all: GradeAll) -> None:
    """The sentence of a hidden test is the same for every way to be wrong, whatever it discloses."""
    for disclose in ("nothing", "category", "inputs"):
        hidden = {**MATRIX, "hidden": True, "disclose": disclose}
        messages = [
            grade_all(SOLUTION.replace("1.0", number), hidden).tests[0].message
            for number in ("3.0", "2.718")
        ]
        assert messages[0] == messages[1]
        assert "times" not in messages[0]


def test_prediction_names_no_relation(grade_one: GradeOne) -> None:
    """A relation would give a prediction's answer away."""
    message = grade_one(
        "answer = [2.0, 5.0, 8.0]\n",
        {"call": "answer", "expect": [1.0, 2.5, 4.0]},
        kind="predict",
        defines={"answer": {}},
        starter="answer = ...\n",
        solution="answer = [1.0, 2.5, 4.0]\n",
    ).message
    assert message
    assert "times" not in message


def test_rounded_literal_is_no_obstacle(grade_one: GradeOne) -> None:
    """Where an author wrote few digits, the relation is to what the reference gives."""
    message = grade_one(
        "import numpy as np\n\n\ndef f(x):\n    e = np.exp(x)\n    return e / e.sum(axis=0)\n",
        {
            "given": {"x": [[0.0, 1.0, 3.0], [1.0, 0.5, 2.0]]},
            "call": "f(x)",
            "expect": [[0.042, 0.114, 0.844], [0.231, 0.14, 0.629]],
            "tolerance": {"atol": 5e-4},
        },
        defines={"f": {"reference": "reference.softmax:softmax"}},
    ).message
    assert message.endswith("Do you divide by sums along the wrong axis?")


def test_large_result_is_not_copied_to_look_for_a_relation() -> None:
    """A result may be as large as memory: it is left out before anything is computed."""
    huge = np.broadcast_to(1.0, (2**40,))  # as float64 in full it would be 8 TiB
    assert find_relation(np.ones(3), huge, {}) is None
    assert find_relation(huge, np.ones(3), {}) is None


def test_relation_that_breaks_leaves_the_sentence_alone(
    grade_one: GradeOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error in the search for a relation does not change the verdict."""
    whole = grade_one(THRICE, MATRIX).message
    said = " Every value is 3 times the expected one."

    def breaks(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("grader.grading.comparison.relations.find_relation", breaks)
    assert whole.endswith(said)
    assert grade_one(THRICE, MATRIX).message == whole.removesuffix(said)
