"""Forbidden code, found on the syntax tree before any of the submission runs."""

import pytest

from grader.grading.results.verdict import Outcome, Verdict
from tests.grading.conftest import GradeAll

TEST = {"given": {"x": [3.0, 4.0]}, "call": "f(x)", "expect": 5.0}
RIGHT = "import numpy as np\ndef f(x): return np.sqrt((x * x).sum())\n"


def verdict_of(grade_all: GradeAll, source: str, **forbid: object) -> Verdict:
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
        ({"loops": True}, "def f(x):\n    return sum(map(abs, x))", 2, "uses `map`"),
        ({"loops": True}, "m = map\ndef f(x):\n    return sum(m(abs, x))", 1, "uses `map`"),
        ({"loops": True}, "def f(x):\n    return sum(filter(None, x))", 2, "uses `filter`"),
        ({"loops": True}, "from functools import reduce as r\ndef f(x):\n    return r(max, x)", 3, "uses `r` (that is `functools.reduce`)"),
        ({"loops": True}, "import itertools\ndef f(x):\n    return [*itertools.accumulate(x)]", 3, "uses `itertools.accumulate`"),
        *(({"loops": True}, f"import numpy as np\ndef f(x):\n    return np.{hidden}(x)", 3, f"uses `np.{hidden}`")
          for hidden in ("vectorize", "frompyfunc", "apply_along_axis", "apply_over_axes", "fromiter", "nditer", "ndenumerate")),
        ({"loops": True}, "import numpy as np\ndef f(x):\n    return np.ma.core.functools.reduce(max, x)", 3, "uses `np.ma.core.functools.reduce`"),
        ({"loops": True}, "def f(x):\n    return x[0] + f(x[1:])", 2, "calls the function in itself"),
        ({"loops": True}, "class A:\n    def g(self, x):\n        return x[0] + self.g(x[1:])\ndef f(x): ...", 3, "calls the function in itself"),
        ({"calls": ["np.var"]}, "def f(x): return x.var(axis=-1)", 1, "uses `x.var`"),
        ({"names": ["np.var"]}, "def f(x): return (x + 1).var()", 1, "uses `.var`"),
        ({"calls": ["np.var"]}, "import numpy as np\ndef f(x): return np.ndarray.var(x)", 2, "uses `np.ndarray.var`"),
        ({"calls": ["np.var"]}, "import numpy as np\ny = np.pi\ndef f(x): return y.var()", 3, "uses `y.var` (that is `np.pi.var`)"),
        ({"calls": ["np.var"]}, "def f(x):\n    if 0: import math as x\n    return x.var()", 3, "uses `x.var`"),
        ({"calls": ["np.var"]}, "def f(x):\n    match x:\n        case object(var=v): return v()", 3, "uses `.var`"),
        ({"calls": ["np.var"]}, "def f(x): return x.var.__call__()", 1, "uses `x.var.__call__`"),
        ({"calls": ["sum"]}, "def f(x): return x.sum.__call__()", 1, "uses `x.sum.__call__`"),
        ({"calls": ["np.einsum"]}, "import numpy as np\ndef f(x): return np.einsum.__call__('i->', x)", 2, "uses `np.einsum.__call__`"),
        ({"calls": ["np.einsum"]}, "from numpy._core.einsumfunc import einsum\ndef f(x):\n    return einsum('i->', x)", 3, "uses `einsum` (that is `np._core.einsumfunc.einsum`)"),
        ({"calls": ["np.einsum"]}, "from numpy._core.multiarray import c_einsum as e\ndef f(x):\n    return e('i->', x)", 3, "uses `e` (that is `np._core.multiarray.c_einsum`)"),
        ({"calls": ["np.einsum"]}, "from numpy._core.einsumfunc import *\ndef f(x):\n    return einsum('i->', x)", 3, "uses `einsum` (that is `np._core.einsumfunc.einsum`)"),
        ({"calls": ["np.einsum"]}, "import numpy.matlib as q\ndef f(x):\n    return q.einsum('i->', x)", 3, "uses `q.einsum` (that is `np.matlib.einsum`)"),
        ({"calls": ["np.einsum"]}, "class A:\n    from numpy import einsum\ndef f(x):\n    return A.einsum('i->', x)", 2, "uses `numpy.einsum`"),
        ({"calls": ["np.einsum"]}, "class A:\n    def g(self): import numpy as __m\ndef f(x):\n    return _A__m.einsum('i->', x)", 4, "uses `_A__m.einsum` (that is `np.einsum`)"),
        ({"calls": ["np.einsum"]}, "import numpy as np\nif 1:\n  if 1:\n    if 1:\n      if 1: a = np\n      b = a\n    c = b\n  d = c\ne = d\ndef f(x): return e.einsum('i->', x)", 10, "uses `e.einsum` (that is `np.einsum`)"),
        ({"imports": ["numpy.linalg"]}, "from numpy.ma.core import np as n\nimport numpy.lib.linalg\ndef f(x): ...", 2, "imports `numpy.lib.linalg`"),
    ],
)  # fmt: skip
def test_a_forbidden_use_is_named_with_its_line(
    grade_all: GradeAll, forbid: dict[str, object], source: str, line: int, sentence: str
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
        ({"calls": ["np.std"]}, RIGHT),
        ({"names": ["np.linalg"]}, RIGHT),
        ({"names": ["np.linalg"]}, f"class Own:\n    matlib = 1\ndef g(x): return x\ng(Own.matlib)\n{RIGHT}"),
        ({"imports": ["num"], "loops": True}, RIGHT),
        ({"calls": ["np.prod"]}, "import math, numpy as np\ndef f(x): return np.sqrt(math.prod([1.0]) * (x @ x))"),
        ({"calls": ["np.var"]}, "import numpy as np\nfrom numpy import linalg as la\nm = n = np\nd = np.float64\ndef f(x: np.ndarray, axis=np.newaxis) -> np.floating:\n    var = n.asarray(x, dtype=np.float64)\n    return m.sqrt(var @ var).astype(d)"),
        ({"calls": ["np.std"]}, "class A:\n    def __init__(self, x): self.modules = self.code = [x]\ndef f(x):\n    y = A(x)\n    return (y.modules[0] @ y.code[0]) ** 0.5"),
        ({"loops": True}, "import numpy as np\ndef f(x):\n    map = filter = x\n    return np.sqrt(map @ filter)"),
        ({"names": ["sum"]}, "'''No sum, for or while.'''\n# np.sum\ndef f(x): return (x @ x) ** 0.5"),
    ],
)  # fmt: skip
def test_what_only_looks_alike_may_be_used(
    grade_all: GradeAll, forbid: dict[str, object], source: str
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
        ("from operator import attrgetter as a\ndef f(x): return a('linalg')", "operator"),
        ("def f(x): return f.__globals__['np'].linalg.norm(x)", "f.__globals__"),
        ("def f(x): return f.__builtins__['eval']('np')", "f.__builtins__"),
        ("def f(x): return print.__self__.eval('np')", "print.__self__.eval"),
        ("import pkgutil as p\ndef f(x): return p.resolve_name('numpy:linalg')", "pkgutil"),
        ("import inspect as i, numpy\ndef f(x): return dict(i.getmembers(numpy))", "inspect"),
        ("import pydoc\ndef f(x): return pydoc.locate('numpy.linalg').norm(x)", "pydoc"),
        ("import submission as s\ndef f(x): return s.np.linalg.norm(x)", "submission"),
        ("def f(x): return x.__array_namespace__().linalg.norm(x)", "x.__array_namespace__"),
        (
            "import numpy as np\ndef f(x): return np.ma.core.builtins.eval('1')",
            "np.ma.core.builtins.eval",
        ),
        ("import os\ndef f(x): return os.sys.modules['numpy'].linalg", "os.sys.modules"),
        ("import dataclasses as d\ndef f(x): return d.inspect.unwrap(x)", "d.inspect.unwrap"),
        ("import sys\ndef f(x): return sys._getframe().f_globals['np']", ".f_globals"),
    ],
)
def test_ways_around_are_forbidden_with_it(grade_all: GradeAll, source: str, name: str) -> None:
    """Where anything is forbidden, so is what reaches it by another name."""
    verdict = verdict_of(grade_all, source, names=["np.linalg"])
    assert verdict.outcome is Outcome.FAILED
    assert f"uses `{name}`, which can reach by another name" in verdict.message


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def f(x, m=np): return m.einsum('i->', x)", "np"),
        ("def f(x, *, m=np): return m.einsum('i->', x)", "np"),
        ("def f(x): return (m := np).einsum('i->', x)", "np"),
        ("def f(x): return (np if 1 else 0).einsum('i->', x)", "np"),
        ("def f(x): return [np][0].einsum('i->', x)", "np"),
        ("def f(x): return {0: np}[0].einsum('i->', x)", "np"),
        ("def f(x): return (lambda m: m.einsum('i->', x))(np)", "np"),
        ("def f(x):\n  match np:\n    case m: return m.einsum('i->', x)", "np"),
        ("def f(x):\n  for m in (np,): return m.einsum('i->', x)", "np"),
        ("class A:\n  m = np\ndef f(x): return A.m.einsum('i->', x)", "np"),
        (
            "class A:\n  if 1:\n    import numpy as m\ndef f(x): return A.m.einsum('i->', x)",
            "numpy",
        ),
        ("class A: ...\nA.m = np\ndef f(x): return A.m.einsum('i->', x)", "np"),
        ("*a, b, c = 1, np\ndef f(x): return c.einsum('i->', x)", "np"),
        ("a = A.m = np\ndef f(x): return a", "np"),
        ("import dataclasses as d\ndef f(x): return [d][0].builtins.eval('np')", "d"),
        ("q = np\ndef f(x): return [q][0].einsum('i->', x)", "q"),
        ("def f(x): return [np.lib][0].np.einsum('i->', x)", "np.lib"),
        ("def g(): return np\ndef f(x): return g().einsum('i->', x)", "np"),
        ("import numpy.matlib as q\ndef f(x): return [q][0].einsum('i->', x)", "q"),
    ],
)
def test_a_module_is_not_passed_around(grade_all: GradeAll, source: str, name: str) -> None:
    """Where something in it is forbidden; what happens to it out of sight could be just that."""
    verdict = verdict_of(grade_all, f"import numpy as np\n{source}", calls=["np.einsum"])
    assert verdict.outcome is Outcome.FAILED
    assert f"passes `{name}` around, which could hide what this" in verdict.message


