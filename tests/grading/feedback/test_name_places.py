"""Submissions in which the name that is asked for seems to be missing, or is there twice."""

import pytest

from grader.definitions.wording import did_you_mean, other_letter
from grader.grading.feedback.name_places import find_places
from grader.grading.results.verdict import Outcome
from tests.grading.conftest import GradeAll

TEST = {"given": {"x": 2.0}, "call": "f(x)", "expect": 4.0}
F = "def f(x):\n    return 2 * x\n"
INSIDE = F.replace("\n", "\n    ").rstrip(" ")
LEFT = "Move it to the left edge of your file"
MISSING = {
    "in a comment": (
        "".join(f"# {line}\n" for line in F.splitlines()),
        "(line 1) stands in a comm",
    ),
    "in a text": (f'code = """\n{F}"""\n', "`f` (line 2) stands in a text, between quotes"),
    "only for a script": (
        f'if __name__ == "__main__":\n    {INSIDE}',
        'under `if __name__ == "__main__":` (line 1), which does not run when the tests import',
    ),
    "in a branch": (f"if not True:\n    {INSIDE}", "stands under `if not True:` (line 1)"),
    "in a loop": (f"for _ in ():\n    {INSIDE}", "stands under `for _ in ():` (line 1)"),
    "in a function": (f"def main():\n    {INSIDE}", f"(line 2) stands inside `main`. {LEFT}."),
    "in a coroutine": (f"async def main():\n    {INSIDE}", "(line 2) stands inside `main`."),
    "in a class": (
        f"class Model:\n    {INSIDE}",
        f"stands inside `class Model`. {LEFT}, and write it without `self`.",
    ),
    "first in a text, then in a branch": (
        f'"""\n{F}"""\nif 0:\n    {INSIDE}',
        "`f` (line 6) stands under `if 0:` (line 5)",
    ),
    "deleted": (f"{F}del f\n", "`f` (line 1) is deleted in line 3. Take out the `del`."),
    "nowhere": ("# f(x) comes here\n", "There is no function `f` in your code; the tests call"),
}


@pytest.mark.parametrize("where", MISSING)
def test_a_name_that_stands_elsewhere_is_said_to_stand_there(
    grade_all: GradeAll, where: str
) -> None:
    """And with its line, so that it can be moved; of any other nothing of the kind is said."""
    source, words = MISSING[where]
    verdict = grade_all(source, TEST)
    assert verdict.outcome is Outcome.FAILED
    assert words in verdict.message


LOOKS_ALIKE = {
    "the name": ("def sc\u043ere(x):\n    return 2 * x\n", "Letter 3 of `sc\u043ere`", "Cyrillic"),
    "a Greek letter": ("def sc\u03bfre(x):\n    return 2 * x\n", "`\u03bf`, which is a Greek", ""),
    "an accent": ("def scor\u00e9(x):\n    return 2 * x\n", "is `\u00e9`, not `e`", ""),
    "a parameter": ("def score(\u0445):\n    return 2 * x\n", "Letter 1 of `\u0445`", "Cyrillic"),
    "a function of NumPy": (
        "import numpy as np\n\n\ndef score(x):\n    return np.s\u0443m(x)\n",
        "Letter 2 of `s\u0443m`",
        "Cyrillic",
    ),
    "a keyword": ("d\u0435f score(x):\n    return 2 * x\n", "Letter 2 of `d\u0435f`", "Cyrillic"),
}


@pytest.mark.parametrize("place", LOOKS_ALIKE)
def test_a_letter_of_another_script_is_named(grade_all: GradeAll, place: str) -> None:
    """Two names that look the same do not help."""
    source, *words = LOOKS_ALIKE[place]
    verdict = grade_all(source, {**TEST, "call": "score(x)"}, defines={"score": {}})
    message = verdict.message or verdict.tests[0].message
    assert all(each in message for each in words), message
    assert "Type the name again." in message


def test_a_name_with_other_plain_letters_does_not_look_alike() -> None:
    """A name of another length, or with nothing in common, does not look alike either."""
    for written in ("scare", "scor", "\u03b1\u03b2\u03b3\u03b4\u03b5", "score"):
        assert other_letter(written, "score") == ""


