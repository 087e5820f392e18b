"""The formats of an audit."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from grader.audit.reports.formats import FORMATS
from grader.audit.reports.phrases import headline, percent
from grader.audit.result import Audit, SuiteCheck, Survivor
from grader.authoring.sources.assignment import Assignment
from tests.conftest import Goldens

GOLDEN = Path(__file__).parents[1] / "golden" / "audit" / "reports"

SOLUTION = (
    "import numpy as np\n\n\ndef softmax(x):\n    e = np.exp(x - x.max())\n    return e / e.sum()\n"
)
MISTAKE = Survivor(
    change="known mistake in softmax: maximum-not-subtracted (stable-softmax)",
    diff="--- softmax.py\n+++ softmax.py\n@@ -5,2 +5,2 @@\n-    e = np.exp(x - x.max())\n+    e = np.exp(x)\n     return e / e.sum()\n",
    line=5,
    example="softmax(np.array([1000.0, 0.0]))",
    expected="[1. 0.]",
    got="[nan  0.]",
    test="def test_softmax_of_large_values():\n    assert np.allclose(softmax(np.array([1000.0, 0.0])), [1.0, 0.0])\n",
    test_name="test_softmax_of_large_values",
    misconception="The maximum is not subtracted",
)
MUTANT = replace(MISTAKE, change="`-` becomes `+`", misconception=None, line=6, test=None)
AUDIT = Audit(
    Assignment(
        "week <1>",
        "pytest",
        "softmax.py",
        {"softmax.py": SOLUTION},
        {"test_softmax.py": ""},
        notes=("starter.py is left out",),
        source="homework/week 1/softmax.py",
    ),
    checks=(
        SuiteCheck("solution passes", "ok", "The solution passes 3 tests."),
        SuiteCheck("time", "note", "The slowest test takes 2.0 s.", ("test_a",)),
        SuiteCheck("never calls", "hole", "1 of 3 tests never calls the solution.", ("test_b",)),
    ),
    survivors=(MUTANT, MISTAKE),
    equivalent=(replace(MUTANT, change="`0` becomes `-0`", example=None),),
    accepted=(replace(MUTANT, change="a loop counts down"),),
    killed=9,
    seconds=1.5,
    misconceptions=3,
    unread=(replace(MUTANT, change="`self.n = 0` becomes `self.n = 1`"),),
)
CLEAN = replace(AUDIT, survivors=(), checks=AUDIT.checks[:2])


@pytest.mark.parametrize("name", FORMATS)
def test_formats_come_out_as_they_are(name: str, goldens: Goldens) -> None:
    """One assignment with every kind of finding."""
    goldens.check(GOLDEN / f"audit.{name}", FORMATS[name]([AUDIT]))
    there = [path for path in GOLDEN.iterdir() if path.suffix.removeprefix(".") not in FORMATS]
    goldens.check_all(there, [])


def test_the_gravest_finding_comes_first() -> None:
    """A failing solution, known mistakes, weak tests, changes; then nothing is left to say."""
    broken = SuiteCheck("solution passes", "hole", "The solution fails 1 of 3 tests.")
    audit = replace(AUDIT, checks=(*AUDIT.checks[1:], broken))
    assert headline(audit) == [
        "The solution fails 1 of 3 tests.",
        "1 of 3 known mistakes passes all tests; the first: The maximum is not subtracted.",
        "1 of 3 tests never calls the solution.",
        "1 small change of the solution passes all tests; the first: `-` becomes `+`.",
    ]
    assert headline(CLEAN) == ["No hole was found: the tests reject all 9 wrong programs."]
    first = FORMATS["text"]([AUDIT]).splitlines()[0]
    assert first.startswith("week <1> (pytest): 1 of 3 known mistakes passes")


def test_a_part_left_out_comes_first_and_a_change_of_a_dtype_last() -> None:
    """Few tasks promise a dtype, and every test should notice what is missing."""
    dtype = replace(MUTANT, change="`float` becomes `int`", operator="other-dtype")
    dropped = replace(MUTANT, change="`x / 2` becomes `x`", line=7, operator="drop-scale")
    audit = replace(AUDIT, survivors=(dtype, MUTANT, dropped), checks=())
    assert headline(audit) == [
        "3 small changes of the solution pass all tests; the first: `x / 2` becomes `x`."
    ]
    text = FORMATS["text"]([audit])
    assert text.index("2. softmax.py:6: `-`") < text.index("3. softmax.py:6: `float`")


def test_the_headline_names_three_known_mistakes() -> None:
    """The rest are counted."""
    known = [replace(MISTAKE, change=str(each), misconception=f"no {each}") for each in range(4)]
    audit = replace(AUDIT, survivors=tuple(known), checks=(), misconceptions=5)
    assert headline(audit) == ["4 of 5 known mistakes pass all tests; the first: no 0, no 1, no 2."]


def test_several_audits_begin_with_a_sum() -> None:
    """In every format for people."""
    for name in ("text", "markdown", "html"):
        said = FORMATS[name]([AUDIT, CLEAN])
        assert (
            "1 of 2 assignments has holes. The tests reject 18 of 20 wrong programs (90 %)." in said
        )


def test_only_all_is_all() -> None:
    """A share is rounded, but never to 100 % or 0 %."""
    assert [percent(999, 1000), percent(1, 1000), percent(5, 5), percent(0, 5)] == [
        "99 %",
        "1 %",
        "100 %",
        "0 %",
    ]


def test_nothing_of_an_assignment_is_markup() -> None:
    """Names and values are written by others."""
    evil = replace(
        MISTAKE,
        change="<script>x</script> | [a](b) `c`",
        misconception="<script>x</script> | [a](b) `c`",
        diff="```\n<b>\x1b[31m",
        example="f('</pre>')",
        test="````\n",
    )
    audit = replace(AUDIT, survivors=(evil,))
    for name in ("html", "markdown", "text"):
        assert "\x1b" not in FORMATS[name]([audit])
    page = FORMATS["html"]([audit])
    tags: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  its parameter
            tags.add(tag)

    Tags().feed(page)
    assert "script" not in tags
    assert "&lt;script&gt;" in page
    marked = FORMATS["markdown"]([audit])
    assert r"\<script\>x\</script\> \| \[a\](b) \`c\`" in marked
    assert re.search(r"^`{4}diff$", marked, re.MULTILINE)
    assert re.search(r"^`{5}python$", marked, re.MULTILINE)


def test_a_test_that_rejects_several_is_shown_once() -> None:
    """The other mutants refer to it by name."""
    audit = replace(
        AUDIT, survivors=(replace(MUTANT, test=MISTAKE.test, test_name=MISTAKE.test_name), MISTAKE)
    )
    for name in ("text", "markdown", "html"):
        said = FORMATS[name]([audit])
        assert said.count("def test_softmax_of_large_values") == 1
        assert re.search("test_softmax_of_large_values(?:`|</code>)?, shown above", said)


def test_sarif_puts_holes_at_lines_of_the_solution() -> None:
    """A line of a notebook's cells is not a line of its file."""

    def found(audit: Audit) -> list[tuple[str, str, int]]:
        (run,) = json.loads(FORMATS["sarif"]([audit]))["runs"]
        places = [each["locations"][0]["physicalLocation"] for each in run["results"]]
        uris = [place["artifactLocation"]["uri"] for place in places]
        lines = [place["region"]["startLine"] for place in places]
        return [*zip((each["ruleId"] for each in run["results"]), uris, lines, strict=True)]

    file = "homework/week%201/softmax.py"
    assert found(AUDIT) == [("check", file, 1), ("survivor", file, 6), ("known-mistake", file, 5)]
    book = replace(AUDIT, assignment=replace(AUDIT.assignment, source="week.ipynb"))
    assert {line for _, _, line in found(book)} == {1}
    assert found(CLEAN) == []


def test_json_holds_everything() -> None:
    """Each survivor with its test; the score as a number."""
    (entry,) = json.loads(FORMATS["json"]([AUDIT]))["audits"]
    assert (entry["killed"], entry["distinguishable"], entry["has_holes"]) == (9, 11, True)
    assert entry["score"] == pytest.approx(9 / 11)
    assert entry["survivors"][1]["test"] == MISTAKE.test
    assert entry["headline"] == headline(AUDIT)


def test_a_badge_says_the_share() -> None:
    """The share is that of all audits together, and is also readable without colours."""
    badge = ET.fromstring(FORMATS["badge"]([AUDIT, CLEAN]))  # noqa: S314  our own text
    assert badge.attrib["aria-label"] == "wrong answers rejected: 90%"
    none = replace(CLEAN, killed=0)
    assert "wrong answers rejected: none" in FORMATS["badge"]([none])