def test_a_module_may_be_passed_around_where_nothing_in_it_is_forbidden(
    grade_all: GradeAll,
) -> None:
    """A word that is meant wherever it stands is found there too."""
    source = "import numpy as np\ndef f(x, m=np): return m.sqrt(x @ x)"
    assert verdict_of(grade_all, source, calls=["einsum"]).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    "source",
    [
        "class A__B:\n    def g(self): import numpy as __m\ndef f(x): return _A__B__m.einsum('i->', x)",
        "import numpy as _A__m\nclass A:\n    def g(self, x): return __m.einsum('i->', x)",
    ],
)
def test_a_private_name_of_a_class_is_an_alias_too(grade_all: GradeAll, source: str) -> None:
    """In a class, `__m` is spelled otherwise than outside of it."""
    verdict = verdict_of(grade_all, f"{source}\ndef h(x): ...", calls=["np.einsum"])
    assert "(that is `np.einsum`)" in verdict.message


def test_a_name_that_is_too_long_to_tell_is_refused(grade_all: GradeAll) -> None:
    """NumPy's modules lead back to NumPy, as often as one likes."""
    source = f"import numpy as np\ndef f(x): return np{'.ma.core.np' * 30}.einsum('i->', x)"
    verdict = verdict_of(grade_all, source, calls=["np.einsum"])
    assert "more names than can be checked" in verdict.message