def test_a_suggestion_names_the_letter_that_makes_the_difference() -> None:
    """Otherwise both would look the same."""
    said = did_you_mean("r\u043ew-shares", ["row-shares"])
    assert said.startswith("; did you mean 'row-shares'? Letter 2 of `r\u043ew-shares` is ")
    assert did_you_mean("row-share", ["row-shares"]) == "; did you mean 'row-shares'?"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (f"{F}\n\ndef f(x):\n    return None\n", "`f` is defined in lines 1 and 5: the last one"),
        (f"{F}\n\nf = 3\n", "it is an int. `f` is defined in lines 1 and 5: the last one counts."),
    ],
)
def test_both_places_of_a_name_defined_twice_are_said(
    grade_all: GradeAll, source: str, words: str
) -> None:
    """The starter may have been left under the solution."""
    verdict = grade_all(source, TEST)
    assert words in (verdict.message or verdict.tests[0].message)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return 3 * x\n\n\nf = abs and f\n",
        "if True:\n    def f(x):\n        return 3 * x\nelse:\n    def f(x):\n        return x\n",
    ],
    ids=["changed by a function", "in two branches"],
)
def test_a_name_that_is_meant_to_be_set_twice_is_no_matter(
    grade_all: GradeAll, source: str
) -> None:
    """Decorators are applied like that, and branches define one of two."""
    assert "defined in lines" not in grade_all(source, TEST).tests[0].message


def test_a_program_that_passes_may_define_a_name_twice(grade_all: GradeAll) -> None:
    """It is right, whatever its style."""
    verdict = grade_all(f"def f(x):\n    return None\n\n\n{F}", TEST)
    assert verdict.outcome is Outcome.PASSED
    assert verdict.tests[0].message == ""


def test_a_text_that_is_no_python_has_no_places() -> None:
    """Nothing is known of it."""
    assert find_places("f", "'''\ndef f(x): ...\n") == []


NOT_PYTHON = {
    "{\\rtf1\\ansi\ndef f(x): ...\n}": "This is formatted text (RTF).",
    "<!DOCTYPE html>\n<pre>def f(x): ...</pre>\n": "This is a web page, not Python.",
    "version https://git-lfs.github.com/spec/v1\noid sha256:aa\n": "a pointer of Git LFS.",
    '{"nbformat": 4, "cells": [{"cell_type": "code", "execution_count": null}]}': "a notebook.",
    '{"cells": [{"cell_type": "code", "source": []}]}': "This is a notebook.",
    '{"a": true, "b": [null]}': "This is JSON, not Python.",
    "1  def f(x):\n2      return x\n3\n": "Each line begins with its number.",
    "Traceback (most recent call last):\n  File x\n": "This is the message of an error.",
    "diff --git a/f.py b/f.py\n@@ -1 +1 @@\n": "This is a diff, a list of changes.",
    "--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-x\n": "This is a diff, a list of changes.",
    f"<<<<<<< HEAD\n{F}=======\n{F}>>>>>>> main\n": "from line 1 to line 7. Keep one",
    "def f(x):\n<<<<<<< HEAD\n    y = (1,\n=======\n    y = 2\n>>>>>>> b\n": "line 2 to line 6",
    f"{F}>>>>>>> main\n": "Git has left this line from two versions",
    f"pip install numpy\n{F}": "a command for the terminal",
}


@pytest.mark.parametrize("source", NOT_PYTHON, ids=range(len(NOT_PYTHON)))
def test_a_text_that_is_something_else_is_called_what_it_is(
    grade_all: GradeAll, source: str
) -> None:
    """Python's own words for it help no one."""
    verdict = grade_all(source, TEST)
    assert verdict.outcome is not Outcome.PASSED
    assert NOT_PYTHON[source] in verdict.message


@pytest.mark.parametrize(
    "source",
    [
        f'"""\nHeading\n=======\n<<<<<<< HEAD\n=======\n>>>>>>> x\n"""\n{F}',
        f'{{"cells": 1, "cell_type": 2}}\n{F}',
        f"--- 1\n+++ 2\n{F}",
    ],
)
def test_a_program_that_looks_like_something_else_is_run(grade_all: GradeAll, source: str) -> None:
    """What Python can read is Python."""
    assert grade_all(source, TEST).outcome is Outcome.PASSED
