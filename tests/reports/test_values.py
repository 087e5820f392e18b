"""Inputs, expected values and what came instead, in the formats for readers."""

import json
import re
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from grader.grading.results.verdict import Outcome, TestResult, ValueSummary
from grader.reports.formats import FORMATS
from grader.reports.html_heatmap import STEPS, STYLE, grounds
from grader.reports.number_cells import ink, luminance
from grader.reports.report import Batch, Report
from tests.reports.conftest import NASTY, VALUES, result, verdict

Cases: TypeAlias = dict[str, Report | Batch]

LONG = ValueSummary("float64 (6, 1)", "...", tuple((number / 4,) for number in range(6)))


def rendered(name: str, *tests: TestResult, verbose: bool = False) -> str:
    made = verdict(Outcome.FAILED, tests)
    report = Report("scaled-scores", "ada.py", "failed", made, verbose=verbose)
    return FORMATS[name].renderer().render(report)


def failing(name: str = "worked", **more: Any) -> TestResult:
    return result(name, Outcome.FAILED, message="Wrong.", **{**VALUES, **more})


def test_plain_says_one_thing_a_line() -> None:
    """Rows that belong together follow each other, and no sign stands alone."""
    lines = rendered("plain", failing(), failing("later")).splitlines()
    begin = next(n for n, line in enumerate(lines) if line.startswith("Test 1"))
    assert lines[begin + 1 :] == [
        "  Input x, int64 (3,): [1 2 3]",
        f"  Input how, str: {NASTY!r}",
        "  Expected is float64 (2, 2), yours is float64 (2, 2).",
        "  Row 0, expected: 0.50, 0.25.",
        "  Row 0, yours: 0.50, 0.75.",
        "  Row 1, expected: 0.00, 1.00.",
        "  Row 1, yours: nan, 1.00.",
        "Test 2 of 2, failed, 0/1 point: the test later. Wrong.",
    ]


def test_plain_opens_every_test_if_it_shall() -> None:
    """With `--verbose`, and then it reads every row."""
    tests = [failing(name, expected=LONG, got=LONG, worst=(4, 0), inputs=()) for name in ("one", "two")]  # fmt: skip
    short = [line.strip() for line in rendered("plain", *tests).splitlines()]
    assert [line for line in short if "ow" in line and "is" in line] == [
        "One of 6 rows is shown (--verbose shows all)."
    ]
    assert "Row 4, yours: 1.00." in short
    assert not [line for line in short if line.startswith("Row 3")]
    whole = rendered("plain", *tests, verbose=True)
    assert [whole.count(f"Row {number}, yours") for number in range(6)] == [2] * 6


def test_plain_cuts_a_long_text() -> None:
    """And gives all of it when asked."""
    value = ValueSummary("str", "x" * 900)
    test = failing(inputs=(), expected=None, got=value, worst=None)
    short, whole = (rendered("plain", test, verbose=verbose) for verbose in (False, True))
    assert re.search(r"  Yours, str: x+\.\.\. \(--verbose shows all\)\n", short)
    assert "x" * 900 in whole
    assert len(short) < len(whole) - 600


def test_a_page_shows_values_as_tables_in_the_same_shades() -> None:
    """Of every failing visible test, whose worst cell has brackets and a mark of its own."""
    page = rendered("html", failing(), failing("later"))
    tables = re.findall(r'<table class="heat">.*?</table>', page, re.DOTALL)
    assert len(tables) == 6
    x, expected, yours = tables[:3]
    assert "<caption>x, int64 (3,)</caption>" in x
    assert '<td class="h0">1</td><td class="h5">2</td><td class="h10">3</td>' in x
    assert "<caption>Expected, float64 (2, 2)</caption>" in expected
    assert '<td class="h0 worst">[0.00]</td><td class="h10">1.00</td>' in expected
    assert '<td class="none worst">[nan]</td><td class="h10">1.00</td>' in yours
    assert page.count("<pre>&#x27;&lt;b&gt;") == 2  # the input that a learner might have worded


def test_expected_and_yours_share_their_shades() -> None:
    """A number has the same ground in both, so the larger values of one make the other lighter."""
    expected, got = (
        ValueSummary("float64 (2,)", "", (row,), is_vector=True) for row in ((0.0, 1.0), (0.0, 2.0))
    )
    page = rendered("html", failing(inputs=(), expected=expected, got=got, worst=None))
    assert '<td class="h0">0</td><td class="h5">1</td>' in page
    assert '<td class="h0">0</td><td class="h10">2</td>' in page


