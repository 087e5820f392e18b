"""A definition that uses every key becomes exactly the types it describes."""

import hashlib
import math
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest

from grader.definitions import (
    CallTest,
    Definition,
    Exercise,
    FromReference,
    Literals,
    LiteralValue,
    OutputTest,
    Seeded,
    Tolerance,
    load_exercise,
)
from grader.definitions.source import Document, Mapping, read
from grader.errors import Location

COMPLETE = Path(__file__).with_name("complete.yaml")


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    return load_exercise(COMPLETE)


@pytest.fixture(scope="module")
def document() -> Document:
    return read(COMPLETE)


def test_head(exercise: Exercise) -> None:
    """Words, numbers and lists of words arrive as they are written."""
    assert exercise.id == "attention-weights"
    assert exercise.title == "Compute attention weights by hand"
    assert (exercise.kind, exercise.difficulty, exercise.xp) == ("write", "intermediate", 15)
    assert exercise.requires == ("softmax", "similarity-scores")
    assert exercise.concepts == ("scaling", "softmax")
    assert exercise.hints == ("Look at the shapes.", r"The scale is $\sqrt{d_k}$.")


def test_texts(exercise: Exercise) -> None:
    """Block texts keep their lines, their indentation and their backslashes."""
    assert exercise.instructions.splitlines()[2] == (
        r"Divide the scores by $\sqrt{d_k}$ before the softmax."
    )
    assert exercise.starter == "def attention_weights(Q, K):\n    ...\n"
    assert exercise.solution.startswith("import numpy as np\n\n\ndef ")
    assert exercise.explanation == "Without the division, the softmax saturates.\n"


def test_defines(exercise: Exercise) -> None:
    """A definition names its reference, or is an empty mapping, or is left empty."""
    assert exercise.defines == {
        "attention_weights": Definition(
            Location(COMPLETE, 15, 5), "reference.attention:attention_weights"
        ),
        "Head": Definition(Location(COMPLETE, 16, 9)),
        "helper": Definition(Location(COMPLETE, 17, 10)),
    }


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
    assert first.where == Location(COMPLETE, 22, 5)
    assert (first.id, first.description) == ("worked-example", "three queries, three keys")
    assert (first.hidden, first.points, first.seeds, first.disclose) == (False, 2, 1, "category")
    assert (second.hidden, second.points, second.seeds, second.disclose) == (True, 3, 20, "inputs")
    assert second.call == "attention_weights(Q, K)"
    assert second.expect == FromReference()
    assert second.tolerance is None
    assert isinstance(second.given, Seeded)
    assert second.given.code.startswith("n, m, d_k = rng.choice(")


def test_output_test(exercise: Exercise) -> None:
    """A test with `run` is an output test; null stands for an optional key left out."""
    test = exercise.tests[2]
    assert isinstance(test, OutputTest)
    assert test.run == "weights = attention_weights(Q, Q)\nprint(weights.shape)\n"
    assert test.stdout == "(1, 1)"
    assert test.description == "the shape of the weights"
    assert (test.hidden, test.points, test.disclose) == (True, 0, "nothing")
    assert test.tolerance is None


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
    assert misconception.where == Location(COMPLETE, 59, 5)
    assert misconception.id == "unscaled"
    assert misconception.code == ("def attention_weights(Q, K):\n    return softmax(Q @ K.T)\n")
    assert misconception.feedback == r"Your weights lack the division by $\sqrt{d_k}$."


def test_digest(exercise: Exercise) -> None:
    """The digest is the SHA-256 of the file's bytes."""
    assert exercise.digest == hashlib.sha256(COMPLETE.read_bytes()).hexdigest()


def test_every_key_is_used(exercise: Exercise, document: Document) -> None:
    """The definition in these tests leaves out no key that an author may write."""
    assert isinstance(document.root, Mapping)
    written = {key.text for key, _ in document.root.entries}
    assert written == {field.name for field in fields(exercise)} - {"where", "digest"}
    assert is_dataclass(exercise)
