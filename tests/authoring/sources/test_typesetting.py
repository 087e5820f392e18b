"""Undoing typesetting: quotes and dashes in code, and indentation that was lost."""

import ast
import re

import pytest

from grader.authoring.sources.indentation import reindent
from grader.authoring.sources.js_document import without_markup
from grader.authoring.sources.program_parts import parse_or_none
from grader.authoring.sources.typography import plain_code, plain_output, plain_prose

PROGRAM = '''\
import numpy as np


class Scaler:
    """Scales.

    Twice."""

    def __init__(self, factor):
        self.factor = factor

    def apply(self, values):
        out = []
        for value in values:
            if value > 0:
                out.append(value * self.factor)
            elif value == 0:
                continue
            else:
                out.append(
                    -value,
                )
        return out


def safe(x):
    # First try.
    try:
        return 1 / x
    except ZeroDivisionError:
        return 0


print(safe(2))  # a demo: half
'''


def flattened(code: str) -> str:
    return re.sub(r"^[ ]+", " ", code, flags=re.MULTILINE)


def test_a_program_gets_its_indentation_back() -> None:
    """Classes, loops, branches, handlers, brackets and docstrings find their levels."""
    restored = reindent(flattened(PROGRAM))
    assert restored.is_changed
    assert ast.dump(ast.parse(restored.code)) == ast.dump(ast.parse(PROGRAM))


def test_one_space_for_each_level_becomes_four() -> None:
    """Where the levels are still there they are only widened, and nothing is guessed."""
    narrow = re.sub(r"^ +", lambda found: found.group()[::4], PROGRAM, flags=re.MULTILINE)
    restored = reindent(narrow)
    assert (restored.is_guessed, ast.dump(ast.parse(restored.code))) == (
        False,
        ast.dump(ast.parse(narrow)),
    )


@pytest.mark.parametrize(
    "code", ["def f():\n    return 1\n", "def f():\n  return 1\n", "x = 1\n", ""]
)
def test_indentation_that_is_there_stays(code: str) -> None:
    """Two spaces are a style, no damage."""
    assert reindent(code).code == code


def test_a_guess_is_called_one() -> None:
    """After a loop in a function no one can know where the loop ends."""
    assert reindent("def f(x):\n for y in x:\n print(y)\n print(x)\n").is_guessed
    assert not reindent("def f(x):\n y = x\n return y\n").is_guessed


def test_the_last_return_belongs_to_the_function() -> None:
    """A loop that returns in its first round would be no loop."""
    restored = reindent("def f(x):\n t = 0\n for y in x:\n t += y\n return t\n\nprint(f([1]))\n")
    assert "\n    return t\n" in restored.code


@pytest.mark.parametrize(
    ("damaged", "meant"),
    [
        ("x = \u201ca\u201d", 'x = "a"'),
        ("x = 3 \u2013 1", "x = 3 - 1"),
        ("x\u00a0=\u00a01", "x = 1"),
        ("f(\u2018a\u2019,\u2026)", "f('a',...)"),
        ("x = 'it\u2019s' \u2013 1", "x = 'it\u2019s' - 1"),
        ("# it\u2019s fine \u2013 really\nx = 1", "# it\u2019s fine \u2013 really\nx = 1"),
        ("print('1 \u2013 2')", "print('1 \u2013 2')"),
    ],
)
def test_code_is_as_it_was_typed(damaged: str, meant: str) -> None:
    """What reads as it is stays; a text that would break keeps its apostrophe."""
    assert plain_code(damaged, lambda code: parse_or_none(code) is not None) == meant


def test_prose_keeps_its_typography() -> None:
    """Only spaces change there; printed text changes as code does."""
    assert plain_prose("it\u2019s\u00a0one \u2013 or two") == "it\u2019s one \u2013 or two"
    assert plain_output("\u20131 \u201ca\u201d") == '-1 "a"'


def test_markup_and_entities_go() -> None:
    """What is in a script stays as it is, and a comment is left out."""
    text = without_markup("<p>x &lt; <b>y</b></p>\n<script>a < b &lt;</script><!-- <p> -->")
    assert text.split() == ["x", "<", "y", "a", "<", "b", "&lt;"]
