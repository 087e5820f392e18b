"""Explanations of the usual errors, made from errors that NumPy really raises.

The golden reports in tests/golden/feedback/causes have one error of each cause, word for word. Here
stand the other messages of the same causes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.definitions.exercise import Exercise
from grader.grading.feedback.error_explanations import cause_sentence, shapes_sentence, signature
from grader.grading.results.verdict import Outcome
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox
from tests.grading.conftest import Make, grade

A, B, WHOLE = np.ones((3, 4)), np.ones((5, 4)), np.ones(3, dtype=int)
NONE: Any = None  # so that mypy allows the mistakes
LIST: Any = [1.0, 2.0]


def unpack() -> tuple[int, int]:
    """Take a shape of three axes apart into two names."""
    rows, columns = np.ones((2, 3, 4)).shape  # type: ignore[misc]  # the mistake that is made
    return rows, columns


def unpack_more() -> int:
    """Take a shape of two axes apart into three names."""
    _, _, features = A.shape  # type: ignore[misc]  # the mistake that is made
    return int(features)


def take_apart(value: Any) -> object:
    """Take a value apart into two."""
    rows, columns = value
    return rows, columns


def store(place: Any) -> None:
    """Store a value as the first item."""
    place[0] = 1.0


ERRORS: dict[str, tuple[Callable[[], object], str]] = {
    "joining a row": (lambda: np.concatenate([A, np.ones(4)]), "can only be joined"),
    "stacking other shapes": (lambda: np.stack([A, B]), "can only be joined"),
    "arrays that have no common shape": (
        lambda: np.broadcast_arrays(A, B),
        "axes are paired from the right",
    ),
    "arrays that np.dot does not fit": (lambda: np.dot(A, B), "A matrix product needs"),
    "None as an operand": (lambda: NONE * 2, "Something here is None"),
    "None as an argument": (lambda: np.exp(NONE), "Something here is None"),
    "an attribute of None": (lambda: NONE.shape, "Something here is None"),
    "an index into None": (lambda: NONE[0], "Something here is None"),
    "unpacking None": (lambda: take_apart(NONE), "Something here is None"),
    "a list's shape": (lambda: LIST.shape, "np.array(...)"),
    "columns of a list": (lambda: LIST[:, 0], "np.array(...)"),
    "a list as an operand": (lambda: LIST / 2.0, "np.array(...)"),
    "going through one number": (lambda: list(np.array(1.0)), "no length and no items"),
    "unpacking a number": (lambda: take_apart(A.max()), "no length and no items"),
    "the length of one number": (lambda: len(np.array(1.0)), "no length and no items"),
    "an index into a float": (lambda: A.max()[0], "no length and no items"),
    "a store into a float": (lambda: store(A.max()), "no length and no items"),
    "the place of the largest of nothing": (lambda: np.zeros(0).argmax(), "the array is empty"),
    "taking from nothing": (lambda: np.take(np.zeros((0, 2)), [0], axis=0), "axis is empty"),
    "joining nothing": (lambda: np.concatenate([]), "did the loop"),
    "a store of another shape by indices": (
        lambda: A.__setitem__(np.arange(2), np.ones(3)),
        "shape (3,) is stored in a place of shape (2, 4)",
    ),
    "an axis twice": (lambda: A.sum(axis=(0, 0)), "named twice"),
    "an integer to a negative power": (lambda: WHOLE**-1, "write `2.0` for `2`"),
    "the inverse of a row": (lambda: np.linalg.inv(np.ones(3)), "square matrix"),
    "a list with a fraction as index": (lambda: LIST[1.0], "`//` keeps integers"),
    "a slice up to a fraction": (lambda: LIST[:1.0], "`//` keeps integers"),
    "range of a fraction": (lambda: range(2.0), "must be a whole number"),  # type: ignore[call-overload]  # the mistake that is made
    "float of a list": (lambda: float(LIST), "One number is needed"),
    "the length of None": (lambda: len(NONE), "Something here is None"),
    "a power that no float holds": (lambda: 10.0**400, "A float ends near"),
    "float of None": (lambda: float(NONE), "Something here is None"),
    "minus None": (lambda: -NONE, "Something here is None"),
    "None compared": (lambda: NONE > 1, "Something here is None"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_cause_is_named(name: str) -> None:
    """A usual error of NumPy is explained by a sentence about its cause."""
    action, words = ERRORS[name]
    with pytest.raises(Exception) as caught:  # noqa: PT011  each raises another
        action()
    sentence = cause_sentence(type(caught.value).__name__, str(caught.value))
    assert words in sentence
    assert sentence.endswith((".", "?"))


def test_unknown_errors_are_left_alone() -> None:
    """An error that is not among the usual ones gets no sentence."""
    assert cause_sentence("ValueError", "my own words") == ""
    assert (
        cause_sentence("MyError", "operands could not be broadcast together with shapes (1,) (2,)")
        == ""
    )
    assert signature("NameError", "name 'x' is not defined") is None


PATIENT = Limits(cpu_seconds=30, wall_seconds=300.0)
REFUSED = {
    "import asyncio\nasyncio.run(asyncio.sleep(0))": "The system refuses this here",
    "import subprocess\nsubprocess.run(['ls'])": "The system refuses this here",
    "import socket\nsocket.socket()": "The system refuses this here",
    "import multiprocessing\nmultiprocessing.Pool(2)": "No process can be started here",
    "import threading\nthreading.Thread(target=print).start()": "No thread can be started",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')": "without a network",
    "import importlib\nimport numpy\nimportlib.reload(numpy)": "leave `reload` out",
    "import os\nos.environ['USER']": "Environment variables",
    "import getpass\ngetpass.getuser()": "users of your machine are not known here",
    "import sys\nint(sys.stdin.readline())": "`sys.stdin` is empty",
    "open('scores.csv')": "There is no such file",
    "open('.')": "This is a folder",
    "raise FileNotFoundError('no luck')": "",
    "raise PermissionError('not you')": "",
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_the_sandbox_refuses_is_called_a_file_only_if_it_is_one(
    code: str, double: Exercise, sandbox: Sandbox
) -> None:
    """Where the cause is not certain, the words of the error stand alone."""
    body = "".join(f"    {line}\n" for line in code.splitlines())
    source = f"def double(x):\n{body}    return 2 * x\n"
    verdict = grade(double, source, sandbox, PATIENT)  # some import half of the library
    message = verdict.tests[0].message
    explained = message.startswith("Line ")
    assert explained is bool(REFUSED[code]), message
    assert REFUSED[code] in message
    assert "There is no module" not in message


def test_signature_is_that_of_the_mistake() -> None:
    """`@` and `np.dot` share a signature for the same arrays, and none with others."""
    messages = []
    for action in (lambda: A @ B, lambda: np.dot(A, B), lambda: A @ np.ones((6, 2))):
        with pytest.raises(ValueError, match=r"aligned|mismatch") as caught:
            action()
        messages.append(signature("ValueError", str(caught.value)))
    assert messages[0] == messages[1] != messages[2]


def of(action: Callable[[], object]) -> tuple[str, ...] | None:
    """Give the signature of an error."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  each raises another
        action()
    return signature(type(caught.value).__name__, str(caught.value))


