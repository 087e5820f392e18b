"""Functions, classes and state: what a test's expression may do with a submission."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise_file
from grader.grading.results.verdict import TestResult
from grader.sandbox.process import Sandbox
from tests.grading.conftest import grade

HEAD = """\
id: shapes
title: Shapes
difficulty: beginner
xp: 1
instructions: i
defines: {Scale: {kind: class}, apply: {}, clip: {}}
starter: ''
solution: ''
explanation: e
tests:
"""
RIGHT = """\
import numpy as np

class Scale:
    def __init__(self, factor):
        self.factor = factor
        self.calls = 0
    def __call__(self, x):
        self.calls += 1
        return self.factor * x
    def twice(self):
        return Scale(2 * self.factor)
    def __len__(self):
        return self.calls
    def __getitem__(self, key):
        return key + self.factor

def apply(f, x):
    return f(x)

def clip(x):
    return np.minimum(x, 1)
"""

Run = Callable[..., TestResult]


@pytest.fixture
def run(sandbox: Sandbox, tmp_path: Path) -> Run:
    """Grade a source with one test, written as the fields of its YAML."""

    def grade_one(fields: str, source: str = RIGHT) -> TestResult:
        path = tmp_path / "shapes.yaml"
        path.write_text(f"{HEAD}  - {{id: only, {fields}}}\n")
        return grade(load_exercise_file(path), source, sandbox).tests[0]

    return grade_one


@pytest.mark.parametrize(
    ("call", "expect"),
    [
        ("Scale(3)(2)", "6"),
        ("Scale(3).factor", "3"),
        ("Scale(3).twice().factor", "6"),
        ("Scale(factor=3).twice()(1.5)", "9.0"),
        ("len(Scale(3))", "0"),
        ("Scale(3)[4]", "7"),
        ("apply(Scale(3), 5)", "15"),
        ("sum(s.factor for s in [Scale(1), Scale(2)])", "3"),
    ],
)
def test_instances_stay_in_the_sandbox_and_can_be_used(run: Run, call: str, expect: str) -> None:
    """Attributes, methods, operators, and passing an instance back in."""
    result = run(f"call: '{call}', expect: {expect}")
    assert (result.outcome, result.message) == ("passed", "")


def test_an_argument_may_be_a_function(run: Run) -> None:
    """Its source is sent, so the submission calls it in the sandbox; NumPy is there."""
    given = "def f(x): return np.sqrt(x) + 1"
    result = run(f"given: '{given}', call: 'apply(f, 9.0)', expect: 4.0")
    assert (result.outcome, result.message) == ("passed", "")


def test_a_lambda_is_called_where_the_test_runs(run: Run) -> None:
    """It may use the other given names, which the sandbox does not have."""
    given = "k = 2; f = lambda x: k * x"
    assert run(f"given: '{given}', call: 'apply(f, 3)', expect: 6").outcome == "passed"


def test_an_instance_where_a_value_belongs_is_a_wrong_type(run: Run) -> None:
    """A sentence names the submission's class."""
    result = run("call: Scale(1), expect: 1")
    assert result.message == "The result should be an int, but is an object of your class Scale."


def test_a_missing_attribute_is_the_submission_s_error(run: Run) -> None:
    """As it would be in one process."""
    result = run("call: Scale(1).size, expect: 1")
    assert result.outcome == "errored"
    assert "an object of your class `Scale` has no 'size'" in result.message


@pytest.mark.parametrize(
    ("body", "outcome"),
    [("return np.minimum(x, 1)", "passed"), ("x[x > 1] = 1; return x", "failed")],
)
def test_inputs_that_must_be_kept_are_looked_at_after_the_call(
    run: Run, body: str, outcome: str
) -> None:
    """Unless a test allows it: the value may be right, changing an argument fails the test."""
    source = RIGHT.replace("return np.minimum(x, 1)", body)
    fields = "given: {x: [0.5, 2.0]}, call: clip(x), expect: [0.5, 1.0]"
    result = run(fields, source)
    assert result.outcome == outcome
    if outcome == "failed":
        assert result.message == (
            "The result is right, but your code changes `x` in place. Work on a copy, or make a "
            "new array."
        )
    assert run(f"{fields}, keep_inputs: false", source).outcome == "passed"


def test_an_argument_without_a_name_is_named_by_its_place(run: Run) -> None:
    """An argument that the call computes first is named by its place, too."""
    source = RIGHT.replace("return np.minimum(x, 1)", "x[x > 1] = 1; return x")
    result = run("given: {x: [1.0]}, call: clip(x + 1.0), expect: [1.0]", source)
    assert "your code changes argument 1 of `clip(x + 1.0)` in place" in result.message


def test_a_wrong_value_is_told_before_a_changed_input(run: Run) -> None:
    """Otherwise all programs that change an input would look alike."""
    source = RIGHT.replace("return np.minimum(x, 1)", "x[x > 1] = 3; return x")
    result = run("given: {x: [0.5, 2.0]}, call: clip(x), expect: [0.5, 1.0]", source)
    assert "in place" not in result.message
    assert "3" in result.message


def test_inputs_are_looked_at_beside_functions_and_objects(run: Run) -> None:
    """A function or an object, alone or in a list, counts as unchanged."""
    given = "given: 'def f(x): return x + 1', call: 'apply(f, 1)', expect: 2"
    assert run(given).outcome == "passed"
    source = RIGHT.replace("def clip(x):\n    return np.minimum(x, 1)", "def clip(x): return 1")
    result = run("call: 'clip([Scale(1), Scale(2)])', expect: 1", source)
    assert (result.outcome, result.message) == ("passed", "")


def test_a_method_that_changes_its_argument_is_found(run: Run) -> None:
    """Inputs are kept or not, whichever function is called."""
    source = RIGHT.replace("return self.factor * x", "x *= 2\n        return self.factor * x")
    fields = "given: {x: [1.0]}, call: Scale(1)(x), expect: [2.0]"
    assert "in place" in run(fields, source).message


def test_a_function_reaches_printing_tests_too(run: Run) -> None:
    """`given` is the same for both kinds of test."""
    given = "def f(x): return x + 1"
    result = run(f"given: '{given}', run: 'print(apply(f, 1))', stdout: '2'")
    assert (result.outcome, result.message) == ("passed", "")


def test_a_function_of_the_submission_may_be_an_argument(run: Run) -> None:
    """It stays in the sandbox, where the other one calls it."""
    assert run("call: 'apply(clip, 3)', expect: 1").outcome == "passed"


def test_a_loop_over_an_object_ends_where_it_says(run: Run) -> None:
    """IndexError from its `__getitem__` ends the loop, as in one process."""
    source = RIGHT.replace("return key + self.factor", "return [7, 8][key]")
    assert run("call: 'sum(list(Scale(1)))', expect: 15", source).outcome == "passed"


def test_an_operator_does_not_call_repr(run: Run) -> None:
    """Only the operator itself reaches the object."""
    counting = "    def __repr__(self):\n        self.calls += 1\n        return 'Scale()'\n"
    source = RIGHT.replace("    def __len__", f"{counting}    def __len__")
    assert run("call: 'len(Scale(3))', expect: 0", source).outcome == "passed"


def test_a_method_where_an_attribute_belongs_is_the_submission_s_error(run: Run) -> None:
    """As it would be in one process."""
    result = run("call: 'apply(1, Scale(3).twice)', expect: 3")
    assert result.outcome == "errored"
    assert "'int' object is not callable" in result.message
    body = "with pytest.raises(TypeError): apply(1, Scale(3).twice)"
    assert run(f"pytest: '{body}'").outcome == "passed"
