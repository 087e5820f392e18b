"""What is forbidden is found on the syntax tree, before any of the submission runs."""

from typing import TYPE_CHECKING

import pytest

from grader.grading.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from tests.grading.conftest import GradeAll

TEST = {"given": {"x": [3.0, 4.0]}, "call": "f(x)", "expect": 5.0}
RIGHT = "import numpy as np\ndef f(x): return np.sqrt((x * x).sum())\n"


def verdict_of(grade_all: "GradeAll", source: str, **forbid: object) -> Verdict:
    return grade_all(source, TEST, forbid=forbid)


@pytest.mark.parametrize(
    ("forbid", "source", "line", "sentence"),
    [
        ({"imports": ["scipy"]}, "import os, scipy.linalg\ndef f(x): ...", 1, "imports `scipy.linalg`"),
        ({"imports": ["scipy"]}, "def f(x):\n    from scipy import linalg", 2, "imports `scipy`"),
        ({"imports": ["numpy.linalg"]}, "from numpy import linalg\ndef f(x): ...", 1, "imports `numpy.linalg`"),
        ({"names": ["np.linalg"]}, "import numpy as np\ndef f(x): return np.linalg.norm(x)", 2, "uses `np.linalg.norm`"),
        ({"names": ["einsum"]}, "import numpy as np\ndef f(x): return np.einsum('i,i', x, x)", 2, "uses `np.einsum`"),
        ({"calls": ["np.linalg.norm"]}, "import numpy.linalg as la\ndef f(x):\n    return la.norm(x)", 3, "uses `la.norm` (that is `np.linalg.norm`)"),
        ({"calls": ["np.linalg.norm"]}, "from numpy.linalg import norm as n\ndef f(x):\n    return n(x)", 3, "uses `n` (that is `np.linalg.norm`)"),
        ({"calls": ["np.linalg.norm"]}, "import numpy as np\nla = np.linalg\ndef f(x):\n    return la.norm(x)", 4, "uses `la.norm` (that is `np.linalg.norm`)"),
        ({"calls": ["np.linalg.norm"]}, "import numpy as np\n(a, b) = np, 1\nc = a.linalg\ndef f(x):\n    return c.norm(x)", 5, "uses `c.norm` (that is `np.linalg.norm`)"),
        ({"calls": ["np.linalg.norm"]}, "import numpy as np\nn = np.linalg.norm\ndef f(x): return n(x)", 2, "uses `np.linalg.norm`"),
        ({"calls": ["np.sqrt"]}, "from numpy import *\ndef f(x): return sqrt(x @ x)", 2, "uses `sqrt` (that is `np.sqrt`)"),
        ({"calls": ["sum"]}, "def f(x): return sum(x * x) ** 0.5", 1, "uses `sum`"),
        ({"calls": ["sum"]}, "def f(x): return (x * x).sum() ** 0.5", 1, "uses `.sum`"),
        ({"calls": ["sum"]}, "def f(x):\n    y = x * x\n    return y.sum() ** 0.5", 3, "uses `y.sum`"),
        ({"calls": ["sum"]}, "s = sum\ndef f(x): return s(x * x) ** 0.5", 1, "uses `sum`"),
        ({"calls": ["sum"]}, "import functools\ndef f(x): return functools.reduce(sum, x)", 2, "uses `sum`"),
        ({"loops": True}, "def f(x):\n    for _ in x:\n        pass", 2, "has a `for` loop"),
        ({"loops": True}, "def f(x):\n    while 0: ...\n    return 5.0", 2, "has a `while` loop"),
        ({"loops": True}, "def f(x):\n    return sum([y * y for y in x])", 2, "has a comprehension"),
        ({"loops": True}, "def f(x):\n    return sum(y * y for y in x)", 2, "has a comprehension"),
    ],
)  # fmt: skip
def test_a_forbidden_use_is_named_with_its_line(
    grade_all: "GradeAll", forbid: dict[str, object], source: str, line: int, sentence: str
) -> None:
    """Through aliases too; the submission has failed, and no test ran."""
    verdict = verdict_of(grade_all, source, **forbid, because="Use what you know.")
    assert (verdict.outcome, verdict.line) == (Outcome.FAILED, line)
    whole = f"Line {line} {sentence}, which this exercise does without: Use what you know."
    assert verdict.message == whole
    assert [test.outcome for test in verdict.tests] == [Outcome.NOT_RUN]


