"""Names that a piece of Python needs from elsewhere, and names that it sets for others."""

import ast

import pytest

from grader.definitions.python_names import find_names


@pytest.mark.parametrize(
    ("code", "sets", "needs"),
    [
        ("x = y", "x", "y"),
        ("x += 1", "x", ""),
        ("x: int = y", "x", "int y"),
        ("(x, [*y]), z.a, w[0] = v", "x y", "z w v"),
        ("def f(x, *y, z=w, **v): return x + y + z + v + u", "f", "w u"),
        ("async def f(x): await g(x)", "f", "g"),
        ("lambda x: x + y", "", "y"),
        ("class A(B):\n  x = y\n  def f(self): return self.x", "A", "B y"),
        ("[x + y for x in z if x for w in x]", "", "y z"),
        ("{x: v for x, v in z}", "", "z"),
        ("[x := y for y in z]", "x", "z"),
        ("def f():\n  [x := y for y in z]\n  return x", "f", "z"),
        ("def f():\n  global x\n  x = 1", "f x", ""),
        ("for x in y: z", "x", "y z"),
        ("with x as y, z: pass", "y", "x z"),
        ("try: pass\nexcept E as e: e", "e", "E"),
        ("import a.b, c as d", "a d", ""),
        ("from a import b, c as d", "b d", ""),
        ("match x:\n  case [y, *z]: pass\n  case {'a': w, **v}: pass", "y z w v", "x"),
        ("match x:\n  case A(b=y) | y: pass", "y", "x A"),
        ("print(x)\nx = 1", "x", "print"),
        ("del x", "x", ""),
    ],
)
def test_names(code: str, sets: str, needs: str) -> None:
    """What any scope sets is its own; only what the top level sets is there for others."""
    found = find_names(ast.parse(code))
    assert found.sets == set(sets.split())
    assert found.needs.keys() == set(needs.split())
    assert found.is_certain


def test_the_first_use_is_kept() -> None:
    """The place of a name is that of its first use."""
    found = find_names(ast.parse("y = 1\ny + x\nx"))
    assert (found.needs["x"].lineno, found.needs["x"].col_offset) == (2, 4)


def test_modules() -> None:
    """A name that only an import sets is a module, unless something else sets it, too."""
    assert find_names(ast.parse("import a, b as c, d.e\nfrom f import g")).modules == {
        "a",
        "c",
        "d",
    }
    assert find_names(ast.parse("import a\na = 1")).modules == set()


@pytest.mark.parametrize(
    "code", ["from a import *", "exec(x)", "globals()['x'] = 1", "def f(): vars().update(x=1)"]
)
def test_nothing_is_certain_where_names_are_set_unseen(code: str) -> None:
    """A star import and its like may set any name."""
    assert not find_names(ast.parse(code)).is_certain