def test_signature_says_how_none_is_used() -> None:
    """An index into None is another mistake than a calculation with it."""
    index, call = of(lambda: NONE[0]), of(NONE)
    operand, attribute = of(lambda: NONE + A), of(lambda: NONE.T)
    assert index == of(lambda: NONE["a"])
    assert operand == of(lambda: 2 * NONE)
    assert len({None, index, call, operand, attribute}) == 5


def test_signature_of_an_index_that_is_too_large_has_no_sizes() -> None:
    """The first failing index, and the number of items, depend on how a loop is written."""
    assert of(lambda: A[3]) == of(lambda: B[:, 7]) is not None
    assert of(lambda: A[3]) != of(lambda: A.sum(axis=3))


def test_signature_tells_too_many_from_too_few() -> None:
    """Three parts for two names are another mistake than two for three."""
    assert of(unpack) is not None
    assert of(unpack_more) is not None
    assert of(unpack) != of(unpack_more)


def test_shapes_are_listed() -> None:
    """The shapes at an error are said of each array by name."""
    shapes = [("Q", (3, 4)), ("K", (5, 4)), ("b", (4,)), ("x", ())]
    assert shapes_sentence([]) == ""
    assert shapes_sentence(shapes[:1]) == "Here `Q` has shape (3, 4)."
    assert shapes_sentence(shapes[:2]) == "Here `Q` has shape (3, 4) and `K` (5, 4)."
    assert shapes_sentence(shapes) == "Here `Q` has shape (3, 4), `K` (5, 4), `b` (4,) and `x` ()."


