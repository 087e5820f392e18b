"""A definition that uses every key becomes exactly the types it describes."""

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from grader.definitions.collection import load_exercise_file
from grader.definitions.decode import author_keys
from grader.definitions.exercise import (
    Budget,
    CallTest,
    Definition,
    Equivalent,
    Exercise,
    ExerciseLimits,
    Forbid,
    FromExpression,
    FromReference,
    FromSolution,
    Hint,
    Literals,
    LiteralValue,
    Misconception,
    OutputTest,
    PropertyTest,
    PytestTest,
    Seeded,
    TestCase,
    Tolerance,
    _BaseTest,
)
from grader.definitions.yaml_source import Document, ListNode, MappingNode, Node, read_yaml
from grader.errors import Location

COMPLETE = Path(__file__).with_name("complete.yaml")


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    return load_exercise_file(COMPLETE)


@pytest.fixture(scope="module")
def document() -> Document:
    return read_yaml(COMPLETE)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "attention-weights"),
        ("title", "Compute attention weights by hand"),
        ("kind", "write"),
        ("difficulty", "intermediate"),
        ("xp", 15),
        ("requires", ("softmax", "similarity-scores")),
        ("concepts", ("scaling", "softmax")),
        ("minutes", 12),
        (
            "defines",
            {
                "attention_weights": Definition(
                    Location(COMPLETE, 15, 5), "reference.attention:attention_weights"
                ),
                "Head": Definition(Location(COMPLETE, 16, 9), kind="class", operators=("==", "+")),
                "helper": Definition(Location(COMPLETE, 17, 10)),
                "largest": Definition(
                    Location(COMPLETE, 18, 12), kind="value", choices=("the last", "none")
                ),
            },
        ),
        (
            "forbid",
            Forbid(
                Location(COMPLETE, 88, 3),
                imports=("scipy", "torch.nn"),
                names=("np.einsum",),
                calls=("np.linalg.norm",),
                loops=True,
                because="A loop over tokens is what matrices spare you.",
            ),
        ),
        (
            "hints",
            (
                Hint(Location(COMPLETE, 94, 5), "Look at the shapes."),
                Hint(Location(COMPLETE, 95, 5), r"The scale is $\sqrt{d_k}$.", 2),
            ),
        ),
        (
            "equivalent",
            (
                Equivalent(
                    Location(COMPLETE, 106, 5),
                    "drop-max in attention_weights: `scores - scores.max()` -> `scores`",
                    "The tests have no large scores; the next exercise does.",
                ),
            ),
        ),
        ("small_examples", False),
        ("limits", ExerciseLimits(Location(COMPLETE, 120, 9), 20, 30.5, 512, 64)),
    ],
)
def test_a_field_is_what_is_written(exercise: Exercise, field: str, value: object) -> None:
    """With its place in the file; whole numbers become floats where floats are meant."""
    assert getattr(exercise, field) == value


def test_also_right(exercise: Exercise) -> None:
    """A further right program is its text, or also says when to take it."""
    program, other = exercise.also_right
    assert program.code.startswith("import numpy as np\n")
    assert (program.when, other.when) == ("", "With `@` in a lambda: for one line.\n")
    assert other.code.startswith("import numpy as np\nattention_weights = lambda")


def test_texts(exercise: Exercise) -> None:
    """Block texts keep their lines, their indentation and their backslashes."""
    assert exercise.instructions.splitlines()[2] == (
        r"Divide the scores by $\sqrt{d_k}$ before the softmax."
    )
    assert exercise.starter == "def attention_weights(Q, K):\n    ...\n"
    assert exercise.solution.startswith("import numpy as np\n\n\ndef ")
    assert exercise.explanation == "Without the division, the softmax saturates.\n"


