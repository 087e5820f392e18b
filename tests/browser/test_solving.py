"""An exercise's page at work: what it keeps, what it stops, and what it says when it cannot."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from grader.grading.feedback.versions import HERE
from tests.browser.conftest import NewContext, NewPage
from tests.browser.hosting import hosted
from tests.browser.judging import (
    DESK,
    LOOKS,
    judge,
    open_without_python,
    pretend_python,
    shoot,
    without_python,
)
from tests.browser.learner import Bench
from tests.browser.tools import Tools
from tests.conftest import Etude
from tests.own_collection import COLLECTION

SCALED = """\
import numpy as np


def scaled_scores(Q, K):
    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
"""
UNSCALED = SCALED.replace(" / np.sqrt(Q.shape[-1])", "")


def test_what_was_written_is_there_again(first_page: NewPage) -> None:
    """A draft survives a reload, and "Start over" brings the starter back, after a question."""
    page = first_page()
    without_python(page)
    page.goto("attention/scaled-scores/")
    bench = Bench(page)
    starter = bench.editor.inner_text()
    bench.write("draft = 1")
    page.reload()
    expect(bench.editor).to_have_text("draft = 1")

    bench.button("Start over").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(bench.editor).to_have_text("draft = 1")

    bench.button("Start over").click()
    page.get_by_role("dialog").get_by_role("button", name="Replace it").click()
    expect(bench.editor).not_to_have_text("draft = 1")
    assert bench.editor.inner_text() == starter
    bench.button("Undo").click()
    expect(bench.editor).to_have_text("draft = 1")


def test_two_tabs_write_over_each_other_only_when_told_to(first_page: NewPage) -> None:
    """A tab whose text is older offers the newer one, and keeps nothing until one is chosen."""
    first = first_page()
    second = first.context.new_page()
    for page in (first, second):
        without_python(page)
        page.goto("attention/scaled-scores/")
    one, two = Bench(first), Bench(second)
    two.write("b = 2")
    newer = first.get_by_text("You changed this exercise in another tab.")
    expect(newer).to_be_visible()
    one.write("a = 1")
    first.wait_for_timeout(600)  # longer than the pause after which a text is kept
    second.reload()
    expect(two.editor).to_have_text("b = 2")

    one.button("Show that text").click()
    expect(one.editor).to_have_text("b = 2")
    expect(newer).not_to_be_visible()

    two.write("b = 3")
    expect(newer).to_be_visible()
    one.write("a = 4")
    one.button("Keep this one").click()
    expect(second.get_by_text("You changed this exercise in another tab.")).to_be_visible()
    second.reload()
    expect(two.editor).to_have_text("a = 4")


@pytest.mark.slow
def test_a_question_can_be_answered_by_everybody(page: Page, tools: Tools) -> None:
    """It has no barriers, Tab stays in it, Escape means no, and the focus comes back."""
    open_without_python(page, "attention/scaled-scores/")
    bench = Bench(page)
    bench.write("draft = 2")
    bench.button("Start over").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    judge(page, tools, "exercise-question")
    for _ in range(4):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main') === null")

    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    expect(bench.editor).to_have_text("draft = 2")
    expect(bench.button("Start over")).to_be_focused()


@pytest.mark.slow
def test_results_say_when_they_are_stale(bench: Bench) -> None:
    """A change of the code marks the results, and taking it back unmarks them."""
    stale = bench.results.get_by_text("Your code has changed since these results.")
    bench.check(UNSCALED)
    bench.concludes("Not passed yet")
    expect(stale).not_to_be_visible()

    bench.write(f"{UNSCALED}# more")
    expect(stale).to_be_visible()
    bench.write(UNSCALED)
    expect(stale).not_to_be_visible()


@pytest.mark.slow
def test_run_shows_what_is_printed(bench: Bench) -> None:
    """Output is shown as printed, and an error with its line."""
    bench.write("print('<b>one</b>')\nprint(1 / 0)")
    bench.button("Run").click()

    bench.concludes("Your code did not run to its end.")
    expect(bench.results).to_contain_text("<b>one</b>")
    expect(bench.results).to_contain_text("ZeroDivisionError")
    bench.results.get_by_role("button", name=re.compile("line 2")).click()
    expect(bench.editor).to_be_focused()


@pytest.mark.slow
def test_run_draws_with_the_inputs_of_the_first_test(bench: Bench) -> None:
    """The page names them, and the heatmap can be read row by row."""
    expect(bench.page.locator(".keys").last).to_contain_text("the first test: Q, K.")
    bench.write("heatmap(Q, title='Queries')")
    bench.button("Run").click()
    bench.concludes("Your code ran.")
    figure = bench.results.get_by_role("figure", name="Queries")
    figure.get_by_role("button", name="1").click()
    expect(figure.get_by_role("status")).to_contain_text("Row 1")


@pytest.mark.slow
def test_the_line_of_an_error_is_underlined(bench: Bench) -> None:
    """Its code alone, until it is edited."""
    bench.write("if True:\n    print(1 / 0)  # so\n")
    bench.button("Run").click()
    bench.concludes("Your code did not run to its end.")
    underlined = bench.editor.locator(".cm-underlined")
    expect(underlined).to_have_text("print(1 / 0)  # so")
    bench.write("print(1)")
    expect(underlined).to_have_count(0)


@pytest.mark.slow
def test_the_editor_completes_names(bench: Bench, tools: Tools) -> None:
    """Names of NumPy and of the program; Enter ends a line unless one was chosen by an arrow."""
    keyboard = bench.page.keyboard
    offers = bench.page.get_by_role("listbox")
    bench.write("import numpy as np\nqueries = np.ones(3)\n")
    bench.editor.press("ControlOrMeta+End")
    keyboard.type("np.swapa")
    expect(offers.get_by_role("option", name="swapaxes")).to_be_visible()
    judge(bench.page, tools, "completion")
    bench.page.set_viewport_size(DESK)
    keyboard.press("ArrowDown")
    expect(bench.page.locator(".cm-completionInfo")).to_have_text(
        "Interchange two axes of an array."
    )
    keyboard.press("Enter")
    expect(bench.editor).to_contain_text("np.swapaxes")
    keyboard.type(" + que")
    expect(offers.get_by_role("option", name="queries")).to_be_visible()
    keyboard.press("Enter")
    expect(bench.editor.locator(".cm-line")).to_have_count(4)
    keyboard.type("que")
    expect(offers).to_be_visible()
    keyboard.press("Escape")
    expect(offers).not_to_be_visible()
    keyboard.press("Tab")
    expect(bench.editor).not_to_be_focused()


@pytest.mark.slow
def test_shortcuts_run_and_check(bench: Bench) -> None:
    """Ctrl+Enter runs and Ctrl+Shift+Enter checks, from inside the editor."""
    bench.write(SCALED)
    bench.page.keyboard.press("Control+Enter")
    bench.concludes("Your code ran.")
    bench.page.keyboard.press("Control+Shift+Enter")
    bench.concludes("Passed: ")


@pytest.mark.slow
def test_after_a_pass_the_solution_stands_beside_the_code(page: Page) -> None:
    """As a diff that needs no colour, with the reason and another right way to do it."""
    page.goto("attention/causal-mask/")
    bench = Bench(page)
    exercise = COLLECTION.find("causal-mask")
    assert exercise
    (other,) = exercise.also_right
    bench.check(other.code)
    bench.concludes("Passed: ")
    compared = bench.results.get_by_role("region", name="Your code beside the solution")
    expect(compared.get_by_role("listitem").filter(has_text="Only yours: ")).to_contain_text(
        ["np.triu(np.full((n, n), -np.inf), k=1)"]
    )
    expect(
        compared.get_by_role("listitem").filter(has_text="Only the solution: ").last
    ).to_contain_text("return mask")
    expect(bench.results).to_contain_text("Assigning is safer than computing.")
    expect(bench.results).to_contain_text("The shortest way while the mask is a triangle")


@pytest.mark.slow
def test_a_submission_that_fails_shows_expected_beside_got(bench: Bench) -> None:
    """Both values are tables, side by side, and differences are marked."""
    bench.check(UNSCALED)
    bench.concludes("Not passed yet")
    for caption in ("Expected", "Yours float64", "Yours \N{MINUS SIGN} expected"):
        figure = bench.results.get_by_role("figure", name=re.compile(f"^{caption}"))
        expect(figure.get_by_role("table").first).to_be_visible()


@pytest.mark.slow
@pytest.mark.skipif(HERE.python >= (3, 12), reason="the grader reads it")
def test_a_page_knows_what_its_grader_cannot_run(bench: Bench) -> None:
    """It says which versions it has, and warns of a pass that the command would not give."""
    versions = bench.page.get_by_text("This page runs Python 3.13 and NumPy 2.2. The machine that")
    expect(versions).to_contain_text(f"grades with {HERE}.")
    bench.check(f"type Row = list[float]\n{SCALED}")
    bench.concludes("Passed: ")
    needed = "Line 1: A type statement needs Python 3.12 or newer, and the grader has 3.11"
    expect(bench.results.get_by_text(needed)).to_be_visible()


@pytest.mark.slow
def test_the_file_of_a_pass_is_what_the_command_line_takes(
    bench: Bench, etude: Etude, tmp_path: Path
) -> None:
    """What is downloaded passes `etude check` and `etude grade`, hidden tests and all."""
    bench.check(SCALED)
    bench.concludes("Passed: ")
    with bench.page.expect_download() as saving:
        bench.button("Download your file").click()
    assert saving.value.suggested_filename == "scaled-scores.py"
    path = tmp_path / "submissions" / "a-learner" / saving.value.suggested_filename
    saving.value.save_as(path)

    assert path.read_text("utf-8") == SCALED
    checked = etude("check", "scaled-scores", path, "--format", "json")
    graded = etude("grade", path.parent.parent)
    assert json.loads(checked.stdout)["outcome"] == "passed"
    assert checked.returncode == graded.returncode == 0, graded.stdout


@pytest.mark.slow
def test_a_loop_without_end_is_named_and_python_goes_on(bench: Bench) -> None:
    """Its line and the variable that never changed are named, and Python can be used at once."""
    bench.check(f"{SCALED}\nkept = 0\nwhile kept < 3:\n    other = kept\n")
    expect(bench.results).to_contain_text("while kept < 3: kept was 0 all the time")
    bench.says("Python is ready")
    bench.check(SCALED)
    bench.concludes("Passed: 10/10 points")


@pytest.mark.slow
def test_what_no_line_ends_is_stopped_by_the_button(bench: Bench) -> None:
    """Stop ends code in C too, Python is ready again by itself, and the code is still there."""
    bench.write("sum(range(10**15))")
    bench.button("Run").click()
    bench.says("Running")
    bench.button("Stop").click()
    bench.concludes("Stopped")
    bench.says("Python is ready")

    expect(bench.editor).to_contain_text("range(10**15)")
    bench.write("print(6 * 7)")
    bench.button("Run").click()
    bench.concludes("Your code ran.")
    expect(bench.results).to_contain_text("42")


@pytest.mark.slow
def test_what_no_line_ends_is_stopped_by_the_limit(page: Page) -> None:
    """Fifteen seconds, as the page's clock tells them, and it is over."""
    pretend_python(page, None)
    page.clock.install()
    page.goto("attention/scaled-scores/")
    bench = Bench(page)
    bench.check("while True:\n    pass")
    bench.says("Running")
    page.clock.fast_forward("00:15")

    bench.concludes("Stopped after 15 seconds")


