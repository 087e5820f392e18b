"""Predictions and other values: answers that are written down, not computed."""

import pytest

from grader.definitions.exercise import TestId
from grader.grading.expected.public_form import public_exercise
from grader.grading.results.verdict import Outcome
from grader.sandbox.in_child.literals import answers
from tests.grading.conftest import Fields, GradeAll, GradeOne, Make

PREDICT: Fields = {
    "kind": "predict",
    "defines": {"answer": {}},
    "starter": "answer = ...\n",
    "solution": "answer = 6\n",
}


def shaped(value: object) -> Fields:
    return {"call": "answer", "expect": {"expression": str(value)}}


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ("6", "6"),
        ("6", "6.0"),
        ("6.0", "+6"),
        ("-1.5", "-1.5"),
        ("(3, 4)", "(3, 4)"),
        ("(3, 4)", "[3, 4]"),
        ("[3, 4]", "np.array([3.0, 4])"),
        ("np.array([[1.0, 2.0], [3.0, 4.0]])", "[[1, 2], [3, 4]]"),
        ("np.array([[1, 2], [3, 4]])", "((1, 2.0), [3, 4])"),
        ("np.array([1.0, np.nan])", "[1, np.nan]"),
        ("np.array([True, False])", "[True, False]"),
        ("'softmax'", "' softmax '"),
        ("'softmax'", "softmax"),
        ("{'a': np.ones(2)}", "{'a': [1, 1]}"),
        ("np.float64(0.5)", "0.5"),
        ("True", "True"),
    ],
)
def test_an_answer_may_be_written_in_any_form(
    grade_one: GradeOne, expected: str, answer: str
) -> None:
    """A list of lists is the array, a tuple is a list, an integer is the float of its value."""
    source = f"'''My answer.'''\nimport numpy as np  # allowed\nanswer = {answer}\n"
    assert grade_one(source, shaped(expected), **PREDICT).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("expected", "answer", "sentence"),
    [
        ("6", "7", "`answer`: 7 is not it. Go through it step by step once more."),
        ("6", "6.5", "`answer`: 6.5 is not it. Go through it step by step once more."),
        ("6", "'6'", "`answer` is a text. Remove the quotes: `answer = 6`."),
        ("True", "1", "`answer`: 1 is not it. Go through it step by step once more."),
        ("np.ones(2)", "[1, 2]", "`answer` is not right. Go through it step by step once more."),
        ("np.ones((2, 3))", "[[1, 1], [1, 1]]", "`answer` has another form than the answer"),
        ("np.ones(2)", "[[1, 1], [1]]", "`answer` has another form than the answer"),
        ("(2, 3)", "'(2, 3)'", "`answer` is a text. Remove the quotes: `answer = (2, 3)`."),
        ("(2, 3)", "'two, three'", "`answer` is a text. Another kind of value is asked for."),
        ("'abc'", "'abd'", "`answer`: 'abd' is not it."),
    ],
)
def test_a_wrong_answer_is_not_told_the_right_one(
    grade_one: GradeOne, expected: str, answer: str, sentence: str
) -> None:
    """In a prediction the expected value is all there is to find."""
    result = grade_one(f"answer = {answer}", shaped(expected), **PREDICT)
    assert result.outcome is Outcome.FAILED
    assert result.message.startswith(sentence)


def test_a_known_mistake_is_named_for_each_answer(grade_all: GradeAll) -> None:
    """Beside other mistakes; of two that agree the one that was made throughout, else neither."""
    names = ("first", "second", "third")
    program = "first = {}\nsecond = {}\nthird = {}\n"
    fields: Fields = {
        "kind": "predict",
        "defines": {name: {} for name in names},
        "starter": program.format(*("...",) * 3),
        "solution": program.format(1, 2, 3),
        "misconceptions": [
            {"id": each, "code": program.format(*values), "feedback": f"The mistake of {each}."}
            for each, values in {
                "one": (10, 2, 3), "two": (1, 20, 30), "all": (10, 20, 30), "other": (1, 2, 33),
                "another": (7, 2, 33),
            }.items()
        ],
    }  # fmt: skip
    tests: list[Fields] = [
        {"id": each, "call": each, "expect": "solution", "hidden": True} for each in names
    ]

    def named(*values: float) -> str:
        diagnosis = grade_all(program.format(*values), *tests, **fields).diagnosis
        return diagnosis.feedback if diagnosis else ""

    assert named(10, 5, 3) == "`first`: The mistake of one."
    assert named(10, 5, 33) == "`first`: The mistake of one. `third`: The mistake of other."
    assert named(5, 20, 30) == "`second`, `third`: The mistake of two."
    assert named(10, 20, 30) == "The mistake of all."
    assert named(5, 20, 3) == ""


