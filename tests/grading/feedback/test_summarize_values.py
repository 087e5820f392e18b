"""The values behind a failure: what a learner may see of them, and how large they can get."""

import json
import math
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.definitions.exercise import TestId
from grader.grading.feedback.summarize_values import summarize, summarize_print
from grader.grading.jobs import JobOptions
from grader.grading.results.verdict import Outcome, TestResult, ValueSummary
from grader.grading.results.verdict_json import verdict_data, verdict_from_data
from grader.grading.submissions.submission import Submission
from grader.sandbox.process import Sandbox
from tests.grading.conftest import GradeAll, GradeOne, Make, grade

NOTHING = {"inputs": (), "expected": None, "got": None, "worst": None}
SQUARE = {"given": {"x": [[1.0, 2.0], [3.0, 4.0]]}, "call": "f(x)", "expect": [[2.0, 4.0], [6.0, 8.0]]}  # fmt: skip


def values(result: TestResult) -> dict[str, Any]:
    """Return the summary of values in a result."""
    return {name: getattr(result, name) for name in NOTHING}


def test_a_failing_test_shows_inputs_expected_and_got(grade_one: GradeOne) -> None:
    """As numbers and as text, with the place where the two differ most."""
    source = "def f(x):\n    y = 2 * x\n    y[1, 0] = 7.5\n    y[0, 0] = 2.5\n    return y\n"
    result = grade_one(source, SQUARE)
    ((name, given),) = result.inputs
    assert (name, given.summary, given.rows) == ("x", "float64 (2, 2)", ((1.0, 2.0), (3.0, 4.0)))
    assert result.expected is not None
    assert result.expected.rows == ((2.0, 4.0), (6.0, 8.0))
    assert result.got == ValueSummary("float64 (2, 2)", "[[2.5 4. ]\n [7.5 8. ]]", ((2.5, 4.0), (7.5, 8.0)))  # fmt: skip
    assert result.worst == (1, 0)
    assert result.seconds is not None
    assert 0 < result.seconds < 60


def test_a_passing_test_shows_nothing_but_its_time(grade_one: GradeOne) -> None:
    """Values are only made where something is wrong."""
    result = grade_one("def f(x):\n    return 2 * x\n", SQUARE)
    assert (result.outcome, values(result)) == (Outcome.PASSED, NOTHING)
    assert result.seconds is not None


def test_the_values_are_those_of_the_draw_that_failed(grade_one: GradeOne) -> None:
    """Not of the first, nor of the last, and only of the names that the call uses."""
    test = {"given": "x = np.full(2, float(size))\nunused = x", "seeds": 9, "call": "f(x)", "expect": {"expression": "2 * x"}}  # fmt: skip
    for partial in (False, True):
        result = grade_one("def f(x):\n    return 2 * x + (4 < x) * (x < 7)\n", {**test, "partial": partial, "points": 9})  # fmt: skip
        assert result.got is not None
        ((name, given),) = result.inputs
        assert (name, given.rows) == ("x", ((5.0, 5.0),))
        assert (result.got.rows, result.got.is_vector) == (((11.0, 11.0),), True)
        assert result.worst == (0,)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    raise ValueError(x)\n",
        "def f(x):\n    return object\n",
        "import os\ndef f(x):\n    os._exit(3)\n",
    ],
)
def test_where_nothing_came_there_is_nothing_of_it(grade_one: GradeOne, source: str) -> None:
    """The inputs are what it went wrong for, and what was expected can be seen."""
    result = grade_one(source, SQUARE)
    assert result.got is None
    assert [name for name, _ in result.inputs] == ["x"]
    assert result.expected is not None


def test_none_is_shown_where_it_is_what_came(grade_one: GradeOne) -> None:
    """A forgotten `return` gives a value, too."""
    result = grade_one("def f(x):\n    2 * x\n", SQUARE)
    assert result.got == ValueSummary("None", "None")


def test_whole_numbers_of_a_literal_have_the_kind_of_what_came(grade_one: GradeOne) -> None:
    """Otherwise a learner would read of a dtype that no one asks for."""
    test = {"given": {"x": [1.0, 2.0]}, "call": "f(x)", "expect": [2, 4]}
    result = grade_one("def f(x):\n    return 3 * x\n", test)
    assert result.expected is not None
    assert result.expected.summary == "float64 (2,)"


def test_printed_text_is_shown_as_it_is(grade_one: GradeOne) -> None:
    """With its lines, and without what could steer a terminal."""
    test = {"given": {"x": 3}, "run": "print(f(x))", "stdout": "6\n"}
    result = grade_one("def f(x):\n    return f'a\\n\\x1b[31m{x}\\u202e'\n", test)
    assert result.expected == ValueSummary("printed text", "6\n")
    assert result.got == ValueSummary("printed text", "a\n\ufffd[31m3\ufffd\n")


def test_a_property_shows_what_came(grade_one: GradeOne) -> None:
    """It expects no value of its own."""
    test = {"given": {"x": [1.0, 2.0]}, "holds": "rows_sum_to_one", "call": "f(x)"}
    result = grade_one("def f(x):\n    return x\n", test)
    assert result.expected is None
    assert result.got is not None
    assert result.got.rows == ((1.0, 2.0),)