def test_more_aliases_than_are_followed_are_refused(grade_all: GradeAll) -> None:
    """The one that matters could be the one that is left out."""
    source = "\n".join(f"q = np.a{n}" for n in range(9))
    verdict = verdict_of(grade_all, f"import numpy as np\n{source}", calls=["np.einsum"])
    assert "more names than can be checked" in verdict.message


def test_nothing_runs_of_what_is_refused(grade_all: GradeAll) -> None:
    """Not even what stands before the line that is at fault."""
    verdict = verdict_of(grade_all, "print('ran')\nimport scipy\ndef f(x): ...", imports=["scipy"])
    assert verdict.output == ""
    assert verdict.line == 2


def test_code_that_python_cannot_read_says_so(grade_all: GradeAll) -> None:
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
    grade_all: GradeAll, source: str
) -> None:
    """It is read in the child; whatever it does there is the submission's own failure."""
    verdict = verdict_of(grade_all, f"{source}\ndef f(x): ...", loops=True)
    assert verdict.outcome is not Outcome.PASSED
    assert verdict.message


def test_more_uses_than_can_be_told_are_refused(grade_all: GradeAll) -> None:
    """A forbidden name cannot hide behind thousands of others."""
    padding = "\n".join(f"if 0: x.a{n}" for n in range(4500))
    source = f"{padding}\nimport numpy as np\ndef f(x): return np.linalg.norm(x)"
    verdict = verdict_of(grade_all, source, names=["np.linalg"])
    assert verdict.message == (
        "Your code uses more names than can be checked for what this exercise forbids."
    )