def test_a_shape_where_a_word_is_asked_for_is_no_matter_of_form(grade_one: GradeOne) -> None:
    """How many values there are would lead astray."""
    result = grade_one("answer = (3, 4)", shaped("'error'"), **PREDICT)
    assert result.message == "`answer` is not right. Read again what may be answered."


@pytest.mark.parametrize("disclose", ["nothing", "category"])
def test_an_answer_to_another_question_is_not_told(grade_all: GradeAll, disclose: str) -> None:
    """After two answers exchanged, it would tell both."""
    fields = {**PREDICT, "defines": {"answer": {}, "other": {}}}
    fields["solution"] = "answer = 6\nother = 7\n"
    test = {"call": "answer", "expect": 6, "hidden": True, "disclose": disclose}
    other = {"call": "other", "expect": 7, "hidden": True}
    told = grade_all("answer = 7\nother = 7", test, other, **fields).tests[0].message
    said = {
        "category": "`answer`: 7 is not it. Go through it step by step once more.",
        "nothing": "A hidden test did not pass.",
    }
    assert told == said[disclose]


@pytest.mark.parametrize(
    ("source", "line", "sentence"),
    [
        ("answer = 2 * 3", 1, "leaves something to compute. Work out `answer` yourself"),
        ("answer = max([6])", 1, "leaves something to compute."),
        ("import numpy as np\nanswer = np.array([[1]] * 2)", 2, "leaves something to compute."),
        ("import numpy as np\nanswer = np.ones(3)", 2, "leaves something to compute."),
        ("answer = [y for y in (6,)]", 1, "leaves something to compute."),
        ("answer = f'{6}'", 1, "leaves something to compute."),
        ("x = 6\nanswer = 6", 1, "sets `x`, which is not asked for. Set only `answer`."),
        ("answer = 6\nprint(answer)", 2, "is more than an answer."),
        ("import os\nanswer = 6", 1, "is more than an answer."),
        ("def f(): ...\nanswer = 6", 1, "is more than an answer."),
        ("answer = other = 6", 1, "is more than an answer."),
        ("answer: print('ran') = 6", 1, "is more than an answer."),
        ("answer: globals().update(answer=6) = 5", 1, "is more than an answer."),
        ("answer: (lambda: 0) = 6", 1, "is more than an answer."),
        ("answer: (other := 6) = 6", 1, "is more than an answer."),
    ],
)
def test_only_answers_may_be_in_it(
    grade_all: GradeAll, source: str, line: int, sentence: str
) -> None:
    """Literals assigned to the names that are asked for; nothing runs that computes."""
    verdict = grade_all(source, shaped("6"), **PREDICT)
    assert (verdict.outcome, verdict.line) == (Outcome.FAILED, line)
    assert verdict.message.startswith(f"Line {line} {sentence}")


@pytest.mark.parametrize(
    "source",
    [
        "answer: int = 6",
        "answer: 'anything at all' = 6",
        "answer: dict[str, list[int]] | None = 6",
        "answer: there.is_no[such, thing] = 6",
    ],
)
def test_a_type_may_be_written_beside_an_answer(grade_all: GradeAll, source: str) -> None:
    """It is not evaluated, so that even one that does not exist does no harm."""
    assert grade_all(source, shaped("6"), **PREDICT).outcome is Outcome.PASSED


@pytest.mark.parametrize("value", ["-'a'", "{[1]: 2}", "np.array([[1, 2], [3]])"])
def test_a_literal_that_cannot_be_is_an_error_on_its_line(grade_all: GradeAll, value: str) -> None:
    """Although nothing of a prediction is run: its values are read off its syntax tree."""
    verdict = grade_all(f"import numpy as np\nanswer = {value}", shaped("6"), **PREDICT)
    assert (verdict.outcome, verdict.line) == (Outcome.ERRORED, 2)