def test_literal_inputs(exercise: Exercise) -> None:
    """Nested lists of numbers become arrays with NumPy's dtype, single values stay Python's."""
    test = exercise.tests[0]
    assert isinstance(test.given, Literals)
    assert list(test.given.values) == ["Q", "K", "n", "y"]
    np.testing.assert_array_equal(test.given.values["Q"], np.array([[1, 0], [0, 1], [1, 1]]))
    assert test.given.values["Q"].dtype == np.int64
    assert test.given.values["K"].dtype == np.float64
    assert test.given.values["n"] == 3
    assert test.given.values["y"] == "on"


def test_literal_expectation(exercise: Exercise) -> None:
    """An expected list of numbers is an array, special floats included."""
    test = exercise.tests[0]
    assert isinstance(test, CallTest)
    assert isinstance(test.expect, LiteralValue)
    np.testing.assert_array_equal(
        test.expect.value,
        [[0.456, 0.225, 0.320], [0.225, 0.456, 0.320], [math.nan, -math.inf, 0.001]],
    )
    assert test.tolerance == Tolerance(atol=0.0005, rtol=0.0)
    assert isinstance(test.tolerance.rtol, float)


def test_call_test(exercise: Exercise) -> None:
    """A call test has its place, its worth, and defaults for what is left out."""
    first, second = exercise.tests[:2]
    assert isinstance(first, CallTest)
    assert isinstance(second, CallTest)
    assert first.where == Location(COMPLETE, 23, 5)
    assert (first.id, first.description) == ("worked-example", "three queries, three keys")
    assert (first.hidden, first.points, first.seeds, first.disclose) == (False, 2, 1, "category")
    assert (second.hidden, second.points, second.seeds, second.disclose) == (True, 3, 20, "inputs")
    assert second.call == "attention_weights(Q, K)"
    assert second.expect == FromReference()
    assert second.tolerance is None
    assert isinstance(second.given, Seeded)
    assert second.given.code.startswith("n, m, d_k = sizes(3)\n")
    assert (first.nan, first.keep_inputs, first.partial) == ("ignored", True, False)
    assert (second.nan, second.keep_inputs, second.partial) == ("equal", False, True)
    assert first.budget is None
    assert second.budget == Budget(Location(COMPLETE, 42, 13), time=20.0, memory=4.5)


def test_sources_of_expected_values(exercise: Exercise) -> None:
    """An expected value can come from the solution and from an expression, too."""
    by_id = {str(test.id): test for test in exercise.tests}
    largest, head = by_id["largest-weight"], by_id["head-of-one"]
    assert isinstance(largest, CallTest)
    assert isinstance(head, CallTest)
    assert largest.expect == FromSolution()
    assert head.expect == FromExpression("reference.softmax(np.array([[5.0]]))")


def test_property_tests(exercise: Exercise) -> None:
    """A test with `holds` and `call` is a property test."""
    rows, slope = (test for test in exercise.tests if isinstance(test, PropertyTest))
    assert (rows.holds, rows.call) == ("rows_sum_to_one", "attention_weights(Q, K)")
    assert (rows.axis, rows.of, rows.against) == (1, (), None)
    assert rows.tolerance == Tolerance(rtol=1e-6)
    assert (slope.holds, slope.call) == ("gradient", "Head(3).gradient(Q, K)")
    assert (slope.axis, slope.of) == (None, ("Q",))
    assert slope.against == "attention_weights(Q, K).sum()"
    assert slope.tolerance is None


def test_pytest_test(exercise: Exercise) -> None:
    """A test with `pytest` holds the statements as they are written."""
    (test,) = (test for test in exercise.tests if isinstance(test, PytestTest))
    assert test.pytest.startswith("with pytest.raises(ValueError): attention_weights(")
    assert not test.keep_inputs