def test_a_changed_input_is_no_matter_of_the_result(grade_one: GradeOne) -> None:
    """Expected and got would look the same."""
    result = grade_one("def f(x):\n    x *= 2\n    return x\n", SQUARE)
    assert "in place" in result.message
    assert values(result) == {**NOTHING, "inputs": result.inputs}
    assert result.inputs


@pytest.mark.parametrize("disclose", ["inputs", "category", "nothing"])
def test_a_hidden_test_shows_no_value_and_no_time(grade_one: GradeOne, disclose: str) -> None:
    """Neither is shown, whatever its message says."""
    for source in (
        "def f(x):\n    return x\n",
        "def f(x):\n    return 2 * x\n",
        "def f(x):\n    1 / 0\n",
    ):
        result = grade_one(source, {**SQUARE, "hidden": True, "disclose": disclose})
        assert values(result) == NOTHING
        assert result.seconds is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("inputs", (("x", ValueSummary("int", "1")),)),
        ("expected", ValueSummary("int", "1")),
        ("got", ValueSummary("int", "1")),
        ("worst", (0,)),
        ("seconds", 0.0),
    ],
)
def test_a_hidden_result_with_values_cannot_be_made(field: str, value: object) -> None:
    """Not by hand, and not by reading a record."""
    result = TestResult(TestId("seen"), "", False, Outcome.FAILED, 0, 1)
    seen = replace(result, **{field: value})  # type: ignore[arg-type]  # one of several types
    with pytest.raises(ValueError, match="carries values"):
        replace(seen, hidden=True)


def test_a_prediction_shows_nothing(grade_one: GradeOne) -> None:
    """Its answer stands in what is expected, and often in the inputs."""
    test = {"given": {"answer": [2, 3]}, "call": "f", "expect": {"expression": "answer"}}
    result = grade_one("f = (3, 2)\n", test, kind="predict", defines={"f": {"kind": "value"}}, solution="f = (2, 3)\n")  # fmt: skip
    assert result.outcome is Outcome.FAILED
    assert values(result) == NOTHING


def test_values_cross_between_processes(grade_all: GradeAll) -> None:
    """Also what JSON has no number for; and a time makes no two verdicts differ."""
    source = "import numpy as np\ndef f(x):\n    return np.array([np.nan, -np.inf, np.inf, 1.0])\n"
    test = {"given": {"x": [1.0, 2.0, 3.0, 4.0]}, "call": "f(x)", "expect": [1.0, 2.0, 3.0, 4.0]}
    verdict = grade_all(source, test)
    data = json.loads(json.dumps(verdict_data(verdict), allow_nan=False))
    assert data["tests"][0]["got"]["rows"] == [["nan", "-inf", "inf", 1.0]]
    (back,) = verdict_from_data(data).tests
    (result,) = verdict.tests
    assert back.got is not None
    assert back.got.rows is not None
    assert [str(cell) for cell in back.got.rows[0]] == ["nan", "-inf", "inf", "1.0"]
    assert (back.inputs, back.expected, back.worst) == (
        result.inputs,
        result.expected,
        result.worst,
    )
    assert back.seconds == result.seconds
    assert replace(result, seconds=99.0) == result


def test_records_of_before_there_were_values_can_be_read(grade_all: GradeAll) -> None:
    """A batch may be resumed that an earlier version began."""
    data = verdict_data(grade_all("def f(x):\n    return x\n", SQUARE))
    for name in (*NOTHING, "seconds"):
        del data["tests"][0][name]
    (back,) = verdict_from_data(data).tests
    assert values(back) == NOTHING


def test_a_proof_makes_no_values(make: Make, sandbox: Sandbox) -> None:
    """No one reads those of hundreds of wrong programs."""
    submission = Submission.from_bytes(Path("small.py"), b"def f(x):\n    return x\n")
    exercise, options = make(SQUARE), (JobOptions(), JobOptions(with_feedback=False))
    found = [grade(exercise, submission, sandbox, options=each) for each in options]
    assert [bool(verdict.tests[0].inputs) for verdict in found] == [True, False]


@pytest.mark.parametrize(
    ("value", "summary", "text"),
    [
        (np.arange(3), "int64 (3,)", "[0 1 2]"),
        (np.array(2.5), "float64 ()", "2.5"),
        (np.float32(0.1), "float32", "0.1"),
        (np.array([1 + 2j]), "complex128 (1,)", "[1.+2.j]"),
        ((np.eye(2), [1.5]), "tuple of 2", "(array([[1., 0.],\n        [0., 1.]]),\n [1.5])"),
        ((1,), "tuple of 1", "(1,)"),
        ({"a": None, 2: (True,)}, "dict of 2", "{'a': None, 2: (True,)}"),
        (set(), "set of 0", "set()"),
        ({3}, "set of 1", "{3}"),
        (b"\x00", "bytes", "b'\\x00'"),
        ("it's\n", "str", '"it\'s\\n"'),
        pytest.param(10**4500, "int", "about 10**4500", id="more digits than Python prints"),
        (-(10**400), "int", "about -10**400"),
        (math.nan, "float", "nan"),
        (None, "None", "None"),
        (math.sqrt, "builtin_function_or_method", "the function sqrt"),
    ],
)
def test_a_value_is_named_and_printed(value: object, summary: str, text: str) -> None:
    """As Python or NumPy would, on as many lines as they take."""
    seen = summarize(value)
    assert (seen.summary, seen.text) == (summary, text)


