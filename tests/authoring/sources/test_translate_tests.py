"""Test modules of unittest and pytest as bodies: what is translated, and what is said not to be."""

import textwrap
from collections.abc import Mapping
from types import MappingProxyType

import pytest

from grader.authoring.sources.draft import Draft
from grader.authoring.sources.program_parts import find_operators, read_program
from grader.authoring.sources.translate_tests import add_tests


def translate(source: str, data: Mapping[str, str] = MappingProxyType({})) -> Draft:
    draft = Draft("", solution="def f(x): ...\ndef double(x): ...\n")
    add_tests(draft, [source], {"stub"}, data)
    return draft


def of_method(body: str, more: str = "") -> Draft:
    source = f"import unittest\nfrom stub import f\n{more}\n\nclass T(unittest.TestCase):\n"
    source += "    def test_it(self):\n" + textwrap.indent(body, "        ")
    return translate(source)


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("self.assertEqual(f(1), 2)", "assert f(1) == 2"),
        ("self.assertEqual(f(1), 2, 'why')", "assert f(1) == 2, 'why'"),
        ("self.assertFalse(f(1))", "assert not f(1)"),
        ("self.assertIsNone(f(1))", "assert f(1) is None"),
        ("self.assertNotIn(3, f(1))", "assert 3 not in f(1)"),
        ("self.assertAlmostEqual(f(1), 0.5, places=3)", "assert round(abs(f(1) - 0.5), 3) == 0"),
        ("self.assertRegex(f(1), 'a+')", "import re\nassert re.search('a+', f(1))"),
        ("self.assertRaises(ValueError, f, 1)", "pytest.raises(ValueError, f, 1)"),
        (
            "self.assertCountEqual(f(1), [1])",
            "assert sorted(f(1), key=repr) == sorted([1], key=repr)",
        ),
        (
            "with self.assertRaisesRegex(ValueError, 'no'):\n    f(1)",
            "with pytest.raises(ValueError, match='no'):\n    f(1)",
        ),
        ("with self.subTest(n=1):\n    self.assertTrue(f(1))", "assert f(1)"),
    ],
)
def test_assertions_become_asserts(method: str, body: str) -> None:
    """One test for each method, its body without `self`."""
    (test,) = of_method(method).tests
    assert (test.id, test.key, test.code.rstrip("\n")) == ("it", "pytest", body)


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        ("with self.assertLogs():\n    f(1)", "self.assertLogs"),
        ("self.skipTest('no')", "self.skipTest"),
        ("f(self)", "the test object itself"),
        ("self.unknown(f(1))", "self.unknown"),
        ("import torch\nself.assertEqual(f(1), torch)", "'torch'"),
    ],
)
def test_what_has_no_such_form_is_kept_and_said(method: str, reason: str) -> None:
    """No test comes of it; its source is a note, and the reason is in the report."""
    finished = of_method(method)
    assert finished.tests == []
    assert [name for name, _ in finished.notes] == ["test_it"]
    assert reason in finished.remarks[0]


def test_functions_of_pytest_are_tests_too() -> None:
    """Parameters become loops, fixtures are refused, names keep their own spelling."""
    finished = translate(
        textwrap.dedent(
            """
            import pytest
            import stub as s
            LIMIT = 3

            @pytest.mark.parametrize("n, twice", [(1, 2), (2, 4)])
            def test_twice(n, twice):
                assert s.double(n) == twice < LIMIT + 2

            def test_with_fixture(tmp_path):
                assert s.double(tmp_path)
            """
        ),
    )
    assert [test.code for test in finished.tests] == [
        "LIMIT = 3\nfor n, twice in [(1, 2), (2, 4)]:\n    assert double(n) == twice < LIMIT + 2\n"
    ]
    assert [*finished.defines] == ["double"]
    assert "the fixture 'tmp_path'" in finished.remarks[0]


def test_a_file_that_is_no_python_is_a_note() -> None:
    """Nothing is lost, and nothing raises."""
    finished = translate("def (")
    assert (finished.tests, finished.notes) == ([], [("test file", "def (")])


def test_helpers_named_like_assertions_stay_helpers() -> None:
    """A class may define its own `assertSame`, or return the result of `assertRaises`."""
    more = "class Base:\n    pass\n"  # no tests in it: it is left alone
    source = (
        f"import unittest\nfrom stub import f\n{more}\nclass T(unittest.TestCase):\n"
        "    def assertSame(self, a, b):\n        self.assertEqual(a, b)\n"
        "    def refused(self):\n        return self.assertRaises(ValueError)\n"
        "    def test_it(self):\n        self.assertSame(f(1), 1)\n"
        "        with self.refused() as caught:\n            f(2)\n"
        "        self.assertEqual(str(caught.exception), 'no')\n"
        "        self.assertEqual(type(caught.exception), ValueError)\n"
    )
    (test,) = translate(source).tests
    assert "def assertSame(a, b):\n    assert a == b" in test.code
    assert "return pytest.raises(ValueError)" in test.code
    assert "assert str(caught.value) == 'no'" in test.code
    assert "assert isinstance(caught.value, ValueError)" in test.code


@pytest.mark.parametrize("own", ["self, ", "self, /, "])
def test_helpers_lose_self_and_the_annotations_of_their_parameters(own: str) -> None:
    """The types that they name need not be there."""
    source = (
        "import unittest\nfrom stub import f\n\nclass T(unittest.TestCase):\n"
        f"    def gives({own}x: int, *rest: str, y: float = 2.0) -> None:\n"
        "        self.assertEqual(f(x), y)\n"
        "    def test_it(self):\n        self.gives(1, y=3)\n"
    )
    (test,) = translate(source).tests
    assert "def gives(x, *rest, y=2.0):\n    assert f(x) == y" in test.code


def test_a_file_of_too_many_tests_is_remarked_once() -> None:
    """The first 500 are taken."""
    tests = "".join(f"def test_{n}():\n    assert f({n})\n" for n in range(503))
    finished = translate(f"from stub import f\n{tests}")
    assert len(finished.tests) == 500
    assert finished.remarks == ["more than 500 tests; test_500 and what follows was left out"]


def test_what_a_test_needs_of_a_module_beside_it_comes_first() -> None:
    """It comes first however it is imported; the rest of the module stays away."""
    data = {"cards": "import math\nACE = 1\nKING = 10 + ACE\nQUEEN = 9\n", "stock": "ITEMS = [3]\n"}
    source = (
        "import stock as s\nfrom cards import KING as top\nfrom stub import f\n"
        "def test_it():\n    assert f(top) == s.ITEMS\n"
    )
    (test,) = translate(source, data).tests
    assert test.code == "ITEMS = [3]\nACE = 1\nKING = 10 + ACE\nassert f(KING) == ITEMS\n"
    finished = translate("import gone\n" + source, {"stock": "def ("})
    assert finished.tests == []


@pytest.mark.parametrize(
    ("source", "operators"),
    [
        ("class A:\n    def __add__(self, b): ...\n    __radd__ = __add__", ["+"]),
        ("@functools.total_ordering\nclass A:\n    def __eq__(self, b): ...", ["==", "!=", "<", "<=", ">", ">="]),
        ("@dataclass\nclass A:\n    x: int", ["==", "!="]),
        ("class A:\n    def __contains__(self, x): ...", ["in"]),
        ("class A:\n    def __len__(self): ...", []),
        ("def A(): ...", []),
    ],
)  # fmt: skip
def test_the_operators_of_a_class_are_found(source: str, operators: list[str]) -> None:
    """Tests may then use them on its objects."""
    program = read_program(source)
    assert program is not None
    assert find_operators(program, "A") == operators