def test_negative_numbers_have_a_colour_of_their_own() -> None:
    """Its darkest shade stands for the same absolute value as the positive one's."""
    value = ValueSummary("float64 (3,)", "", ((-2.0, 0.0, 1.0),), is_vector=True)
    page = rendered("html", failing(inputs=(), expected=None, got=value, worst=None))
    assert '<td class="n10">-2</td><td class="h0">0</td><td class="h5">1</td>' in page


def test_every_cell_of_a_page_can_be_read() -> None:
    """Its text is black or white by how light its ground is, with the contrast that it takes."""
    for step in range(-STEPS, STEPS + 1):
        for ground in grounds(step):
            darker, lighter = sorted((luminance(ground), luminance(ink(ground))))
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5
    assert STYLE.count("light-dark(") == 2 * (2 * STEPS + 1)


def test_markdown_has_short_values_only() -> None:
    """It shows the values of the first failed test as a code block; more would hide the rest."""
    first, later = failing(), failing("later")
    assert rendered("markdown", first, later).endswith(
        "\nthe test worked:\n\n```text\n"
        "expected         yours\n"
        "0  0.50  0.25    0  0.50  0.75\n"
        "1 [0.00] 1.00    1  [nan] 1.00\n```\n"
    )
    long = ValueSummary("str", "a\n" * 30), ValueSummary("str", "b\n" * 30)
    tall = replace(first, expected=long[0], got=long[1], worst=None)
    assert "```" not in rendered("markdown", tall)


def test_a_batch_in_markdown_shows_no_values(cases: Cases) -> None:
    """It is long enough."""
    batch = cases["batch"]
    assert isinstance(batch, Batch)
    assert "yours" not in FORMATS["markdown"].renderer().render(batch)


@pytest.mark.parametrize("name", ["text", "plain", "html", "markdown", "github"])
def test_what_a_prediction_got_shows_no_expected_value(name: str) -> None:
    """A result without values is told by its sentence alone."""
    bare = failing(inputs=(), expected=None, got=None, worst=None)
    assert not re.search("expected|yours", rendered(name, bare), re.IGNORECASE)


def test_tests_have_the_time_that_they_took(cases: Cases) -> None:
    """Formats with a field for it have the time of each visible test, and none of a hidden one."""
    fail = cases["fail"]
    assert isinstance(fail, Report)
    tests = json.loads(FORMATS["ctrf"].renderer().render(fail))["results"]["tests"]
    assert [test["duration"] for test in tests] == [1, 250, 2000, 0, 0, 0]
    junit = FORMATS["junit"].renderer().render(fail)
    assert re.findall(r'<testcase [^>]*time="([\d.]+)"', junit) == [
        "0.001", "0.250", "2.000", "0.000", "0.000", "0.000",
    ]  # fmt: skip


def test_a_value_is_what_the_schema_says(cases: Cases) -> None:
    """NaN and infinity go by their names, since JSON has no number for them."""
    fail = cases["fail"]
    assert isinstance(fail, Report)
    text = FORMATS["json"].renderer().render(fail)
    test = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["tests"][
        0
    ]
    assert test["got"]["rows"] == [[0.5, 0.75], ["nan", 1.0]]
    assert test["inputs"][0] == {
        "name": "x",
        "value": {"summary": "int64 (3,)", "text": "[1 2 3]", "rows": [[1, 2, 3]], "vector": True},
    }
    assert (test["worst"], test["seconds"]) == ([1, 0], 0.00125)


@pytest.mark.parametrize(
    "name",
    [
        "text",
        "plain",
        "junit",
        "gradescope",
        "github",
        "exercism",
        "prairielearn",
        "markdown",
        "html",
    ],
)
def test_every_format_for_people_shows_each_section_of_a_verdict(name: str) -> None:
    """Such as the notes on a notebook, which no recorded verdict has."""
    annotated = verdict(Outcome.FAILED, (failing(),), notes=("Cell 2 was left out.",))
    report = Report.of_verdict(annotated, "ada.py")
    assert "Cell 2 was left out." in FORMATS[name].renderer().render(report)