@pytest.mark.parametrize(
    ("value", "note"),
    [
        (np.zeros(10_000_000), None),
        (np.broadcast_to(np.float16(1), (3, 100_000, 100_000)), None),
        (np.ones((2,) * 20), "1,048,576 values"),
        (np.ones((9, 9, 9, 9)), "6,561 values"),
        ([1.5] * 1_000_000, "... (1,000,000 items in all)"),
        (dict.fromkeys(range(50), "x" * 500), "... (50 items in all)"),
        ("x" * 1_000_000, "... (1,000,000 characters in all)"),
        (b"x" * 5_000, "... (5,000 bytes in all)"),
        ([[np.zeros(10_000_000)] * 3] * 100, "... (100 items in all)"),
        (10 ** (10**6), None),
    ],
    ids=["vector", "broadcast", "axes", "corners", "list", "dict", "str", "bytes", "nested", "int"],
)
def test_a_huge_value_is_cut_and_says_how_much_it_is(value: object, note: str | None) -> None:
    """It is never printed as a whole, so that it costs nothing."""
    seen = summarize(value)
    assert len(seen.text) <= ValueSummary.MAX_CHARACTERS
    assert seen.rows is None
    assert note is None or note in seen.text


def test_a_float_has_all_its_digits_only_when_it_stands_alone() -> None:
    """Among others it has as many as NumPy prints of an array."""
    third = 1 / 3
    assert summarize(third).text == repr(third)
    assert summarize([third, (1e-20, 2.0), {0.1 + 0.2: third}]).text == (
        "[0.33333333, (1e-20, 2.0), {0.3: 0.33333333}]"
    )
    assert summarize([math.inf, -math.nan, -0.0, 1e300]).text == "[inf, nan, -0.0, 1e+300]"


def test_a_huge_list_is_read_no_further_than_it_is_shown() -> None:
    """What is not shown is not made into text."""

    class Counted:
        read = 0

        def __repr__(self) -> str:
            Counted.read += 1
            return "x" * 10

    summarize([Counted()] * 100_000)
    assert Counted.read < ValueSummary.MAX_CHARACTERS


@pytest.mark.parametrize(
    ("array", "rows"),
    [
        (np.arange(12), (tuple(range(12)),)),
        (np.arange(13), None),
        (np.ones((12, 1), dtype=bool), ((True,),) * 12),
        (np.ones((1, 13)), None),
        (np.ones((2, 2, 2)), None),
        (np.ones((0, 3)), None),
        (np.array([1j]), None),
        (np.array(["a"]), None),
    ],
)
def test_small_arrays_of_numbers_have_rows(array: np.ndarray[Any, Any], rows: object) -> None:
    """The rows hold Python's own numbers, which any format can write."""
    seen = summarize(array)
    assert seen.rows == rows
    assert seen.is_vector == (rows is not None and array.ndim == 1)
    cells = [cell for row in seen.rows or () for cell in row]
    assert {type(cell) for cell in cells} <= {bool, int, float}


def test_no_text_of_a_value_can_steer_a_terminal() -> None:
    """Not what an author lets print, and not what an object of the inputs says of itself."""

    class Odd:
        def __repr__(self) -> str:
            return "a\x1b[2J\nb"

    assert [summarize(Odd()).text, summarize_print("a\x1b[2J\nb").text] == ["a\ufffd[2J\nb"] * 2


@pytest.mark.parametrize(
    "print_it", [repr, lambda text: f"[{text!r}]", lambda text: f"{{{text!r}: 1}}"]
)
def test_what_a_submission_words_cannot_steer_a_terminal(
    grade_one: GradeOne, print_it: Callable[[str], str]
) -> None:
    """Escapes, marks that reverse text and line ends are printed as Python writes them."""
    source = (
        f"def f(x):\n    return {print_it(chr(27) + '[2J' + chr(0x202E) + chr(0x2028) + chr(10))}\n"
    )
    result = grade_one(source, SQUARE)
    assert result.got is not None
    assert "\\x1b[2J\\u202e\\u2028\\n" in result.got.text


def test_the_name_of_a_class_is_cleaned(grade_one: GradeOne) -> None:
    """It is the submission's own word, and may be anything."""
    source = "class Odd:\n    pass\nOdd.__name__ = Odd.__qualname__ = '\\x1b[31mOdd'\ndef f(x):\n    return Odd()\n"
    result = grade_one(source, SQUARE)
    said = [result.message] + [
        getattr(result.got, each.name) for each in fields(ValueSummary) if result.got is not None
    ]
    assert not [text for text in said if "\x1b" in str(text)]