@pytest.mark.slow
def test_a_memory_hog_does_not_take_the_page_with_it(bench: Bench) -> None:
    """Running out of memory is a result like any other, and Python is ready again after it."""
    bench.write("import numpy as np\nkept = [np.empty(2**28, np.uint8) for _ in range(20)]")
    bench.button("Run").click()
    bench.concludes("Your code did not run to its end.")
    shoot(bench.page, "exercise-out-of-memory")

    bench.says("Python is ready")
    bench.check(SCALED)
    bench.concludes("Passed: ")


@pytest.mark.slow
@pytest.mark.parametrize("file", ["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"])
def test_a_file_of_python_that_is_missing_is_named(
    new_context: NewContext, first_lessons: str, file: str
) -> None:
    """Pyodide itself would wait, exit, or refer to its documentation."""
    page = new_context(
        first_lessons, expected="Failed to load|could not be fetched|instantiation|standard library"
    ).new_page()
    page.route(f"**/{file}", lambda route: route.abort())
    page.goto("attention/scaled-scores/")
    Bench(page).says(re.compile(f"Python could not start: .*/{file} could not be fetched"))


@pytest.mark.slow
@pytest.mark.parametrize("file", ["pyodide.asm.wasm", "pyodide.asm.js", "python_stdlib.zip"])
def test_a_page_whose_python_is_damaged_says_so(
    new_context: NewContext, first_lessons: str, file: str
) -> None:
    """Where a network sends its sign-in page, Pyodide waits, exits, or tells of a token."""
    page = new_context(first_lessons, expected=".").new_page()
    page.route(f"**/{file}", lambda route: route.fulfill(body="<html>Sign in</html>"))
    page.goto("attention/scaled-scores/")
    Bench(page).says(re.compile("Python could not start: .* may be damaged, or a network"))


