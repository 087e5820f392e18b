"""Verdicts in the terminal, beside those in `tests/golden/reports/text`."""

import colorsys
import io
import re
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from grader.definitions.exercise import TestId
from grader.grading.results.verdict import (
    Diagnosis,
    Outcome,
    Row,
    TestResult,
    ValueSummary,
    Verdict,
)
from grader.reports.palette import contrast, ink
from grader.reports.report import Batch, Report
from grader.reports.terminal_matrices import HIGH, LOW
from grader.reports.to_text import print_batch, print_verdict
from tests.reports.conftest import result, verdict

SENTENCE = "The result has the right shape, but 1 of 4 values differ; the largest error is at [0, 1]: expected 2, got 2.5."  # fmt: skip
DIAGNOSIS = Diagnosis(
    "misconception", "scale", "Your *rows*\nare off by $\\sqrt{d_k}$.", 2, (TestId("worked"),)
)


def matrix(*rows: Row) -> ValueSummary:
    return ValueSummary(f"float64 ({len(rows)}, {len(rows[0])})", str(rows), rows)


def failing(name: str, **more: Any) -> TestResult:
    """Make a failed test with everything that there may be behind a failure."""
    about: dict[str, Any] = {
        "message": SENTENCE,
        "output": "1\n2\n3\n",
        "inputs": (("x", matrix((1.0, 2.0), (3.0, 4.0))),),
        "expected": matrix((1.0, 2.0), (3.0, 4.0)),
        "got": matrix((1.0, 2.5), (3.0, 4.0)),
        "worst": (0, 1),
        **more,
    }
    return result(name, Outcome.FAILED, **about)


def hidden(name: str) -> TestResult:
    message = "The result has the right form but wrong values in this hidden test."
    return result(name, Outcome.FAILED, hidden=True, description="", message=message)


def printed_lines(
    one: Verdict, width: int = 100, height: int = 24, *, terminal: bool = False, **more: bool
) -> list[str]:
    """Print a verdict and return its lines, as they look."""
    console = Console(
        file=io.StringIO(), width=width, height=height, force_terminal=terminal, highlight=False,
        color_system="truecolor" if terminal else None,
    )  # fmt: skip
    print_verdict(console, one, **more)
    assert isinstance(console.file, io.StringIO)
    return [Text.from_ansi(line).plain for line in console.file.getvalue().splitlines()]


def test_what_kept_all_tests_from_running_is_said_alone() -> None:
    """With what was printed until then."""
    one = verdict(Outcome.ERRORED, (hidden("secret"),), message="Python cannot read it.", output="so\x1b[1mon\n")  # fmt: skip
    assert printed_lines(one)[2:-1] == [
        "  Python cannot read it.",
        "",
        "  Your code printed:",
        "    so\ufffd[1mon",
        "",
    ]


def test_verbose_opens_every_failing_test_and_cuts_nothing() -> None:
    """Also in a small terminal; without it the first alone is opened."""
    output = "".join(f"line {number}\n" for number in range(40))
    one = verdict(Outcome.FAILED, (failing("worked", output=output), failing("later")))
    short = printed_lines(one)
    assert len([line for line in short if "[2.5]" in line]) == 1
    assert "  --verbose opens the other failing test, too." in short
    for terminal in (True, False):
        lines = printed_lines(one, terminal=terminal, verbose=True)
        assert len([line for line in lines if "[2.5]" in line]) == 2
        assert [line for line in lines if "line 39" in line]
        assert not [line for line in lines if "--verbose" in line]


def test_a_long_output_is_cut_where_nobody_asked_for_it() -> None:
    """It is cut even if there is room; the note tells how to get the rest."""
    one = verdict(Outcome.FAILED, (failing("worked", output="line\n" * 40),))
    for terminal in (True, False):
        lines = printed_lines(one, height=200, terminal=terminal)
        assert len([line for line in lines if line.strip() == "line"]) == 5
        assert "    ... 35 more (--verbose shows all)" in lines


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("height", [8, 16, 24, 50])
@pytest.mark.parametrize("count", [1, 12])
def test_a_verdict_fits_into_the_terminal(width: int, height: int, count: int) -> None:
    """With room below it for what to do next; its head and its sum are always there."""
    big = matrix(*([(0.1234,) * 12] * 12))
    tests = [failing("worked", expected=big, got=big, message=3 * SENTENCE)]
    tests += [failing(f"other-{number}") for number in range(count)]
    tests += [result(f"fine-{number}", Outcome.PASSED, 1) for number in range(count)]
    lines = printed_lines(verdict(Outcome.FAILED, tuple(tests), diagnosis=DIAGNOSIS), width, height, terminal=True)  # fmt: skip
    assert len(lines) <= max(height - 4, 6)
    assert max(map(len, lines)) <= width
    assert lines[0].startswith("Scale the scores")
    assert "Not passed yet" in "".join(lines[-2:])
    assert "the test worked" in "".join(lines) or height < 16