def test_output_test(exercise: Exercise) -> None:
    """A test with `run` is an output test; null stands for an optional key left out."""
    test = exercise.tests[2]
    assert isinstance(test, OutputTest)
    assert test.run == "weights = attention_weights(Q, Q)\nprint(weights.shape)\n"
    assert test.stdout == "(1, 1)"
    assert test.description == "the shape of the weights"
    assert (test.hidden, test.points, test.disclose) == (True, 0, "nothing")
    assert test.tolerance is None
    from_solution = exercise.tests[3]
    assert isinstance(from_solution, OutputTest)
    assert from_solution.stdout is None


def test_other_literals(exercise: Exercise) -> None:
    """Booleans become an array, words stay a list, mappings are dicts, an empty list is empty."""
    given = exercise.tests[2].given
    assert isinstance(given, Literals)
    assert given.values["Q"].shape == (1, 1)
    assert given.values["mask"].dtype == np.bool_
    assert given.values["names"] == ["a", "b"]
    (layer,) = given.values["layers"]
    assert layer["W"].tolist() == [1, 2]
    assert layer["bias"] is None
    assert given.values["empty"].shape == (0,)


def test_misconception(exercise: Exercise) -> None:
    """A misconception has its place, its program and its feedback."""
    (misconception,) = exercise.misconceptions
    assert misconception.where == Location(COMPLETE, 98, 5)
    assert misconception.id == "unscaled"
    assert misconception.code == ("def attention_weights(Q, K):\n    return softmax(Q @ K.T)\n")
    assert misconception.hint == 2
    assert misconception.feedback == r"Your weights lack the division by $\sqrt{d_k}$."


def test_digest() -> None:
    """Without a course and data files, the digest is the SHA-256 of the file's bytes."""
    minimal = COMPLETE.with_name("minimal.yaml")
    assert load_exercise_file(minimal).digest == hashlib.sha256(minimal.read_bytes()).hexdigest()


def test_files(exercise: Exercise) -> None:
    """Data files arrive with their contents, under their names."""
    assert exercise.files == ("minimal.yaml",)
    assert exercise.data["minimal.yaml"].startswith(b"id: double")
    assert tuple(exercise.hidden_data) == exercise.hidden_files == ("test_complete.py",)


def test_every_key_is_used(document: Document) -> None:
    """The definition in these tests leaves out no key that an author may write, at any depth."""
    tests = parts(document.node("tests"))
    definitions = document.node("defines")
    assert isinstance(definitions, MappingNode)
    for kind, found in list[tuple[type, Sequence[Node]]](
        [
            (Exercise, [document.root]),
            (CallTest, [test for test in tests if test.get("call") and not test.get("holds")]),
            (OutputTest, [test for test in tests if test.get("run")]),
            (PropertyTest, [test for test in tests if test.get("holds")]),
            (PytestTest, [test for test in tests if test.get("pytest")]),
            (Tolerance, [document.node("tests", 0, "tolerance")]),
            (Budget, [document.node("tests", 1, "budget")]),
            (Definition, [node for _, node in definitions.entries]),
            (Forbid, [document.node("forbid")]),
            (Hint, parts(document.node("hints"))),
            (Misconception, parts(document.node("misconceptions"))),
            (Equivalent, parts(document.node("equivalent"))),
            (ExerciseLimits, [document.node("limits")]),
        ]
    ):
        missing = set(author_keys(kind)).difference(*map(keys, found))
        # With several files each program looks another way: tests/grading/program/test_several_files.
        missing.discard("files_to_submit")
        missing.discard("program")  # of a suite: tests/grading/checks/test_suite.py
        if kind in get_args(TestCase):  # what all tests have in common is used somewhere
            missing -= set(author_keys(_BaseTest)) & set().union(*map(keys, tests))
        assert (kind, missing) == (kind, set())


def parts(node: Node) -> list[MappingNode]:
    assert isinstance(node, ListNode)
    return [item for item in node.items if isinstance(item, MappingNode)]


def keys(node: Node) -> set[str]:
    return {key.text for key, _ in node.entries} if isinstance(node, MappingNode) else set()
