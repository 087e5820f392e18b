"""Layouts of inputs and types of results, from the author's `given` to the verdict."""

import pytest

from grader.grading.results.verdict import Outcome
from tests.grading.conftest import GradeOne

IN_ORDER = "import numpy as np\ndef f(x): return np.frombuffer(x.tobytes('A')).reshape(x.shape)\n"
IN_PLACE = "def f(x):\n    x *= 2\n    return x\n"
NAMED = """
from typing import NamedTuple
import numpy as np
class Attention(NamedTuple):
    output: np.ndarray
    weights: np.ndarray
def f(x): return Attention(2 * x, x)
"""


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ("x = np.arange(6.0).reshape(2, 3)", Outcome.PASSED),
        ("x = np.asfortranarray(np.arange(6.0).reshape(2, 3))", Outcome.FAILED),
        ("x = np.arange(6.0).reshape(3, 2).T", Outcome.FAILED),
    ],
)
def test_a_program_that_relies_on_memory_order_meets_the_author_s_layout(
    grade_one: GradeOne, given: str, outcome: Outcome
) -> None:
    """The submission gets the memory layout that NumPy gives an input in `given`."""
    test = {"given": given, "call": "f(x)", "expect": {"expression": "np.array(x)"}}
    assert grade_one(IN_ORDER, test).outcome is outcome


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ("x = np.arange(3.0)", Outcome.PASSED),
        ("x = np.arange(3.0)\nx.setflags(write=False)", Outcome.ERRORED),
    ],
)
def test_an_input_is_read_only_if_its_author_made_it_so(
    grade_one: GradeOne, given: str, outcome: Outcome
) -> None:
    """The grader's own protection of inputs is not seen by a submission."""
    expected = {"expression": "2 * x"}
    test = {"given": given, "call": "f(x)", "expect": expected, "keep_inputs": False}
    assert grade_one(IN_PLACE, test).outcome is outcome


@pytest.mark.parametrize("hidden", [False, True])
def test_a_named_tuple_is_right_where_a_tuple_is_expected(
    grade_one: GradeOne, hidden: bool
) -> None:
    """Also in a hidden test; wrong values in it are found."""
    test = {
        "given": {"x": [1.0, 2.0]},
        "call": "f(x)",
        "expect": {"expression": "(2 * x, x)"},
        "hidden": hidden,
    }
    assert grade_one(NAMED, test).outcome is Outcome.PASSED
    assert grade_one(NAMED.replace("2 * x", "3 * x"), test).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("Fraction(1, 2)", "Fraction(1, 3)", "fractions.Fraction(1, 2)"),
        ("deque([1, 2])", "deque([2, 1])", "collections.deque([1, 2])"),
        ("Counter('aab')", "Counter('ab')", "dict(a=2, b=1)"),
        ("{1: [2]}", "{1: []}", "collections.defaultdict(list, {1: [2]})"),
        ("frozenset({1})", "{2}", "{1}"),
        ("range(3)", "range(4)", "range(3)"),
        ("date(2020, 1, 1)", "date(2020, 1, 2)", "datetime.date(2020, 1, 1)"),
        ("np.array(['a', 'b'])", "np.array(['a', 'c'])", "np.array(['a', 'b'])"),
        ("np.ma.array([1, 2], mask=[0, 1])", "np.array([1, 2])", "np.ma.array([1, 5], mask=[0, 1])"),
        ("np.array(['2020'], 'M8[D]')", "np.array(['2021'], 'M8[D]')", "np.array(['2020'], 'M8[s]')"),
        ("np.array([(1, 2)], 'i8,i8')", "np.array([(1, 3)], 'i8,i8')", "np.array([(1, 2)], 'i8,i8')"),
    ],
)  # fmt: skip
def test_results_of_other_types_are_compared(
    grade_one: GradeOne, right: str, wrong: str, expected: str
) -> None:
    """Each by what Python or NumPy calls equal."""
    imports = (
        "from collections import *\nfrom datetime import *\nfrom fractions import *\n"
        "import numpy as np\n"
    )
    module = expected.partition(".")[0]
    test = {
        "given": f"import {module}\nexpected = {expected}" if module in _MODULES else f"expected = {expected}",
        "call": "f(1)",
        "expect": {"expression": "expected"},
    }  # fmt: skip
    assert grade_one(f"{imports}def f(x): return {right}\n", test).outcome is Outcome.PASSED
    assert grade_one(f"{imports}def f(x): return {wrong}\n", test).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("source", "accepted", "rejected"),
    [
        ("return (2 * x).tolist()", ["list"], ["tuple"]),
        ("return tuple(2 * x)", ["tuple"], ["list"]),
        ("return (2 * x).astype('f4')", ["float32"], ["float16"]),
        ("return (2 * x).astype(int)", ["integer"], ["bool"]),
    ],
)
def test_a_test_accepts_the_types_that_it_names(
    grade_one: GradeOne, source: str, accepted: list[str], rejected: list[str]
) -> None:
    """A list for an array, or a dtype of fewer digits, is wrong unless the test accepts it."""
    test = {"given": {"x": [1.0, 2.0]}, "call": "f(x)", "expect": {"expression": "2 * x"}}
    source = f"def f(x):\n    {source}\n"
    assert grade_one(source, {**test, "accept": accepted}).outcome is Outcome.PASSED
    assert grade_one(source, {**test, "accept": rejected}).outcome is Outcome.FAILED
    wrong = source.replace("2 *", "3 *")
    assert grade_one(wrong, {**test, "accept": accepted}).outcome is Outcome.FAILED


OBJECTS = """
from dataclasses import dataclass, field
from enum import Enum
import numpy as np
@dataclass
class Out:
    output: object = None
    steps: list = field(default_factory=list)
class Mode(Enum):
    TRAIN = 1
class Stack(list):
    pass
def f(x): return {}
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("Out(2 * x)", "Out(3 * x)"),
        ("[Out(x, [Out(2 * x)])]", "[Out(x, [Out(x)])]"),
        ("Mode.TRAIN", "'TRAIN'"),
        ("Stack([1, 2])", "Stack([1])"),
    ],
)
def test_dataclasses_are_compared_by_their_fields(
    grade_one: GradeOne, right: str, wrong: str
) -> None:
    """As plain data, wherever they are in a result; so are members and lists of a class."""
    test = {"given": {"x": [1.0, 2.0]}, "call": "f(x)", "expect": "solution"}
    solution = OBJECTS.replace("{}", right)
    assert grade_one(solution, test, solution=solution).outcome is Outcome.PASSED
    other = OBJECTS.replace("{}", wrong)
    assert grade_one(other, test, solution=solution).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("np.testing.assert_allclose(f(3), np.ones(3))", Outcome.FAILED),
        ("assert f(3).mask.all()", Outcome.PASSED),
    ],
)
def test_a_body_gets_masked_arrays_only_if_it_is_about_masks(
    grade_one: GradeOne, body: str, outcome: Outcome
) -> None:
    """To NumPy's assertions a masked entry is equal to everything."""
    source = "import numpy as np\ndef f(n): return np.ma.masked_all(n)\n"
    assert grade_one(source, {"pytest": body}).outcome is outcome


_MODULES = ("fractions", "collections", "datetime")
