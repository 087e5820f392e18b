"""Explanations of the usual errors, made from errors that NumPy really raises."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.definitions.exercise import Exercise
from grader.grading.feedback.error_explanations import cause, shapes_here, signature
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Outcome
from grader.grading.session.engine import grade
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox
from tests.grading.conftest import Make

A, B, WHOLE = np.ones((3, 4)), np.ones((5, 4)), np.ones(3, dtype=int)
NONE, LIST, FLOAT = None, [1.0, 2.0], 1.5
GENERATOR = np.random.default_rng(0)
LOCKED = np.ones(3)
LOCKED.flags.writeable = False


def divide_in_place() -> None:
    """Divide integers in place."""
    whole = WHOLE.copy()
    whole /= 2.0


def grow_in_place() -> None:
    """Add a larger array in place."""
    row = np.ones(3)
    row += np.ones((2, 3))


def store_too_much() -> None:
    """Store two values in the place of three."""
    row = np.ones(3)
    row[:] = np.ones(2)


def unpack() -> tuple[int, int]:
    """Take a shape of three axes apart into two names."""
    rows, columns = np.ones((2, 3, 4)).shape  # type: ignore[misc]  # the mistake that is made
    return rows, columns


def unpack_more() -> int:
    """Take a shape of two axes apart into three names."""
    _, _, features = A.shape  # type: ignore[misc]  # the mistake that is made
    return int(features)


def unpack_none() -> object:
    """Take nothing apart."""
    return take_apart(NONE)


def take_apart(value: Any) -> object:
    """Take a value apart into two."""
    rows, columns = value
    return rows, columns


def store(place: Any, value: object = 1.0) -> None:
    """Store a value as the first item."""
    place[0] = value


def import_softmax() -> object:
    """Import what NumPy does not have."""
    from numpy import softmax  # type: ignore[attr-defined]  # the mistake that is made

    return softmax


def set_later() -> object:
    """Use a variable before it is set."""
    if len(LIST) > len(A):
        total = 1
    return total


ERRORS: dict[str, tuple[Callable[[], object], str]] = {
    "@ of arrays that do not fit": (lambda: A @ B, "lengths 4 and 5. Is a transpose missing"),
    "np.dot of arrays that do not fit": (lambda: np.dot(A, B), "lengths 4 and 5. Is a transpose"),
    "@ with a number": (lambda: A @ 2, "For a number use `*`"),
    "shapes that do not broadcast": (lambda: A + B, "Shapes (3, 4) and (5, 4) do not fit"),
    "three shapes, the last of which does not fit": (
        lambda: np.where(A > 0, A, np.ones(3)),
        "Shapes (3, 4) and (3,) do not fit: axes are paired from the right and must be equally "
        "long, or one of them of length 1, but here 4 meets 3.",
    ),
    "einsum of unequal axes": (lambda: np.einsum("ij,jk->ik", A, B), "the same letter"),
    "einsum with a letter too many": (lambda: np.einsum("ijk->k", A), "one letter for each"),
    "a reduction in place": (grow_in_place, "Write `x = x + y`"),
    "a store of another shape": (store_too_much, "in a place of shape (3,)"),
    "reshape to another size": (lambda: A.reshape(5, 3), "exactly as many values"),
    "joining other shapes": (lambda: np.concatenate([A, np.ones((3, 5))]), "can only be joined"),
    "joining a row": (lambda: np.concatenate([A, np.ones(4)]), "can only be joined"),
    "stacking other shapes": (lambda: np.stack([A, B]), "can only be joined"),
    "if with an array": (lambda: 1 if A > 0 else 2, "`np.where`"),
    "None as an operand": (lambda: NONE * 2, "Something here is None"),  # type: ignore[operator]
    "None with an index": (lambda: NONE[0], "Something here is None"),  # type: ignore[index]
    "None with an attribute": (lambda: NONE.shape, "Something here is None"),  # type: ignore[attr-defined]
    "exp of None": (lambda: np.exp(NONE), "Something here is None"),  # type: ignore[call-overload]
    "a list times a number": (lambda: LIST * 0.5, "np.array(...)"),  # type: ignore[operator]
    "a list's shape": (lambda: LIST.shape, "np.array(...)"),  # type: ignore[attr-defined]
    "a list with two indices": (lambda: LIST[0, 1], "np.array(...)"),  # type: ignore[call-overload]
    "an index too far from the end": (lambda: A[-4], "the first one is number -3"),
    "an index into nothing": (lambda: A[:0][0], "Axis 0 has no entries at all"),
    "an index too far": (lambda: A[3], "numbered from 0, so the last one is number 2"),
    "going through one number": (lambda: list(np.array(1.0)), "no length and no items"),
    "going through a float": (lambda: list(np.float64(1.0)), "no length and no items"),  # type: ignore[call-overload]
    "unpacking a number": (lambda: take_apart(A.max()), "no length and no items"),
    "the length of one number": (lambda: len(np.array(1.0)), "no length and no items"),
    "the length of a float": (lambda: len(np.float64(1.0)), "no length and no items"),  # type: ignore[arg-type]
    "an index into a float": (lambda: A.max()[0], "no length and no items"),
    "an index into Python's float": (lambda: FLOAT[0], "no length and no items"),  # type: ignore[index]
    "a store into a float": (lambda: store(A.max()), "no length and no items"),
    "a store into a tuple": (lambda: store((1, 2)), "A tuple cannot be changed"),
    "the largest of nothing": (lambda: np.zeros(0).max(), "the array is empty"),
    "the place of the largest of nothing": (lambda: np.zeros(0).argmax(), "the array is empty"),
    "taking from nothing": (lambda: np.take(np.zeros((0, 2)), [0], axis=0), "axis is empty"),
    "joining nothing": (lambda: np.concatenate([]), "did the loop"),
    "stacking nothing": (lambda: np.stack([]), "did the loop"),
    "indices that do not fit": (lambda: A[np.arange(2), np.arange(3)], "(2,) and (3,) must fit"),
    "a store of another shape by indices": (
        lambda: A.__setitem__(np.arange(2), np.ones(3)),
        "shape (3,) is stored in a place of shape (2, 4)",
    ),
    "broadcasting to another shape": (lambda: np.broadcast_to(A, (2, 3)), "spread to (2, 3)"),
    "broadcasting arrays": (lambda: np.broadcast_arrays(A, WHOLE), "(3, 4) and (3,) do not fit"),
    "an axis twice": (lambda: A.sum(axis=(0, 0)), "named twice"),
    "an axis twice in a transpose": (lambda: A.transpose(0, 0), "named twice"),
    "a negative size": (lambda: np.zeros(-1), "came out negative"),
    "an integer to a negative power": (lambda: WHOLE**-1, "write `2.0` for `2`"),
    "the inverse of a rectangle": (lambda: np.linalg.inv(A), "square matrix"),
    "the inverse of a row": (lambda: np.linalg.inv(np.ones(3)), "square matrix"),
    "drawing with scores": (lambda: GENERATOR.choice(2, p=[0.5, 0.9]), "divide them by their sum"),
    "a list with an array as index": (lambda: LIST[WHOLE], "make the list an array first"),
    "a list with a fraction as index": (lambda: LIST[1.0], "`//` keeps integers"),  # type: ignore[call-overload]
    "a slice up to a fraction": (lambda: LIST[:1.0], "`//` keeps integers"),  # type: ignore[index]
    "range of a fraction": (lambda: range(2.0), "must be a whole number"),  # type: ignore[call-overload]
    "a row in the place of a number": (lambda: store(np.zeros(2), LIST), "one number belongs"),
    "float of a list": (lambda: float(LIST), "One number is needed"),  # type: ignore[arg-type]
    "unpacking None": (unpack_none, "Something here is None"),
    "the length of None": (lambda: len(NONE), "Something here is None"),  # type: ignore[arg-type]
    "float of None": (lambda: float(NONE), "Something here is None"),  # type: ignore[arg-type]
    "minus None": (lambda: -NONE, "Something here is None"),  # type: ignore[operator]
    "None compared": (lambda: NONE > 1, "Something here is None"),  # type: ignore[operator]
    "a shape with fewer axes": (unpack_more, "3 names on the left"),
    "an index too many": (lambda: A[0, 0, 0], "2 axes here, but 3 indices"),
    "a fraction as an index": (lambda: A[1.0], "`//` keeps integers"),  # type: ignore[call-overload]
    "a mask of another shape": (lambda: A[np.ones(4, dtype=bool)], "shape of the array"),
    "an axis too many": (lambda: A.sum(axis=2), "may be from -2 to 1"),
    "an axis of a number": (lambda: np.float64(1).sum(axis=1), "no axes at all"),
    "transpose of too many": (lambda: A.transpose(0, 2, 1), "exactly once"),
    "squeeze of a long axis": (lambda: A.squeeze(0), "pick one entry"),
    "split in unequal parts": (lambda: np.split(A, 3, axis=1), "right axis"),
    "one argument less": (lambda: divmod_like(1), "fewer arguments than it needs"),  # type: ignore[call-arg]
    "one argument more": (lambda: divmod_like(1, 2, 3), "more arguments than it takes"),  # type: ignore[call-arg]
    "dim for axis": (lambda: np.sum(A, dim=1), "called `axis`"),  # type: ignore[call-overload]
    "brackets after an array": (lambda: A(0), "`x[0]`"),  # type: ignore[operator]
    "brackets after a shape": (lambda: A.shape(0), "`x.shape[0]`"),  # type: ignore[operator]
    "a method without self": (lambda: Layer().forward(A), "parameter of a method is `self`"),  # type: ignore[call-arg, misc]
    "a name that NumPy lacks": (import_softmax, "write it with `np.exp`"),
    "a method that arrays lack": (lambda: A.exp, "A NumPy array has no `exp`; use `np.exp(x)`"),  # type: ignore[attr-defined]
    "a module called": (lambda: np(A), "name a function in it"),  # type: ignore[operator]
    "softmax of NumPy": (lambda: np.softmax(A), "write it with `np.exp`"),  # type: ignore[attr-defined]
    "unsqueeze": (lambda: A.unsqueeze(1), "np.expand_dims"),  # type: ignore[attr-defined]
    "an integer array divided in place": (divide_in_place, "cannot hold fractions"),
    "a read-only array": (lambda: LOCKED.__setitem__(0, 1), "`.copy()`"),
    "rows of different lengths": (lambda: np.array([[1], [1, 2]]), "not all of the same length"),
    "math.exp of an array": (lambda: math.exp(A), "`np.exp` instead of `math.exp`"),
    "zeros(3, 4)": (lambda: np.zeros(3, 4), "`np.zeros((3, 4))`"),  # type: ignore[call-overload]
    "zeros(2.5)": (lambda: np.zeros(2.5), "must be a whole number"),  # type: ignore[call-overload]
    "minus a mask": (lambda: -np.ones(2, dtype=bool), "`~mask`"),
    "and of floats": (lambda: A & A, "a power is written `**`"),  # type: ignore[operator]
    "the inverse of zeros": (lambda: np.linalg.inv(np.zeros((2, 2))), "no inverse"),
    "a variable that is not set": (set_later, "it has no value yet"),
    "a shape with more axes": (unpack, "2 names on the left"),
    "division by zero": (lambda: 1 // len(range(0)), "divides by is 0"),
}


class Layer:
    """Has a method without `self`."""

    def forward(x: object) -> object:  # noqa: N805  the mistake that is made
        """Take an array, as its author thinks."""
        return x


def divmod_like(one: int, other: int) -> int:
    """Take two arguments."""
    return one + other


@pytest.mark.parametrize("name", ERRORS)
def test_cause_is_named(name: str) -> None:
    """A usual error of NumPy is explained by a sentence about its cause."""
    action, words = ERRORS[name]
    with pytest.raises(Exception) as caught:  # noqa: PT011  each raises another
        action()
    sentence = cause(type(caught.value).__name__, str(caught.value))
    assert words in sentence
    assert sentence.endswith((".", "?"))


def test_unknown_errors_are_left_alone() -> None:
    """An error that is not among the usual ones gets no sentence."""
    assert cause("ValueError", "my own words") == ""
    assert cause("MyError", "operands could not be broadcast together with shapes (1,) (2,)") == ""
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
    submission = Submission.from_bytes(Path("double.py"), source.encode())
    verdict = grade(double, submission, sandbox, PATIENT)  # some import half of the library
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
    index, call = of(lambda: NONE[0]), of(NONE)  # type: ignore[index, arg-type]
    operand, attribute = of(lambda: NONE + A), of(lambda: NONE.T)  # type: ignore[operator, attr-defined]
    assert index == of(lambda: NONE["a"])  # type: ignore[index]
    assert operand == of(lambda: 2 * NONE)  # type: ignore[operator]
    assert len({None, index, call, operand, attribute}) == 5


def test_signature_of_an_index_that_is_too_large_has_no_sizes() -> None:
    """Which item is asked for first, and how many there are, depends on how a loop is written."""
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
    assert shapes_here([]) == ""
    assert shapes_here(shapes[:1]) == "Here `Q` has shape (3, 4)."
    assert shapes_here(shapes[:2]) == "Here `Q` has shape (3, 4) and `K` (5, 4)."
    assert shapes_here(shapes) == "Here `Q` has shape (3, 4), `K` (5, 4), `b` (4,) and `x` ()."


def test_shapes_come_from_the_failing_line(double: Exercise, sandbox: Sandbox) -> None:
    """A visible test shows the shapes in the learner's line; a hidden one shows nothing of it."""
    source = (
        "import numpy as np\n\n\ndef double(x):\n    other = np.ones((3, 7))\n"
        "    unused = np.ones(9)\n    return np.atleast_1d(x) @ other\n"
    )
    verdict = grade(double, Submission.from_bytes(Path("double.py"), source.encode()), sandbox)
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
        "import sys\n\nserving = sys._getframe(1).f_globals\nraised = serving['_raised']\n"
        f"serving['_raised'] = lambda error: {{**raised(error), 'shapes': {forged}}}\n"
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
    """Return what is said of the shapes in a program's line that cannot broadcast."""
    source += (
        "\n\ndef double(x):\n    if x is not None: raise ValueError("
        "'operands could not be broadcast together with shapes (1,) (2,)')\n"
    )
    verdict = grade(double, Submission.from_bytes(Path("double.py"), source.encode()), sandbox)
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
    submission = Submission.from_bytes(Path("f.py"), source.format(returned).encode())
    [result] = grade(exercise, submission, sandbox).tests
    assert result.outcome is Outcome.FAILED
    assert result.message.startswith("Your function returned an array of dtype")
    assert said in result.message
