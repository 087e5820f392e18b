"""Which programs may run in a child that others run in afterwards."""

from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from grader.grading.diagnosis.side_effects import asks_without_trace, leaves_no_trace
from grader.grading.expected.oracle import Oracle

if TYPE_CHECKING:
    from tests.grading.conftest import Make

Fields: TypeAlias = dict[str, Any]

ATTENTION = """\
import math

import numpy as np


def softmax(x, axis=-1):
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, -np.inf, scores)
    scores[..., 0] += np.linalg.norm(np.maximum.reduce(Q)) * 0
    print(f"{scores.shape} of", *[len(row) for row in scores])
    return softmax(scores).round(4).astype(np.float64) @ V
"""


@pytest.mark.parametrize("source", [ATTENTION, "answer = 3.5\n"])
def test_what_exercises_are_about_leaves_no_trace(source: str) -> None:
    """Functions, loops and what NumPy computes."""
    assert leaves_no_trace(source)


@pytest.mark.parametrize(
    "line",
    [
        "np.exp = np.log",
        "np.random.seed(0)",
        "np.random.randn(3)",
        "np.seterr(all='raise')",
        "np.set_printoptions(precision=2)",
        "np.errstate(all='raise').__enter__()",
        "np.linalg.norm = None",
        "np.linalg.linalg.norm = None",
        "np.lib.stride_tricks.as_strided(x, (100,))",
        "np.save('x', x)",
        "x.tofile('x')",
        "x.ctypes.data",
        "del np.exp",
        "f.count = 1",
        "x.dtype.type.f = 1",
        "setattr(np, 'exp', None)",
        "globals()['np']",
        "vars(np)['exp'] = None",
        "f.__globals__['np'] = None",
        "__builtins__['len'] = None",
        "(n for n in x).gi_frame.f_builtins['len'] = None",
        "open('x', 'w')",
        "exec('import os')",
        "type(f)",
        "m = np",
        "m = [np]",
        "m = np.linalg",
        "g(np)",
        "import os",
        "import numpy.linalg",
        "import numpy as math",
        "from numpy import seterr",
        "np = x",
        "import numpy",
        "np.sum.n = 1",
        "np.e += 1",
        "global f",
        "math.__dict__",
    ],
)
def test_what_could_leave_something_behind_is_not_trusted(line: str) -> None:
    """In a module, in a function, in a file, or in whatever is found by such a way."""
    rest = "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n"
    begin = "import math\nimport numpy as np\nx = np.ones(3)\n"
    assert leaves_no_trace(begin + rest)
    assert not leaves_no_trace(f"{begin}{rest}{line}\n")


@pytest.mark.parametrize(
    "body",
    [
        "return np.empty(3)",
        "return np.empty_like(x)",
        "return np.pad(x, 1, mode='empty')",
        "return np.ones(3, np.longdouble).view(np.uint8)",
        "return np.ones(3, np.longdouble).tobytes()",
        "return np.divide(1, x, where=x > 0)",
        "return np.ndarray((3,))",
        "return np.divide(1, x, **{'where': x > 0})",
    ],
)
def test_what_shows_memory_that_was_not_cleared_is_not_trusted(body: str) -> None:
    """It may be what another program left there."""
    assert not leaves_no_trace(f"import numpy as np\n\n\ndef f(x):\n    {body}\n")


@pytest.mark.parametrize(
    "body",
    [
        "try:\n        return np.ones(10**9)\n    except MemoryError:\n        return 0",
        "try:\n        return np.ones(10**9)\n    finally:\n        return 0",
        "return np.array_equal([x] * 10**8, x)",
        "yield x",
        "nonlocal x",
        "return (lambda: __class__)()",
    ],
)
def test_what_hides_how_it_ends_is_not_trusted(body: str) -> None:
    """A program that ran out of what others used has to say so."""
    assert not leaves_no_trace(f"import numpy as np\n\n\ndef f(x):\n    {body}\n")


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    pass\n",
        "async def f(x):\n    return x\n",
        "match 1:\n    case _:\n        pass\n",
        "@property\ndef f(x):\n    return x\n",
        "def f(x:\n",
        "x = '\0'\n",
    ],
)
def test_unusual_programs_are_not_trusted(source: str) -> None:
    """Whatever is not plainly harmless gets a child of its own."""
    assert not leaves_no_trace(source)


def test_names_that_are_given_may_be_used() -> None:
    """Statements after a program use what it defines, and inputs; but no other function of Python's."""
    assert leaves_no_trace("print(f(x).shape)\n")
    assert not leaves_no_trace("print(vars(f))\n")


CALL: Fields = {"given": {"x": [1.0]}, "call": "f(x)", "expect": [2.0]}


@pytest.mark.parametrize(
    ("test", "is_harmless"),
    [
        (CALL, True),
        ({"given": {"x": [1.0]}, "run": "print(f(x))", "stdout": "[2.]"}, True),
        ({"given": {"x": [1.0]}, "run": "f.n = 1\nprint(f(x))", "stdout": "[2.]"}, False),
        ({"given": "def x(n):\n    return n\n", "call": "f(x)", "expect": 2.0}, False),
        ({"given": "def g(n):\n    return n\nx = [g]\n", "call": "f(x)", "expect": 2.0}, False),
        ({"pytest": "assert f(1.0) == 2.0\n"}, True),
        ({"pytest": "def g(n):\n    return n\nassert f(g) == 2.0\n"}, False),
        ({**CALL, "budget": {"memory": 10.0}}, False),
    ],
)
def test_tests_that_run_or_measure_something_there_are_not_trusted(
    make: "Make", test: Fields, is_harmless: bool
) -> None:
    """Authors' statements and functions run in the child, too."""
    exercise = make(test, defines={"f": {"reference": "reference.softmax:softmax"}})
    assert asks_without_trace(Oracle(exercise), exercise.tests) == is_harmless
