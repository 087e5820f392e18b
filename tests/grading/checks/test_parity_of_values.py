"""Bodies about layouts, types and exceptions mean in the grader what they mean in plain pytest."""

from typing import Final

import pytest

from tests.grading.checks.plain_pytest import Probe, some_quick
from tests.grading.conftest import Agree


def _layout(given: str, right: str, wrong: str) -> Probe:
    """A probe of what a function sees of an array."""
    return Probe("assert f(x)", f"def f(x): return {right}", f"def f(x): return {wrong}", given)


def _result(
    body: str, right: str, wrong: str, imports: str = "import numpy as np", given: str = ""
) -> Probe:
    """A probe of what a function returns."""
    first = f"{imports}\n" if imports else ""
    program = f"{first}def f(x=0): return "
    return Probe(body, f"{program}{right}\n", f"{program}{wrong}\n", given)


def _raising(body: str, right: str, wrong: str = "pass", before: str = "") -> Probe:
    """A probe of what a function raises."""
    program = f"import numpy as np\n{before}\ndef f(x=0):\n    "
    return Probe(body, f"{program}{right}\n", f"{program}{wrong}\n")


_C: Final = "x = np.arange(6.0).reshape(2, 3)"
_F: Final = "x = np.asfortranarray(np.arange(6.0).reshape(2, 3))"
_EVERY_SECOND: Final = "x = np.arange(10.0)[::2]"
_LOCKED: Final = "x = np.arange(3.0)\nx.setflags(write=False)"
_IN_PLACE: Final = "def f(x):\n    x += 1\n    return x"
_NEW: Final = "def f(x):\n    return x + 1"
_FROM: Final = "from {0} import *\nimport numpy as np".format
_NAMED: Final = """
from typing import NamedTuple
import numpy as np
class _Out(NamedTuple):
    output: np.ndarray
    weights: float = 0.5
"""
_ENUM: Final = """
from enum import IntEnum, StrEnum
class _Color(IntEnum):
    RED = 1
    BLUE = 2
class _Word(StrEnum):
    A = "a"
    B = "b"
"""
_OWN: Final = """
import numpy as np
class _Degrees(float): pass
class _Count(int): pass
class _Text(str): pass
class _Matrix(np.ndarray): pass
class _Row(tuple): pass
class _Mine(ValueError):
    def __init__(self, message, code=0):
        super().__init__(message)
        self.code = code
"""
_CAUGHT: Final = "with pytest.raises({0}) as caught:\n    f()\n".format

