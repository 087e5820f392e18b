"""An exercise on whose page one writes tests, by the keyboard alone."""

import pytest

from grader.definitions.collection import find_exercise
from grader.definitions.files import default_folder
from tests.browser.conftest import NewPage
from tests.browser.judging import judge
from tests.browser.learner import Bench, paste
from tests.browser.tools import Tools

SUITE = find_exercise("test-softmax", default_folder()).solution
REFUSES = "from program import softmax\n\ndef test_one():\n    assert softmax([1.0, 1.0])[0] == 1\n"
ONE_VALUE = (
    "from program import softmax\n\ndef test_one():\n    assert softmax([1.0, 1.0])[0] == 0.5\n"
)


@pytest.mark.slow
def test_a_suite_is_written_by_the_keyboard(new_page: NewPage, tools: Tools) -> None:
    """One that refuses a right program, one that misses wrong programs, and one that passes."""
    page = new_page()
    page.goto("attention/test-softmax/")
    bench = Bench(page)
    for suite, conclusion, sentences in (
        (REFUSES, "Not passed yet", ["test_one", "right program"]),
        (ONE_VALUE, "Not passed yet", ["wrong programs"]),
        ("import os\nos.remove('x')\n" + ONE_VALUE, "Not passed yet", []),
        (SUITE, "Passed: 5/5 points", []),
    ):
        paste(bench.editor, suite)
        page.keyboard.press("Control+Shift+Enter")
        bench.concludes(conclusion)
        for sentence in sentences:
            assert sentence in bench.results.inner_text()
        judge(page, tools, f"suite-{len(suite)}")
