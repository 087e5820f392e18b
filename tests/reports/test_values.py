"""Inputs, expected values and what came instead, in the formats for readers.

How a failed test looks in each format stands in `tests/golden/reports`.
"""

import re
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from grader.grading.results.verdict import Outcome, TestResult, ValueSummary
from grader.reports.formats import FORMATS
from grader.reports.report import Batch, Report
from tests.reports.conftest import VALUES, result, verdict

Cases: TypeAlias = dict[str, Report | Batch]

LONG = ValueSummary("float64 (6, 1)", "...", tuple((number / 4,) for number in range(6)))


def rendered(name: str, *tests: TestResult, verbose: bool = False) -> str:
    made = verdict(Outcome.FAILED, tests)
    report = Report("scaled-scores", "ada.py", "failed", made, verbose=verbose)
    return FORMATS[name].render(report)


def failing(name: str = "worked", **more: Any) -> TestResult:
    return result(name, Outcome.FAILED, message="Wrong.", **{**VALUES, **more})


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


def test_a_page_shows_the_values_of_every_failing_test() -> None:
    """An input and two matrices each."""
    assert rendered("html", failing(), failing("later")).count('<table class="heat">') == 6


def test_expected_and_yours_share_their_shades() -> None:
    """A number has the same ground in both, so the larger values of one make the other lighter."""
    expected, got = (
        ValueSummary("float64 (2,)", "", (row,), is_vector=True) for row in ((0.0, 1.0), (0.0, 2.0))
    )
    page = rendered("html", failing(inputs=(), expected=expected, got=got, worst=None))
    assert '<td class="div-10">0</td><td class="div-15">1</td>' in page
    assert '<td class="div-10">0</td><td class="div-20">2</td>' in page


def test_negative_numbers_have_a_colour_of_their_own() -> None:
    """Its strongest shade stands for the same absolute value as the positive one's."""
    value = ValueSummary("float64 (3,)", "", ((-2.0, 0.0, 1.0),), is_vector=True)
    page = rendered("html", failing(inputs=(), expected=None, got=value, worst=None))
    assert '<td class="div-0">-2</td><td class="div-10">0</td><td class="div-15">1</td>' in page


def test_markdown_has_short_values_only() -> None:
    """Those of the first failed test; more would hide the rest."""
    assert rendered("markdown", failing(), failing("later")).count("```text") == 1
    long = ValueSummary("str", "a\n" * 30), ValueSummary("str", "b\n" * 30)
    tall = replace(failing(), expected=long[0], got=long[1], worst=None)
    assert "```" not in rendered("markdown", tall)


@pytest.mark.parametrize("name", ["text", "plain", "html", "markdown", "github"])
def test_what_a_prediction_got_shows_no_expected_value(name: str) -> None:
    """A result without values is told by its sentence alone."""
    bare = failing(inputs=(), expected=None, got=None, worst=None)
    assert not re.search("expected|yours", rendered(name, bare), re.IGNORECASE)


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
    report = Report.from_verdict(annotated, "ada.py")
    assert "Cell 2 was left out." in FORMATS[name].render(report)