def test_what_matters_least_is_left_out_first() -> None:
    """Sentences of other tests, then those that passed; the values stay as long as they can."""
    tests = (
        failing("worked"),
        *(failing(f"other-{number}", message=3 * SENTENCE) for number in range(2)),
        *(result(f"fine-{number}", Outcome.PASSED, 1) for number in range(2)),
    )
    one = verdict(Outcome.FAILED, tests)
    high = [
        printed_lines(one, 80, height, terminal=True) for height in (60, 31, 27, 24, 19, 16, 14)
    ]
    facts = [
        (
            sum("largest error" in line for line in lines),
            sum("the test fine" in line for line in lines),
            any("2 other tests did not pass (--verbose shows all)" in line for line in lines),
            any("Your code printed" in line for line in lines),
            any("[2.5]" in line for line in lines),
        )
        for lines in high
    ]
    assert facts == sorted(facts, key=lambda each: (each[4], each[3], not each[2], each[1]), reverse=True)  # fmt: skip
    assert facts[0] == (7, 2, False, True, True)
    assert facts[-1] == (1, 0, True, False, True)
    assert "  ... its values (--verbose shows all)" in printed_lines(one, 80, 12, terminal=True)  # fmt: skip


def test_values_of_another_kind_are_named() -> None:
    """Where the kinds differ they are what is wrong."""
    expected, got = matrix((1.0, 2.0)), ValueSummary("tuple of 2", "(array([1., 2.]), 'x')")
    one = verdict(Outcome.FAILED, (failing("worked", expected=expected, got=got, worst=None, inputs=(), output=""),))  # fmt: skip
    assert printed_lines(one)[4:-2] == [
        "",
        "  expected  float64 (1, 2)",
        "   1  2",
        "  yours     (array([1., 2.]), 'x')",
    ]


def test_printed_texts_stand_side_by_side() -> None:
    """Lines that differ are marked; the output is not shown a second time."""
    texts = ValueSummary("printed text", "a\nb\n"), ValueSummary("printed text", "a\nc\nd\n")
    test = failing("worked", expected=texts[0], got=texts[1], worst=None, inputs=(), output="a\nc\nd\n")  # fmt: skip
    one = verdict(Outcome.FAILED, (test,))
    assert printed_lines(one)[4:-2] == [
        "",
        "  expected   yours",
        "    a          a",
        "  > b        > c",
        "             > d",
    ]
    narrow = [line.strip() for line in printed_lines(one, 10, verbose=True)]
    assert narrow.index("expected   yours" if "expected   yours" in narrow else "expected")
    wide = replace(texts[1], text="a\n" + "x" * 90)
    stacked = printed_lines(verdict(Outcome.FAILED, (replace(test, got=wide, output=""),)))
    assert [line.strip() for line in stacked[5:10]] == ["expected", "a", "> b", "yours", "a"]


def test_a_long_text_is_shown_around_its_first_difference() -> None:
    """The beginning, which is the same, says nothing; `--verbose` shows it."""
    wanted = [f"line {number}" for number in range(30)]
    came = [*wanted[:20], "odd", *wanted[21:]]
    expected, got = (ValueSummary("printed text", "\n".join(lines)) for lines in (wanted, came))
    test = failing("worked", expected=expected, got=got, worst=None, inputs=(), output="")
    one = verdict(Outcome.FAILED, (test,))
    assert [line.split() for line in printed_lines(one)[6:-2]] == [
        ["line", "19", "line", "19"],
        [">", "line", "20", ">", "odd"],
        ["line", "21", "line", "21"],
        ["line", "22", "line", "22"],
        ["line", "23", "line", "23"],
        ["...", "25", "more", "(--verbose", "shows", "all)"],
    ]
    assert len(printed_lines(one, verbose=True)) == len(printed_lines(one)) + 24


def test_blocks_of_an_array_stand_close_together() -> None:
    """NumPy's empty lines between them say nothing."""
    text = "[[[1. 2.]\n  [3. 4.]]\n\n [[5. 6.]\n  [7. 8.]]]"
    expected = ValueSummary("float64 (2, 2, 2)", text)
    got = ValueSummary("float64 (2, 2, 2)", text.replace("5.", "9."))
    test = failing("worked", expected=expected, got=got, worst=None, inputs=(), output="")
    assert printed_lines(verdict(Outcome.FAILED, (test,)))[5:-2] == [
        "  expected        yours",
        "    [[[1. 2.]       [[[1. 2.]",
        "      [3. 4.]]        [3. 4.]]",
        "  >  [[5. 6.]     >  [[9. 6.]",
        "      [7. 8.]]]       [7. 8.]]]",
    ]