@pytest.mark.parametrize(
    "source", ["x: print('ran') = 1", "x = print('ran')", "print('ran')", "y = 1", "x = np.ones(3)"]
)
def test_what_is_no_answer_is_not_built_either(source: str) -> None:
    """The values come from a tree that is looked at once more where they are read."""
    with pytest.raises(ValueError, match="more than answers"):
        answers(source, ["x"], "submission.py")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("answer = ...", "`answer` is not answered yet: write your answer in place of `...`."),
        ("answer = None", "`answer` is not answered yet: write your answer in place of `None`."),
        ("# nothing", "There is no `answer` in your code; write your answer as `answer = ...`."),
    ],
)
def test_a_missing_answer_has_its_own_sentence(
    grade_all: GradeAll, source: str, sentence: str
) -> None:
    """Nothing is compared before everything is answered."""
    verdict = grade_all(source, shaped("6"), **PREDICT)
    assert (verdict.outcome, verdict.message) == (Outcome.FAILED, sentence)


def test_an_answer_is_one_of_the_choices(grade_all: GradeAll) -> None:
    """The message lists the choices, and does not say which is right."""
    fields = {**PREDICT, "defines": {"answer": {"choices": ["rows", "columns"]}}}
    fields["solution"] = "answer = 'rows'"
    test = {"call": "answer", "expect": "rows", "hidden": True}
    verdict = grade_all("answer = 'diagonal'", test, **fields)
    assert verdict.message == '`answer` should be one of "rows" or "columns".'
    assert grade_all("answer = 'rows'", test, **fields).outcome is Outcome.PASSED
    assert grade_all("answer = 'columns'", test, **fields).outcome is Outcome.FAILED


def test_the_page_of_a_prediction_has_no_answer(make: Make) -> None:
    """The public form of a visible test has no expected value."""
    public = public_exercise(make({"call": "answer", "expect": 6}, **PREDICT))
    (test,) = public.tests
    assert (test.kind, test.id, test.expected) == ("answer", TestId("test-0"), None)


def test_a_value_in_a_program_can_be_used_in_every_kind_of_test(grade_all: GradeAll) -> None:
    """Fetched from the child, computed there by whatever code the learner likes."""
    fields: Fields = {
        "defines": {"f": {}, "weights": {"kind": "value"}},
        "solution": "import numpy as np\nweights = np.ones(3) / 3\ndef f(x): return weights * x\n",
    }
    tests: tuple[Fields, ...] = (
        {"call": "weights", "expect": "solution"},
        {"call": "f(3.0) / weights", "expect": [3.0, 3.0, 3.0]},
        {"pytest": "assert weights.shape == (3,)"},
        {"call": "weights * f(1.0) / f(1.0)", "holds": "rows_sum_to_one"},
    )
    right = "import numpy as np\nweights = np.full(3, 1 / 3)\ndef f(x):\n    return x * weights\n"
    assert grade_all(right, *tests, **fields).outcome is Outcome.PASSED
    wrong = grade_all("weights = [1, 2]\ndef f(x): return x", *tests, **fields)
    assert wrong.tests[0].message == (
        "The result should be an array of shape (3,), but is a list of 2 items. "
        "Turn it into an array with `np.array(...)`."
    )
    function = grade_all("def f(x): ...\ndef weights(): ...", *tests, **fields)
    assert function.message == "`weights` should be a value, but in your code it is a function."
    odd = grade_all("def f(x): ...\nweights = (x for x in [1])", *tests, **fields)
    assert odd.message.startswith("`weights` is a generator; write plain Python values")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("def f(): ...", "`f` should be a class, but in your code it is a function."),
        ("f = 3", "`f` should be a class, but in your code it is an int."),
        ("class F: ...", "There is no class `f` in your code. Is `F` meant to be it?"),
        ("x = 3", "There is no class `f` in your code; the tests call `f(2).up(3)`."),
    ],
)
def test_a_class_that_is_missing_or_something_else_has_its_own_sentence(
    grade_all: GradeAll, source: str, sentence: str
) -> None:
    """As a function has."""
    test = {"call": "f(2).up(3)", "expect": 5}
    verdict = grade_all(source, test, defines={"f": {"kind": "class"}})
    assert verdict.message == sentence


def test_a_class_that_is_made_otherwise_is_shown_beside_the_call(grade_one: GradeOne) -> None:
    """The test's call, and how the learner's class is made."""
    test = {"call": "f(2).up(3)", "expect": 5}
    source = "class f:\n    def __init__(self, a, b): ...\n"
    message = grade_one(source, test, defines={"f": {"kind": "class"}}).message
    assert message.startswith(
        "The test runs `f(2).up(3)`, but your class is made by `f(a, b)`: f.__init__() missing 1"
    )
