"""Bodies about objects and calls mean in the grader what they mean in plain pytest."""

from typing import Final

import pytest

from tests.grading.checks import plain_pytest
from tests.grading.checks.plain_pytest import Probe, some_quick
from tests.grading.conftest import Agree

_POINT: Final = """
class Point:
    count = 0
    def __init__(self, x, y):
        self.x, self.y = x, y
    def norm(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5
"""
_VECTOR: Final = """
class V:
    def __init__(self, x): self.x = x
    def __neg__(self): return V(-self.x)
    def __iadd__(self, o): self.x += o.x; return self
    def __eq__(self, o): return isinstance(o, V) and self.x == o.x
    def __hash__(self): return hash(self.x)
    def __len__(self): return 3
    def __bool__(self): return self.x != 0
    def __contains__(self, k): return k == self.x
    def __getitem__(self, i): return [self.x, 8, 9][i]
    def __setitem__(self, i, value): self.x = value
    def __iter__(self): return iter([self.x, 1, 2])
    def __str__(self): return f"V of {self.x}"
    def __repr__(self): return f"V({self.x})"
    def __abs__(self): return abs(self.x)
    def __float__(self): return float(self.x)
    def __format__(self, spec): return "formatted " + spec
    def __call__(self, k): return k * self.x
    def __enter__(self): self.x = 100; return self
    def __exit__(self, kind, error, trace): self.x = 7; return kind is ValueError
    @property
    def double(self): return 2 * self.x
    @staticmethod
    def origin(): return V(0)
    @classmethod
    def of(cls, x): return cls(x)
    unit = "m"
"""


_KEEPS: Final = (
    "class Kept:\n    def __init__(self, x): self.x = x\n    def total(self): return self.x.sum()"
)
_COPIES: Final = _KEEPS.replace("= x", "= x.copy()")


def _v(body: str, right: str = "", wrong: str = "", given: str = "") -> Probe:
    """A probe about the vector, in which a method is replaced to be wrong."""
    spoilt = _VECTOR.replace(right, wrong)
    assert spoilt != _VECTOR
    return Probe(body, _VECTOR, spoilt, given)