def test_points_stand_below_each_other_also_beside_a_long_name() -> None:
    """The long name continues in the next line."""
    tests = [result(name, Outcome.PASSED, 1, description=name) for name in ("short", "long " * 9)]
    lines = printed_lines(verdict(Outcome.PASSED, tuple(tests)), 40, 24, terminal=True)[2:-2]
    assert lines == [
        "\u2713 short                      1/1 point",
        "\u2713 long long long long long   1/1 point",
        "  long long long long",
    ]


def test_two_numbers_are_not_said_twice() -> None:
    """The sentence has them."""
    number = ValueSummary("float", "0.5")
    one = verdict(Outcome.FAILED, (failing("worked", expected=number, got=number, worst=None),))
    assert not [line for line in printed_lines(one) if "yours" in line]


@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_that_a_submission_words_begins_a_line(*, terminal: bool) -> None:
    """No text of a submission can therefore pass for a line of ours."""
    fake = "\n\u2713 faked  1/1 point\nPassed: 9/9 points, +99 XP.\n"
    value = ValueSummary("str", fake)
    test = failing("worked", message=fake, output=fake, inputs=(("x", value),), expected=value, got=value, worst=None)  # fmt: skip
    for one in (
        verdict(Outcome.FAILED, (test,), output=fake),
        verdict(Outcome.ERRORED, (), message=fake, output=fake),
    ):
        for verbose in (True, False):
            lines = printed_lines(one, 60, 60, terminal=terminal, verbose=verbose)
            assert not [line for line in lines if re.match("\u2713|Passed", line)]


def test_colours_are_for_terminals_that_have_them() -> None:
    """A pipe and NO_COLOR have no colours; a terminal with sixteen colours has no shades."""
    one = verdict(Outcome.FAILED, (failing("worked"),))
    for system, is_terminal, environment, shades, colours in (
        ("truecolor", True, {}, True, True),
        ("256", True, {}, True, True),
        ("standard", True, {}, False, True),
        ("truecolor", True, {"NO_COLOR": "1"}, False, False),
        ("auto", False, {}, False, False),
    ):
        console = Console(
            file=io.StringIO(), width=80, height=40, force_terminal=is_terminal,
            color_system=system, _environ=environment,  # type: ignore[arg-type]  # names of systems
        )  # fmt: skip
        print_verdict(console, one)
        assert isinstance(console.file, io.StringIO)
        text = console.file.getvalue()
        assert bool(re.search(r"[\[;]48;", text)) == shades
        assert bool(re.search(r"\x1b\[(1;)?3\d", text)) == colours
        assert "[2.5]" in Text.from_ansi(text).plain


def test_a_line_of_many_stays_whole_in_a_narrow_terminal() -> None:
    """The columns are as wide as they have to be, and the terminal alone breaks a line."""
    passed = verdict(Outcome.PASSED, (result("worked", Outcome.PASSED, 1),))
    console = Console(file=io.StringIO(), width=30, force_terminal=True, color_system=None)
    report = Report("attention-weights", "attention-weights.py", "passed", passed, student="ada")
    print_batch(console, Batch((report,)))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines()[0] == "✓ ada  attention-weights  passed     1/1"


def test_what_was_not_judged_is_neither_passed_nor_failed() -> None:
    """All tests are the course's: that is said, and no number of tests or points."""
    told = verdict(Outcome.NOT_RUN, (), message="Hidden tests find it.", hidden_elsewhere=1)
    assert printed_lines(told)[-1] == "Not judged: 1 hidden test is run by your course."


def test_a_ramp_has_one_hue_and_gets_darker_with_every_step() -> None:
    """In colours that a terminal of 256 has, so that it replaces none."""
    for ramp in (HIGH, LOW):
        lightness = [contrast("#000000", colour) for colour in ramp]
        assert lightness == sorted(lightness, reverse=True)
        assert len(set(lightness)) == len(ramp)
        channels = [bytes.fromhex(colour[1:]) for colour in ramp]
        hues = [colorsys.rgb_to_hsv(*(part / 255 for part in parts))[0] for parts in channels[1:]]
        assert max(hues) - min(hues) < 0.1
        assert all(part in {0, 95, 135, 175, 215, 255} for parts in channels for part in parts)
        assert all(contrast(ink(colour), colour) >= 4.5 for colour in ramp)