@pytest.mark.parametrize(
    ("forbid", "source"),
    [
        ({"calls": ["sum"]}, "import numpy as np\ndef f(x):\n    sum = 0\n    sum += x @ x\n    return np.sqrt(sum)"),
        ({"calls": ["norm"]}, "def norm(x): return (x @ x) ** 0.5\ndef f(x): return norm(x)"),
        ({"calls": ["np.sum"]}, RIGHT),
        ({"names": ["np.linalg"]}, RIGHT),
        ({"imports": ["num"], "loops": True}, RIGHT),
        ({"names": ["sum"]}, "'''No sum, for or while.'''\n# np.sum\ndef f(x): return (x @ x) ** 0.5"),
    ],
)  # fmt: skip
def test_what_only_looks_alike_may_be_used(
    grade_all: "GradeAll", forbid: dict[str, object], source: str
) -> None:
    """A learner's own name, another function, a word in a comment."""
    assert verdict_of(grade_all, source, **forbid).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import numpy as np\ndef f(x): return getattr(np, 'lin' + 'alg').norm(x)", "getattr"),
        ("def f(x): return eval('np.linalg.norm(x)')", "eval"),
        ("def f(x): exec('y = 1')", "exec"),
        ("def f(x): return __import__('numpy').linalg.norm(x)", "__import__"),
        ("def f(x): return __builtins__['sum'](x)", "__builtins__"),
        ("import importlib as i\ndef f(x): return i.import_module('numpy')", "importlib"),
        ("import sys\ndef f(x): return sys.modules['numpy'].linalg.norm(x)", "sys.modules"),
        ("import numpy as np\ndef f(x): return np.__dict__['linalg'].norm(x)", "np.__dict__"),
        (
            "from operator import attrgetter as a\ndef f(x): return a('linalg')",
            "operator.attrgetter",
        ),
    ],
)
def test_ways_around_are_forbidden_with_it(grade_all: "GradeAll", source: str, name: str) -> None:
    """Where anything is forbidden, so is what reaches it by another name."""
    verdict = verdict_of(grade_all, source, names=["np.linalg"])
    assert verdict.outcome is Outcome.FAILED
    assert f"uses `{name}`, which can reach by another name" in verdict.message


def test_nothing_runs_of_what_is_refused(grade_all: "GradeAll") -> None:
    """Not even what stands before the line that is at fault."""
    verdict = verdict_of(grade_all, "print('ran')\nimport scipy\ndef f(x): ...", imports=["scipy"])
    assert verdict.output == ""
    assert verdict.line == 2


def test_code_that_python_cannot_read_says_so(grade_all: "GradeAll") -> None:
    """As it does in an exercise that forbids nothing."""
    verdict = verdict_of(grade_all, "def f(x:\n", loops=True)
    assert (verdict.outcome, verdict.line) == (Outcome.ERRORED, 1)
    assert verdict.message.startswith("Python cannot read line 1: `def f(x:`")


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(" * 5000 + ")" * 5000,
        "x = " + "-" * 20_000 + "1",
        "x = " + "+".join("1" * 15_000),
        "x = y" + ".a" * 20_000,
        "\n".join(f"x.a{n}" for n in range(6000)),
    ],
)
def test_source_that_is_made_to_break_the_parser_only_fails(
    grade_all: "GradeAll", source: str
) -> None:
    """It is read in the child; whatever it does there is the submission's own failure."""
    verdict = verdict_of(grade_all, f"{source}\ndef f(x): ...", loops=True)
    assert verdict.outcome is not Outcome.PASSED
    assert verdict.message


def test_more_uses_than_can_be_told_are_refused(grade_all: "GradeAll") -> None:
    """A forbidden name cannot hide behind thousands of others."""
    padding = "\n".join(f"if 0: x.a{n}" for n in range(4500))
    source = f"{padding}\nimport numpy as np\ndef f(x): return np.linalg.norm(x)"
    verdict = verdict_of(grade_all, source, names=["np.linalg"])
    assert verdict.message == (
        "Your code uses more names than can be checked for what this exercise forbids."
    )