@pytest.mark.slow
def test_a_page_without_python_says_so_and_can_still_be_used(
    new_context: NewContext, site: Path
) -> None:
    """It explains the failure, offers another try, and shows the command to use."""
    with hosted(site, without="pyodide/") as address:
        bench = Bench(new_context(address, expected="Failed to load resource").new_page())
        bench.page.goto("attention/scaled-scores/")
        bench.says("Python could not start")
        bench.check(SCALED)
        bench.concludes("Python could not start")
        shoot(bench.page, "exercise-without-python")

        expect(bench.button("Try again")).to_be_visible()
        expect(bench.results).to_contain_text("in a terminal")
        expect(bench.editor).to_contain_text("def scaled_scores")
        expect(bench.page.get_by_text("etude check scaled-scores")).to_be_visible()


@pytest.mark.slow
def test_a_check_waits_for_python(page: Page) -> None:
    """The page says so, and how much of Python has arrived; help with the editor is behind a mark."""
    without_python(page)
    page.goto("attention/scaled-scores/")
    bench = Bench(page)
    bench.button("Check").click()
    expect(bench.summary).to_have_text("Your check begins as soon as Python is there.")
    size = page.evaluate("Number(document.documentElement.dataset.pythonBytes)")
    assert size > 10_000_000
    expect(page.locator(".python progress")).to_have_attribute("max", str(size))
    expect(page.get_by_text("To leave the editor")).to_be_hidden()
    page.get_by_label("Help with the editor").press("Enter")
    expect(page.get_by_text("To leave the editor")).to_be_visible()