_A: Final = "a = np.array([3.0, 1.0, 2.0])"
_SORTED: Final = "def f(a): return sorted(a)"
_SORTS: Final = "def f(a): a.sort(); return a"
_COMPARISONS: Final = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_ARITHMETIC: Final = {
    "+": "add", "-": "sub", "*": "mul", "@": "matmul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_OPERATED: Final = """
class V:
    def __init__(self, x): self.x = x
    def __{0}__(self, other): return f"{0} {{self.x}} {{other.x}}"
    def __r{0}__(self, other): return f"r{0} {{self.x}} {{other}}"
    def __i{0}__(self, other): return f"i{0} {{self.x}} {{other}}"
"""


def _operated(name: str, *lines: str) -> Probe:
    """A probe of an operator whose method tells its name and its operands."""
    right = _OPERATED.format(name)
    return Probe("\n".join(lines), right, right.replace(f'"{name} ', '"another '))


OPERATORS: Final = {
    **{
        operator: _operated(name, f"assert (V(7) {operator} V(2)) == '{name} 7 2'")
        for operator, name in _COMPARISONS.items()
    },
    "divmod": _operated("divmod", "assert divmod(V(7), V(2)) == 'divmod 7 2'"),
    **{
        operator: _operated(
            name,
            f"assert (V(7) {operator} V(2)) == '{name} 7 2'",
            f"assert (5 {operator} V(2)) == 'r{name} 2 5'",
            f"v = V(7)\nv {operator}= 3\nassert v == 'i{name} 7 3'",
        )
        for operator, name in _ARITHMETIC.items()
    },
}

PROBES: Final = {
    **OPERATORS,
    # Changes of arguments
    "list not changed": Probe(
        "a = [3, 1, 2]\nassert f(a) == [1, 2, 3]\nassert a == [3, 1, 2]", _SORTED, _SORTS
    ),
    "given array": Probe("f(a)\nassert a[0] == 1", _SORTS, _SORTED, _A),
    "array written by the body": Probe(
        "a[0] = 9\nassert f(a) == 12", "def f(a): return a.sum()", "def f(a): return 6", _A
    ),
    "dict filled": Probe(
        "d = {}\nf(d)\nassert d == {'k': 1}", "def f(d): d['k'] = 1", "def f(d): return {'k': 1}"
    ),
    "nested array": Probe(
        "w = np.zeros(2)\np = {'w': [w]}\nf(p)\nassert (w == 1).all()",
        "def f(p): p['w'][0] += 1",
        "def f(p): p['w'][0] = p['w'][0] + 1",
    ),
    "items swapped": Probe(
        "x, y = [1], [2]\na = [x, y]\nf(a)\nassert a[0] is y and a[1] is x",
        "def f(a): a.reverse()",
        "def f(a): a[:] = [[2], [1]]",
    ),
    "view of a larger array": Probe(
        "b = np.zeros((3, 3))\nf(b[1])\nassert b.sum() == 3", "def f(r): r += 1", "def f(r): return r + 1"
    ),
    "the same list twice": Probe(
        "a = [1]\nassert f(a, a) == [1, 5]", "def f(a, b): a.append(5); return b", "def f(a, b): return [1]"
    ),
    "array resized": Probe(
        "a = np.zeros(4)\nf(a)\nassert a.shape == (2, 2)",
        "def f(a): a.shape = (2, 2)",
        "def f(a): return a.reshape(2, 2)",
    ),
    "method changes its argument": Probe(
        "a = [1]\nA().f(a)\nassert a == [1, 2]",
        "class A:\n    def f(self, a): a.append(2)",
        "class A:\n    def f(self, a): return a + [2]",
    ),
    # Aliasing
    "the argument itself": Probe("assert f(a) is a", "def f(a): return a", "def f(a): return a.copy()", _A),
    "an item of the argument": Probe(
        "a = [[1], [2]]\nassert f(a) is a[1]", "def f(a): return a[1]", "def f(a): return list(a[1])"
    ),
    "no shared memory": Probe(
        "assert not np.shares_memory(f(a), a)", "def f(a): return a[::-1].copy()", "def f(a): return a[::-1]", _A
    ),
    "a view that is written to": Probe(
        "f(a)[0] = 7\nassert a[1] == 7", "def f(a): return a[1:]", "def f(a): return a[1:].copy()", _A
    ),
    "inner lists not shared": Probe(
        "g = f()\ng[0][0] = 1\nassert g[1][0] == 0",
        "def f(): return [[0] * 2 for _ in range(2)]",
        "def f(): return [[0] * 2] * 2",
    ),
    "two results, two arrays": Probe(
        "x, y = f()\nx[0] = 1\nassert y[0] == 0",
        "import numpy as np\ndef f(): return np.zeros(2), np.zeros(2)",
        "import numpy as np\ndef f(): return (np.zeros(2),) * 2",
    ),
    # Objects that the submission keeps
    "array kept and changed by the test": Probe(
        "p = Kept(a)\na[0] = 7\nassert p.total() == 6", _COPIES, _KEEPS, _A
    ),
    "array in a dict that is kept": Probe(
        "w = np.zeros(2)\np = Kept({'w': [w]})\nw += 1\nassert p.total() == 0",
        "class Kept:\n    def __init__(self, d): self.w = d['w'][0].copy()\n    def total(self): return self.w.sum()",
        "class Kept:\n    def __init__(self, d): self.d = d\n    def total(self): return self.d['w'][0].sum()",
    ),
    "argument changed by a later call": Probe(
        "w = np.zeros(2)\nopt = Opt(w)\nopt.step()\nassert w[0] == 1",
        "class Opt:\n    def __init__(self, w): self.w = w\n    def step(self): self.w += 1",
        "class Opt:\n    def __init__(self, w): self.w = w\n    def step(self): self.w = self.w + 1",
    ),
    "argument changed by a call that raises": Probe(
        "a = [1]\nwith pytest.raises(ValueError):\n    f(a)\nassert a == [1]",
        "def f(a): raise ValueError",
        "def f(a):\n    a.append(2)\n    raise ValueError",
    ),
    "memory of an attribute that is kept": Probe(
        "p = Kept(a)\nassert np.shares_memory(p.x, a) and p.x is a", _KEEPS, _COPIES, _A
    ),
    "attribute twice": Probe(
        "p = Kept([1])\nassert p.x is p.x", _KEEPS, "class Kept:\n    def __init__(self, x): self._x = x\n"
        "    @property\n    def x(self): return list(self._x)\n    def total(self): return 0",
    ),
    "array of an object written to": Probe(
        "p = Kept(a)\np.x[0] = 5\nassert p.total() == 8",
        _COPIES,
        "class Kept:\n    def __init__(self, x): self._x = x\n"
        "    @property\n    def x(self): return self._x.copy()\n    def total(self): return self._x.sum()",
        _A,
    ),
    "result changed by a later call": Probe(
        "p = A()\nh = p.history()\np.add(1)\nassert h == []",
        "class A:\n    def __init__(self): self.h = []\n    def add(self, k): self.h.append(k)\n"
        "    def history(self): return list(self.h)",
        "class A:\n    def __init__(self): self.h = []\n    def add(self, k): self.h.append(k)\n"
        "    def history(self): return self.h",
    ),
    "list filled by a callback": Probe(
        "assert f(lambda out: out.append(3)) == [3]",
        "def f(g):\n    out = []\n    g(out)\n    return out",
        "def f(g):\n    out = []\n    g(list(out))\n    return out",
    ),
    "object in a list that is kept": Probe(
        "ps = [Point(1, 2)]\np = Kept(ps)\nps.append(Point(3, 4))\nassert p.last().x == 3",
        _POINT + "class Kept:\n    def __init__(self, x): self.x = x\n    def last(self): return self.x[-1]",
        _POINT + "class Kept:\n    def __init__(self, x): self.x = list(x)\n    def last(self): return self.x[-1]",
    ),
    # Objects
    "attribute": Probe("assert Point(3, 4).x == 3", _POINT, _POINT.replace("x, y\n", "y, x\n")),
    "method": Probe("assert Point(3, 4).norm() == 5", _POINT, _POINT.replace("0.5", "2")),
    "attribute set": Probe("p = Point(3, 4)\np.x = 0\nassert p.norm() == 4", _POINT, _POINT.replace("** 0.5", "* 0 + 5")),
    "attribute deleted": Probe("p = Point(3, 4)\ndel p.x\nassert not hasattr(p, 'x')", _POINT),
    "hasattr": Probe("assert hasattr(Point(3, 4), 'x')", _POINT, _POINT.replace("self.x, self.y", "self.u, self.y").replace("self.x", "1")),
    "getattr with a default": Probe("assert getattr(Point(3, 4), 'z', 5) == 5", _POINT, _POINT + "    z = 1\n"),
    "vars": Probe("assert vars(Point(3, 4)) == {'x': 3, 'y': 4}", _POINT, _POINT.replace("self.x, self.y", "self.x, self.z")),
    "class attribute": _v("assert V.unit == 'm'", "'m'" if False else '"m"', '"s"'),
    "class attribute set": Probe("Point.count = 5\nassert Point(1, 2).count == 5", _POINT, _POINT.replace("self.x, self.y = x, y", "self.x, self.y, self.count = x, y, 0")),
    "static method": _v("assert V.origin().x == 0", "V(0)", "V(1)"),
    "class method": _v("assert V.of(4).x == 4", "cls(x)", "cls(0)"),
    "property": _v("assert V(4).double == 8", "2 * self.x", "self.x"),
    "isinstance": Probe(
        "assert isinstance(make(), Point)", _POINT + "def make(): return Point(1, 2)", _POINT + "def make(): return 3"
    ),
    "isinstance of a subclass": Probe(
        "assert isinstance(B(), A)\nassert issubclass(B, A)", "class A: ...\nclass B(A): ...", "class A: ...\nclass B: ..."
    ),
    "name of the class": Probe("assert type(make()).__name__ == 'P'", "class P: ...\nmake = lambda: P()".replace("make = lambda: P()", "def make(): return P()"), "class P: ...\nclass Q: ...\ndef make(): return Q()"),
    "singleton": Probe(
        "assert get() is get()", "class S: ...\n_s = S()\ndef get(): return _s", "class S: ...\ndef get(): return S()"
    ),
    "array plus an object": Probe(
        "assert (np.array([1.0]) + K()) == 'yes'",
        "class K:\n    __array_ufunc__ = None\n    def __radd__(self, o): return 'yes'",
        "class K:\n    __array_ufunc__ = None\n    def __radd__(self, o): return 'no'",
    ),
    "negative": _v("assert (-V(3)).x == -3", "V(-self.x)", "self"),
    "in-place add": _v("a = b = V(3)\na += V(1)\nassert a is b and b.x == 4", "self.x += o.x; return self", "return V(self.x + o.x)"),
    "unsupported operand": Probe(
        "with pytest.raises(TypeError):\n    A() + A()", "class A: ...", "class A:\n    def __add__(self, o): return 1"
    ),
    "equal without a method": Probe(
        "assert A(1) == A(1)",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int",
        "class A:\n    def __init__(self, x): self.x = x",
    ),
    "hash": _v("assert len({V(1), V(1)}) == 1", "hash(self.x)", "id(self)"),
    "not hashable": Probe(
        "with pytest.raises(TypeError):\n    hash(A())",
        "class A:\n    def __eq__(self, o): return True",
        "class A: ...",
    ),
    "contains": _v("assert 3 in V(3)", "k == self.x", "False"),
    "len": _v("assert len(V(1)) == 3", "return 3", "return 4"),
    "no len": Probe("with pytest.raises(TypeError):\n    len(A())", "class A: ...", "class A:\n    def __len__(self): return 1"),
    "bool": _v("assert not V(0)", "self.x != 0", "True"),
    "bool by len": Probe("assert not A()", "class A:\n    def __len__(self): return 0", "class A: ..."),
    "item": _v("assert V(1)[0] == 1", "[self.x, 8, 9]", "[7, 8, 9]"),
    "item set": _v("v = V(1)\nv[0] = 5\nassert v.x == 5", "self.x = value", "pass"),
    "list of": _v("assert list(V(7)) == [7, 1, 2]", "[self.x, 1, 2]", "[self.x]"),
    "loop by items": Probe(
        "assert list(A()) == [1, 2]",
        "class A:\n    def __getitem__(self, i): return [1, 2][i]",
        "class A:\n    def __getitem__(self, i): return [1, 2, 3][i]",
    ),
    "str": _v("assert str(V(1)) == 'V of 1'", "V of", "v of"),
    "repr": _v("assert repr(V(1)) == 'V(1)'", '"V(', '"v('),
    "f-string": _v("assert f'{V(1):x}' == 'formatted x'", '"formatted "', '""'),
    "abs": _v("assert abs(V(-3)) == 3", "abs(self.x)", "self.x"),
    "float": _v("assert float(V(3)) == 3.0", "float(self.x)", "0.0"),
    "call": _v("assert V(3)(4) == 12", "k * self.x", "k"),
    "callable": Probe("assert not callable(A())", "class A: ...", "class A:\n    def __call__(self): ..."),
    "with": _v("v = V(1)\nwith v as w:\n    assert w.x == 100\nassert v.x == 7", "self.x = 7", "pass"),
    "with that catches": _v("v = V(1)\nwith v:\n    raise ValueError('x')\nassert v.x == 7", "kind is ValueError", "False"),
    "array of an object": Probe(
        "assert np.asarray(A()).sum() == 3",
        "import numpy as np\nclass A:\n    def __array__(self, dtype=None, copy=None): return np.array([1, 2])",
        "import numpy as np\nclass A:\n    def __array__(self, dtype=None, copy=None): return np.array([1])",
    ),
    "deep copy": Probe(
        "import copy\np = Point(3, 4)\nq = copy.deepcopy(p)\np.x = 0\nassert q.x == 3",
        _POINT,
        _POINT + "    def __deepcopy__(self, memo): return self\n",
    ),
    "object as an argument": Probe(
        "p = Point(3, 4)\nmove(p)\nassert p.x == 4",
        _POINT + "def move(p): p.x += 1",
        _POINT + "def move(p): return Point(p.x + 1, p.y)",
    ),
    "enum": Probe(
        "assert C.RED.value == 1 and C.RED is C(1) and len(C) == 2 and C['BLUE'] != C.RED",
        "import enum\nclass C(enum.Enum):\n    RED = 1\n    BLUE = 2",
        "import enum\nclass C(enum.Enum):\n    RED = 0\n    BLUE = 2",
    ),
    # Functions as results and as arguments
    "closure": Probe("assert adder(2)(3) == 5", "def adder(n): return lambda x: x + n", "def adder(n): return lambda x: x"),
    "partial": Probe(
        "assert half()(6) == 3",
        "import functools, operator\ndef half(): return functools.partial(lambda k, x: x / k, 2)",
        "import functools\ndef half(): return functools.partial(lambda k, x: x * k, 2)",
    ),
    "decorator keeps the name": Probe(
        "def g(x): return x + 1\nassert log(g).__name__ == 'g'",
        "import functools\ndef log(g):\n    @functools.wraps(g)\n    def inner(x): return g(x)\n    return inner",
        "def log(g):\n    def inner(x): return g(x)\n    return inner",
    ),
    "function of the submission as an argument": Probe(
        "assert twice(inc, 1) == 3",
        "def inc(x): return x + 1\ndef twice(g, x): return g(g(x))",
        "def inc(x): return x + 1\ndef twice(g, x): return g(x)",
    ),
    "callback with a name": Probe("assert f(lambda *, x: x) == 3", "def f(g): return g(x=3)", "def f(g): return g(x=2)"),
    "callback that calls back": Probe(
        "assert f(lambda x: h(x) + 1) == 7",
        "def h(x): return 2 * x\ndef f(g): return g(3)",
        "def h(x): return x\ndef f(g): return g(3)",
    ),
    "callback that raises": Probe(
        "def g(x): raise KeyError('k')\nwith pytest.raises(KeyError):\n    f(g)",
        "def f(g): g(1)",
        "def f(g):\n    try: g(1)\n    except KeyError: pass",
    ),
    "callback that is caught": Probe(
        "def bad(x): raise ValueError('k')\nassert f(lambda x: bad(x)) == 'k'",
        "def f(g):\n    try: g(1)\n    except ValueError as e: return str(e)",
        "def f(g):\n    try: g(1)\n    except ValueError as e: return ''",
    ),
    "ufunc": Probe("assert f(np.add) == 3", "def f(g): return g(1, 2)", "def f(g): return g(1, 1)"),
    "dtype as an argument": Probe(
        "assert f(np.float32).dtype == np.float32",
        "import numpy as np\ndef f(k): return np.zeros(2, k)",
        "import numpy as np\ndef f(k): return np.zeros(2)",
    ),
    "generator as an argument": Probe("assert f(k * k for k in range(4)) == 14", "def f(g): return sum(g)", "def f(g): return len(list(g))"),
    "endless iterator as an argument": Probe(
        "import itertools\nassert f(itertools.count(3)) == [3, 4]",
        "def f(g): return [next(g), next(g)]",
        "def f(g): return [next(g)]",
    ),
    "generator as a result": Probe("assert list(f(3)) == [0, 1, 2]", "def f(n): yield from range(n)", "def f(n): yield 0"),
    "next of a generator": Probe("g = f()\nassert next(g) == 1 and next(g) == 2", "def f():\n    yield 1\n    yield 2", "def f():\n    yield 1\n    yield 1"),
    "generator that ends": Probe(
        "g = f()\nnext(g)\nassert next(g, None) is None", "def f(): yield 1", "def f():\n    yield 1\n    yield 2"
    ),
    # Warnings, output, documentation
    "warning": Probe(
        "with pytest.warns(UserWarning, match='careful'):\n    f()",
        "import warnings\ndef f(): warnings.warn('be careful')",
        "def f(): pass",
    ),
    "no warning": Probe(
        "import warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('error')\n    assert f(np.array([0.0])) <= 0",
        "import numpy as np\ndef f(x): return np.log(np.maximum(x, 1))",
        "import numpy as np\ndef f(x): return np.log(x)",
    ),
    "NumPy's warning": Probe(
        "with pytest.warns(RuntimeWarning, match='divide by zero'):\n    f(np.array([0.0]))",
        "import numpy as np\ndef f(x): return 1 / x",
        "import numpy as np\ndef f(x):\n    with np.errstate(all='ignore'): return 1 / x",
    ),
    "capsys": Probe("f()\nassert capsys.readouterr().out == 'hello\\n'", "def f(): print('hello')", "def f(): print('Hello')"),
    "capsys twice": Probe(
        "f(1)\ncapsys.readouterr()\nf(2)\nout, err = capsys.readouterr()\nassert out == '2\\n'",
        "def f(x): print(x)",
        "def f(x): print(1, x)",
    ),
    "redirected output": Probe(
        "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as out:\n    f()\nassert out.getvalue() == 'x\\n'",
        "def f(): print('x')",
        "def f(): print('y')",
    ),
    "docstring of a class and a method": Probe(
        "assert A.__doc__ == 'a' and A.f.__doc__ == 'b' and A().f.__doc__ == 'b'",
        "class A:\n    'a'\n    def f(self): 'b'",
        "class A:\n    'a'\n    def f(self): 'c'",
    ),
    "name": Probe("assert f.__name__ == 'f'", "def f(): ...", "def g(): ...\nf = g"),
    "signature": Probe(
        "import inspect\nassert list(inspect.signature(f).parameters) == ['x', 'axis']",
        "def f(x, axis=-1): ...",
        "def f(x, dim=-1): ...",
    ),
    "annotations": Probe(
        "import inspect\nassert inspect.signature(f).return_annotation is float",
        "def f(x) -> float: ...",
        "def f(x) -> int: ...",
    ),
    # What cannot be had
    "type of an object": Probe("assert type(Point(1, 2)) is Point", _POINT, refused="write 'isinstance(..., Point)'"),
    "class that derives from one of the submission": Probe(
        "class B(Point): ...\nassert B(1, 2).x == 1", _POINT, refused="no class can derive from 'Point'"
    ),
    "exception of the submission's": Probe(
        "with pytest.raises(Bad):\n    f()",
        "class Bad(Exception): ...\ndef f(): raise Bad",
        refused="'Bad' is not an exception here",
    ),
    "source": Probe("import inspect\nassert 'x' in inspect.getsource(f)", "def f(x): ...", refused="only 'inspect.signature'"),
    "code": Probe("assert f.__code__.co_argcount == 1", "def f(x): ...", refused="'__code__' of what"),
    "pickled": Probe("import pickle\nassert pickle.dumps(Point(1, 2))", _POINT, refused="cannot be pickled"),
    "module of the submission": Probe("import submission\nassert f", "def f(): ...", refused="without an import"),
    "other parts of capsys": Probe(
        "with capsys.disabled():\n    f()\nassert f", "def f(): ...", refused="only 'capsys.readouterr'"
    ),
    "a parametrised test": Probe("@pytest.mark.slow\ndef g(): ...\nassert f", "def f(): ...", refused="of pytest there are"),
}  # fmt: skip


def test_every_operator_is_tried() -> None:
    """That an exercise may list; `in` is among the other probes."""
    assert set(plain_pytest.OPERATORS) == OPERATORS.keys() | {"in"}


@pytest.mark.parametrize("name", some_quick(PROBES))
def test_a_body_about_objects_means_what_it_means_in_plain_python(agree: Agree, name: str) -> None:
    """A right program passes and a wrong one fails in both, or lint refuses the body."""
    agree(PROBES[name])