PROBES: Final = {
    # Layout of arrays in memory
    "C order": _layout(_C, "x.flags.c_contiguous", "x.flags.f_contiguous"),
    "Fortran order": _layout(_F, "x.flags.f_contiguous", "x.flags.c_contiguous"),
    "no numbers": _layout("x = np.zeros((0, 3), order='F')", "x.shape == (0, 3)", "x.size"),
    "in a list": Probe(
        "assert f([x])", "def f(x): return x[0].flags.f_contiguous", "def f(x): return x[0].flags.c_contiguous", _F
    ),
    "made by the body": Probe(
        "assert f(np.ones((2, 3), order='F'))",
        "def f(x): return x.flags.f_contiguous", "def f(x): return x.flags.c_contiguous",
    ),
    "read-only": _layout(_LOCKED, "not x.flags.writeable", "x.flags.writeable"),
    "read-only input not changed": Probe("assert f(x)[0] == 1", _NEW, _IN_PLACE, _LOCKED),
    "read-only input changed": Probe(
        "with pytest.raises(ValueError, match='read-only'):\n    f(x)", _IN_PLACE, _NEW, _LOCKED
    ),
    "big-endian": _layout("x = np.arange(3, dtype='>i4')", "x.sum() == 3 and x[2] == 2", "x[2] != 2"),
    "result in Fortran order": _result("assert f().flags.f_contiguous", "np.ones((2, 3), order='F')", "np.ones((2, 3))"),
    "read-only result": _result("assert not f().flags.writeable", "np.broadcast_to(1.0, 3)", "np.ones(3)"),
    "result handed on": Probe(
        "assert g(f())",
        "import numpy as np\ndef f(): return np.ones((2, 3)).T\ndef g(x): return x.flags.f_contiguous",
        "import numpy as np\ndef f(): return np.ones((3, 2))\ndef g(x): return x.flags.f_contiguous",
    ),
    # Named tuples, enumerations and subclasses
    "named tuple is a tuple": _result("assert isinstance(f(), tuple) and len(f()) == 2", "_Out(1)", "[1, 2]", _NAMED),
    "named tuple in a list": _result("assert f()[0].weights == 2", "[_Out(1, 2)]", "[_Out(1, 3)]", _NAMED),
    "named tuple handed on": Probe(
        "assert g(f()) == 0.5", f"{_NAMED}def f(): return _Out(1)\ndef g(o): return o.weights",
        f"{_NAMED}def f(): return _Out(1, 2)\ndef g(o): return o.weights",
    ),
    "named tuple of the test": Probe(
        "assert f(P(1, 2)) == 2", "def f(p): return p.y", "def f(p): return p[0]",
        "from collections import namedtuple\nP = namedtuple('P', 'x y')",
    ),
    "IntEnum is an int": _result("assert isinstance(f(), int)", "_Color.RED", "'RED'", _ENUM),
    "name of a member": _result("assert f().name == 'RED'", "_Color.RED", "_Color.BLUE", _ENUM),
    "StrEnum as a text": _result("assert f() == 'a' and f().upper() == 'A'", "_Word.A", "_Word.B", _ENUM),
    "members as keys": _result("assert f()[1] == 'x'", "{_Color.RED: 'x'}", "{_Color.RED: 'y'}", _ENUM),
    "subclass of float": _result("assert f() == 2.5 and f() / 2 == 1.25", "_Degrees(2.5)", "_Degrees(2)", _OWN),
    "subclass of str": _result("assert f() == 'a' and f() + 'b' == 'ab'", "_Text('a')", "_Text('b')", _OWN),
    "subclass of tuple": _result("assert f() == (1, 2)", "_Row((1, 2))", "_Row((2, 1))", _OWN),
    "subclass of ndarray": _result(
        "np.testing.assert_array_equal(f(), [1, 2])", "np.array([1, 2]).view(_Matrix)", "np.array([1, 3]).view(_Matrix)", _OWN
    ),
    # Types of the standard library
    "bytearray": _result("assert f() == b'ab' and f()[0] == 97", "bytearray(b'ab')", "bytearray(b'b')"),
    "deque": _result("assert list(f()) == [1, 2] and f().popleft() == 1", "deque([1, 2])", "deque([2, 1])", _FROM("collections")),
    "deque as an argument": Probe(
        "assert f(deque([1, 2])) == 2", "def f(d): return d.pop()", "def f(d): return d.popleft()", "from collections import deque"
    ),
    "Counter": _result("assert f()['a'] == 2 and f()['z'] == 0", "Counter('aab')", "Counter('ab')", _FROM("collections")),
    "default of a defaultdict": _result("assert f()['new'] == []", "defaultdict(list)", "{}", _FROM("collections")),
    "defaultdict as an argument": Probe(
        "assert f(d) == []", "def f(d): return d['new']", "def f(d): return d.get('new')",
        "from collections import defaultdict\nd = defaultdict(list)",
    ),
    "Decimal as an argument": Probe(
        "assert f(Decimal('0.1')) == Decimal('0.2')", "def f(d): return d + d", "def f(d): return d", "from decimal import Decimal"
    ),
    "date as an argument": Probe(
        "assert f(date(2020, 1, 1)) == date(2020, 1, 2)", "from datetime import timedelta\ndef f(d): return d + timedelta(days=1)",
        "def f(d): return d", "from datetime import date",
    ),
    # Arrays of other dtypes
    "structured array as an argument": Probe(
        "assert f(x) == 3", "def f(x): return x['n'].sum()", "def f(x): return len(x['n'])", "x = np.array([(1, 'a'), (2, 'b')], [('n', 'i8'), ('t', 'U1')])"
    ),
    "masked array": _result("assert f().sum() == 3 and f().mask.any()", "np.ma.array([1, 2, 5], mask=[0, 0, 1])", "np.ma.array([1, 2, 5], mask=[0, 1, 0])"),
    "masked array as an argument": Probe("assert f(x) == 1", "def f(x): return x.sum()", "def f(x): return x.data.sum()", "x = np.ma.array([1, 5], mask=[False, True])"),
    # Exceptions
    "Exception with a message": _raising("with pytest.raises(Exception, match='too small'):\n    f()", "raise Exception('too small')", "raise Exception('too large')"),
    "args of arrays": _raising(f"{_CAUGHT('ValueError')}assert caught.value.args[0].sum() == 3", "raise ValueError(np.ones(3))", "raise ValueError(np.ones(2))"),
    "type": _raising(f"{_CAUGHT('ValueError')}assert type(caught.value) is ValueError", "raise ValueError", "np.linalg.inv(np.zeros((2, 2)))"),
    "key of a KeyError": _raising(f"{_CAUGHT('KeyError')}assert caught.value.args[0] == 'k' and str(caught.value) == repr('k')", "raise KeyError('k')", "raise KeyError('l')"),
    "cause": _raising(f"{_CAUGHT('ValueError')}assert isinstance(caught.value.__cause__, KeyError)", "raise ValueError from KeyError('k')", "raise ValueError"),
    "attribute": _raising(f"{_CAUGHT('ValueError')}assert caught.value.code == 7", "raise _Mine('m', 7)", "raise _Mine('m')", _OWN),
    "own class": _raising("with pytest.raises(ValueError, match='^m$'):\n    f()", "raise _Mine('m')", "raise _Mine('n')", _OWN),
    "name of an own class": _raising(f"{_CAUGHT('ValueError')}assert type(caught.value).__name__ == '_Mine'", "raise _Mine('m')", "raise ValueError('m')", _OWN),
    "note": _raising("with pytest.raises(ValueError, match='more'):\n    f()", "e = ValueError('m'); e.add_note('more'); raise e", "raise ValueError('m')"),
    "OSError": _raising(f"{_CAUGHT('OSError')}assert caught.value.errno == 2", "raise OSError(2, 'no such file')", "raise OSError(3, 'no such file')"),
    "FileNotFoundError": _raising("with pytest.raises(FileNotFoundError):\n    f()", "raise OSError(2, 'no such file')", "raise OSError(13, 'not allowed')"),
    "StopIteration": _raising("with pytest.raises(StopIteration):\n    f()", "next(iter([]))", "next(iter([1]))"),
    "value of StopIteration": _raising(f"{_CAUGHT('StopIteration')}assert caught.value.value == 3", "raise StopIteration(3)", "raise StopIteration(4)"),
    "SystemExit": _raising(f"{_CAUGHT('SystemExit')}assert caught.value.code == 2", "raise SystemExit(2)", "raise SystemExit(3)"),
    "UnicodeDecodeError": _raising(f"{_CAUGHT('UnicodeDecodeError')}assert caught.value.start == 1", "b'a\\xff'.decode()", "b'\\xff'.decode()"),
    "LinAlgError": _raising("with pytest.raises(np.linalg.LinAlgError):\n    f()", "np.linalg.inv(np.zeros((2, 2)))", "raise ValueError"),
    "AxisError": _raising(f"{_CAUGHT('np.exceptions.AxisError')}assert caught.value.axis == 3", "np.ones(2).sum(axis=3)", "np.ones(2).sum(axis=4)"),
    "caught by the body": _raising("try:\n    f()\nexcept ArithmeticError as error:\n    assert 'zero' in str(error)\nelse:\n    assert False", "1 // 0", "pass"),
    **{
        kind: _raising(f"with pytest.raises({kind}):\n    f()", f"raise {kind}('m')", "raise Exception('m')")
        for kind in ("TimeoutError", "BufferError", "EOFError", "NotImplementedError", "PermissionError", "UnicodeError", "StopAsyncIteration", "RecursionError", "MemoryError", "DeprecationWarning", "AssertionError", "NameError")
    },
}  # fmt: skip


@pytest.mark.parametrize("name", some_quick(PROBES))
def test_a_body_about_values_means_what_it_means_in_plain_python(agree: Agree, name: str) -> None:
    """A right program passes and a wrong one fails in both."""
    agree(PROBES[name])
