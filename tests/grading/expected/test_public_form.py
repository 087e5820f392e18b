"""The public form of an exercise: every kind of visible test, with values that were computed."""

import numpy as np
import pytest

from grader.definitions.public_exercise import DescribedValue
from grader.errors import GraderFault
from grader.grading.expected.public_form import public_exercise
from grader.sandbox.process import Sandbox
from tests.grading.conftest import Fields, Make

GIVEN: Fields = {"given": {"x": [1.0, 2.0]}}


def test_every_kind_of_visible_test_has_a_public_form(make: Make) -> None:
    """With what it runs, and the expected value or the property."""
    exercise = make(
        {**GIVEN, "call": "f(x)", "expect": {"expression": "x + x"}},
        {**GIVEN, "run": "print(f(x))", "stdout": "[2. 4.]"},
        {"given": "x = rng.standard_normal(size)", "seeds": 4, "call": "f(x)", "holds": "causal"},
        {**GIVEN, "pytest": "assert f(x).sum() == 6"},
        {**GIVEN, "call": "f(x)", "expect": [2.0, 4.0], "hidden": True},
    )
    tests = public_exercise(exercise).tests
    assert [test.kind for test in tests] == ["call", "output", "property", "pytest"]
    assert [test.code for test in tests] == [
        "f(x)",
        "print(f(x))",
        "f(x)",
        "assert f(x).sum() == 6",
    ]
    assert np.array_equal(tests[0].expected, [2.0, 4.0])
    assert [test.expected for test in tests[1:]] == ["[2. 4.]", None, None]
    assert (tests[2].holds, tests[2].draws) == ("causal", 4)


def test_what_the_solution_gives_is_computed_in_a_sandbox(make: Make, sandbox: Sandbox) -> None:
    """For pages as for grading; without one it is a fault, not a page without a value."""
    exercise = make(
        {**GIVEN, "call": "f(x)", "expect": "solution"}, {**GIVEN, "run": "print(f(x))"}
    )
    call, printed = public_exercise(exercise, sandbox).tests
    assert np.array_equal(call.expected, [2.0, 4.0])
    assert printed.expected == "[2. 4.]\n"
    with pytest.raises(GraderFault):
        public_exercise(exercise)


def test_hidden_tests_need_no_sandbox_for_a_page(make: Make) -> None:
    """They are not computed at all."""
    test = {**GIVEN, "call": "f(x)", "expect": "solution", "hidden": True}
    assert public_exercise(make(test)).tests == ()


def test_what_is_no_plain_data_is_described(make: Make) -> None:
    """A function, an object, an array of objects; also within a container. They print as they do."""
    code = (
        'add = int.__add__; many = [(add, 1), {"a": {2}}, np.float32(3)]; odd = np.array([None, 1]); '
        "none = np.str_(); sum_of = lambda a, *, b=1: a + b"
    )
    exercise = make({"given": code, "call": "f(1)", "expect": 2})
    given = public_exercise(exercise).tests[0].given
    assert given["sum_of"] == DescribedValue("function", "<lambda>(a, *, b=1)")
    assert given["add"] == DescribedValue("wrapper_descriptor", repr(int.__add__))
    assert repr(given["many"]) == repr([(int.__add__, 1), {"a": {2}}, np.float32(3)])
    assert [type(item) for item in given["many"]] == [tuple, dict, np.float32]
    assert given["none"] == DescribedValue("str_", "np.str_('')")
    assert given["odd"] == DescribedValue("ndarray", "array([None, 1], dtype=object)")
