"""Values in confined processes: compared, written as expressions, and changed."""

from typing import Any

import numpy as np
import pytest

from grader.audit.confined import perturb
from grader.audit.confined.behaviour import load, values_differ
from grader.audit.confined.call_as_test import write_expression
from grader.audit.confined.match import find_correspondence
from grader.audit.confined.recorded_calls import find_common_facts
from grader.audit.confined.smallest_call import CallSearch
from grader.grading.diagnosis.input_values import NotWritableError


@pytest.mark.parametrize(
    "value",
    [
        np.array([[1.0, -np.inf], [np.nan, 0.25]]),
        np.array([1, 2], dtype=np.int32),
        np.array([True, False]),
        np.zeros((0, 3), np.float32),
        np.float32(0.5),
        (1, [2.0, None], {"a": "b"}),
        (3,),
        {1, 2},
    ],
)
def test_an_expression_evaluates_to_the_value(value: Any) -> None:
    """Values, shapes and dtypes come back."""
    again = eval(write_expression(value), {"np": np})  # noqa: S307  our own text
    assert not values_differ(value, again)
    assert type(value) is type(again)


def test_what_has_no_expression() -> None:
    """Functions and very large arrays have none."""
    for value in (len, np.zeros(1000)):
        with pytest.raises(NotWritableError):
            write_expression(value)


@pytest.mark.parametrize(
    ("one", "other", "is_different"),
    [
        (1.0, 1.0 + 1e-12, False),
        (1.0, 1.001, True),
        (np.float64(2.0), 2.0, False),
        (np.array([np.nan]), np.array([np.nan]), False),
        (np.ones(2), np.ones((1, 2)), True),
        (np.ones(2), np.ones(2, np.float32), True),
        (np.ones(2), [1.0, 1.0], True),
        (np.ones(2), (np.ones(2), np.ones((2, 2))), True),
        (np.array(2.0), 2.0, False),
        (1, True, True),
        ((1, 2), (1, 3), True),
        ({"a": 1}, {"b": 1}, True),
        (None, 0, True),
    ],
)
def test_results_differ_where_a_test_could_see_it(one: Any, other: Any, is_different: bool) -> None:
    """In value beyond rounding, in shape, dtype or type."""
    assert values_differ(one, other) is is_different


def test_axes_that_are_equal_by_chance_are_told_apart() -> None:
    """For square matrices, some calls get different numbers of rows and columns."""
    steps: perturb.Steps = (("", (np.eye(2), np.eye(2)), {}),)
    rng = np.random.default_rng(0)
    shapes = {
        tuple(array.shape for array in perturb.arrays(perturb.with_other_sizes(rng, steps)))
        for _ in range(100)
    }
    assert ((2, 2), (3, 2)) in shapes
    assert ((3, 3), (3, 3)) in shapes


def test_recorded_arguments_stay_as_they_are() -> None:
    """A changed call is a copy."""
    array = np.array([[1.0, 2.0], [3.0, 4.0]])
    steps: perturb.Steps = (("", (array,), {}),)
    for number in range(30):
        perturb.with_other_numbers(np.random.default_rng(number), steps, number)
    assert array.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("arrays", "facts"),
    [
        ([np.eye(2), np.eye(3), np.ones((4, 4))], ["are square", "have no negative number",
            "have the dtype float64"]),
        ([[1, 2, 3, 4], [2, 5, 6, 7], [-1, 0, 1, 2]], ["have the shape (4,)", "are sorted",
            "have no two equal numbers"]),
        ([np.array([3, 1]), np.array([-1, 2]), np.array([5, 5])], ["have the shape (2,)",
            "have the dtype int64"]),
        ([np.array([3, 1]), np.array([-1.5, 2, 2]), [[3, 4]]], []),
        ([np.eye(2), np.eye(2), np.eye(2)], []),
    ],
)  # fmt: skip
def test_what_all_inputs_of_the_tests_share(arrays: list[Any], facts: list[str]) -> None:
    """A fact needs at least three different arrays; a list has no dtype."""
    assert find_common_facts([("f", (("", (array,), {}),)) for array in arrays]) == facts


def test_a_result_whose_operators_raise_is_like_no_number() -> None:
    """A vector of the solution's own is compared with a number of an exercise."""
    operator = "class V:\n    def __sub__(self, other):\n        return other.width\n"
    own = load(f"{operator}    __rsub__ = __sub__\n\n\ndef f(x):\n    return V()\n", "a.py")
    other = load("def g(x):\n    return x\n", "b.py")
    calls: list[perturb.Script] = [("f", (("", (float(n),), {}),)) for n in range(20)]
    assert find_correspondence(own, other, "f", "g", calls) is None


def test_objects_of_a_program_are_given_to_another_as_its_own() -> None:
    """A check of their class passes there, also inside of a list."""
    source = (
        "class V:\n    pass\n\n\ndef f(items):\n"
        "    assert all(isinstance(each, V) for each in items)\n    return len(items)\n"
    )
    right, wrong = load(source, "a.py"), load(source.replace("pass", "x = 1"), "a.py")
    candidates: list[perturb.Script] = [("f", (("", ([right.V(), right.V()],), {}),))]
    assert CallSearch(right, wrong, None, 2.0).find_first_difference(candidates) is None


def test_an_attribute_that_no_test_reads_tells_only_as_a_last_resort() -> None:
    """Unless the class compares its objects, or the tests name the attribute."""
    source = "class C:\n    def __init__(self, x):\n        self.a = x\n        self.b = x\n"
    plain = load(source, "a.py")
    candidates: list[perturb.Script] = [("C", (("__init__", (5,), {}),))]
    for change, read, name, is_unread in (
        ({"self.a = x": "self.a = -x"}, (), "a", True),
        ({"self.a = x": "self.a = -x"}, ("a",), "a", False),
        ({"= x": "= -x"}, ("b",), "b", False),
    ):
        wrong = source
        for old, new in change.items():
            wrong = wrong.replace(old, new)
        search = CallSearch(plain, load(wrong, "a.py"), None, 2.0, read)
        found = search.find_first_difference(candidates)
        assert found is not None
        assert (found[1].name, search.is_unread("C", found[1])) == (name, is_unread)
    comparing = load(source + "    def __eq__(self, other):\n        return True\n", "a.py")
    search = CallSearch(comparing, load(source.replace("x\n", "1\n"), "a.py"), None, 2.0)
    found = search.find_first_difference(candidates)
    assert found is not None
    assert not search.is_unread("C", found[1])


def test_a_call_of_the_changed_function_is_the_example() -> None:
    """Its callers tell the programs apart too, and were recorded first."""
    source = "def outer(x):\n    return inner(x)\n\n\ndef inner(x):\n    return 2 * x\n"
    right, wrong = load(source, "a.py"), load(source.replace("2 * x", "3 * x"), "a.py")
    candidates: list[perturb.Script] = [(name, (("", (5.0,), {}),)) for name in ("outer", "inner")]
    found = CallSearch(right, wrong, None, 2.0).find_first_difference(candidates)
    assert found is not None
    assert found[0][0] == "inner"