@pytest.mark.slow
def test_of_many_failures_the_first_are_open(page: Page) -> None:
    """The others are folded, and open one by one or all at once."""
    value = {"summary": "float64 (2,)", "text": "[1. 2.]", "rows": [[1.0, 2.0]]}
    failed = {"outcome": "failed", "points": 0, "max_points": 1, "message": "It differs.",
              "line": None, "output": "", "inputs": [], "expected": value, "got": value}  # fmt: skip
    tests = [failed | {"id": f"test-{number}", "description": "two"} for number in range(60)]
    verdict = {"outcome": "failed", "score": 0, "max_score": 60, "message": "", "line": None,
               "output": "", "diagnosis": None, "tests": tests, "grader_version": "0.1.0",
               "submission_hash": "0" * 64, "exercise_hash": "0" * 64}  # fmt: skip
    pretend_python(page, json.dumps(verdict))
    page.goto("attention/scaled-scores/")
    bench = Bench(page)
    bench.check(UNSCALED)
    bench.concludes("Not passed yet: 0 of 60 tests")
    opened = bench.results.locator("details[open]")
    expect(opened).to_have_count(3)
    page.set_viewport_size({"width": 1280, "height": 800})
    bench.button("Check").click()
    expect(bench.results.get_by_text("It differs.").first).to_be_in_viewport()
    for size, theme in LOOKS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme)
        shoot(page, "exercise-many-failures")
        assert bench.results.evaluate("(it) => it.getBoundingClientRect().height") < 6_000

    bench.button("Open all 60").click()
    expect(opened).to_have_count(60)
    expect(bench.results.locator("summary").nth(3)).to_be_focused()