def test_shapes_come_from_the_failing_line(double: Exercise, sandbox: Sandbox) -> None:
    """A visible test shows the shapes in the learner's line; a hidden one shows nothing of it."""
    source = (
        "import numpy as np\n\n\ndef double(x):\n    other = np.ones((3, 7))\n"
        "    unused = np.ones(9)\n    return np.atleast_1d(x) @ other\n"
    )
    verdict = grade(double, source, sandbox)
    visible = next(test for test in verdict.tests if test.id == "worked")
    assert visible.line == 7
    assert "Here `x` has shape (2,) and `other` (3, 7). (ValueError: matmul:" in visible.message
    secret = next(test for test in verdict.tests if test.hidden)
    assert (
        secret.message == "Your code raised an error or ended for the inputs of this hidden test."
    )


FORGERIES = {
    "[['x', [1]]] * 9": 8,
    "[['x', ['1']], ['x y', [1]], ['y' * 99, [1]], [1, [1]], 'x', ['z', [-1]], ['z', [True]]]": 0,
    "[['x', [1] * 65], ['x', [1 << 70]], ['x', [0.5]], ['x', None], ['x', [1], 2]]": 0,
    "{'x': [1]}": 0,
}


@pytest.mark.parametrize("forged", FORGERIES)
def test_forged_shapes_are_no_shapes(forged: str, double: Exercise, sandbox: Sandbox) -> None:
    """A submission that answers with shapes of its own making gets at most eight proper ones."""
    source = (
        "import sys\n\nserver = sys.modules['in_child.submission_server']\n"
        "describe = server.describe_error\n"
        f"server.describe_error = lambda error: {{**describe(error), 'shapes': {forged}}}\n"
    )
    here = said_of_shapes(source, double, sandbox)
    assert here.count("(1,)") == FORGERIES[forged]
    assert bool(here) == bool(FORGERIES[forged])


def test_shapes_that_cannot_be_looked_up_are_left_out(double: Exercise, sandbox: Sandbox) -> None:
    """The answer comes without them."""
    assert "x" in said_of_shapes("", double, sandbox)
    source = "import linecache\n\nlinecache.getline = lambda *_: 1 / 0\n"
    assert said_of_shapes(source, double, sandbox) == ""


def said_of_shapes(source: str, double: Exercise, sandbox: Sandbox) -> str:
    """Return the sentence on the shapes in a program's line that cannot be broadcast."""
    source += (
        "\n\ndef double(x):\n    if x is not None: raise ValueError("
        "'operands could not be broadcast together with shapes (1,) (2,)')\n"
    )
    verdict = grade(double, source, sandbox)
    _, found, here = verdict.tests[0].message.partition("or one be 1.")
    assert found
    return here.partition(" (ValueError")[0]


TEXTS = "np.where(x > 0, 'pos', 'neg')"


@pytest.mark.parametrize(
    ("returned", "right", "said"),
    [
        (f"{TEXTS}.astype(object)", TEXTS, "`np.asarray(result, dtype=str)`"),
        (f"{TEXTS}.astype(np.dtypes.StringDType())", TEXTS, "`np.asarray(result, dtype=str)`"),
        ("x.astype(object)", "x * 1.0", "`np.asarray(result, dtype=float)`"),
        ("np.array([(1, 'a')], 'i8,O')", "np.array([(1, 'a')], 'i8,U1')", "('f1', '<U1')]."),
        ("x.astype(object)", "[1, 2]", "a dtype such as"),
    ],
)
def test_an_array_that_no_test_can_look_at_gets_the_right_advice(
    make: Make, sandbox: Sandbox, returned: str, right: str, said: str
) -> None:
    """The dtype that is asked for is named, and an error of our own code is never the learner's."""
    source = "import numpy as np\n\n\ndef f(x):\n    return {}\n"
    test = {"given": "x = np.array([1.0, -1.0])", "call": "f(x)", "expect": "solution"}
    exercise = make(test, solution=source.format(right))
    [result] = grade(exercise, source.format(returned), sandbox).tests
    assert result.outcome is Outcome.FAILED
    assert result.message.startswith("Your function returned an array of dtype")
    assert said in result.message
