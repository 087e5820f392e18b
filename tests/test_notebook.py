"""`grader.notebook`, in a shell of IPython as a kernel runs it."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grader import grade, load_exercise
from grader.reports import to_text
from grader.reports.report import Report

# Runs cells as a kernel does, and prints what each shows, as text and as HTML.
SHELL = """\
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in json.load(sys.stdin):
    result = shell.run_cell(cell, store_history=True).result
    html = getattr(result, "_repr_html_", lambda: None)()
    print("\\0" + json.dumps([repr(result), html]))
"""
IMPORT = "from grader.notebook import break_it, check, hint, progress, task"
SOFTMAX = """\
import numpy as np
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""
UNSCALED = "def compute_attention_weights(Q, K):\n    return softmax(Q @ K.T)\n"
SCALED = "def compute_attention_weights(Q, K):\n    return softmax(Q @ K.T / K.shape[1] ** 0.5)\n"
BREAKS = "compute_attention_weights(np.array([[9., 0.], [5, 2]]), np.eye(2))"
CHECK = 'check("attention-weights")'


def show(*cells: str, cwd: Path) -> list[tuple[str, str]]:
    """Return each cell's result as text and as HTML, or its output if both are None."""
    finished = subprocess.run(
        [sys.executable, "-c", SHELL],
        input=json.dumps([IMPORT, *cells]),
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "IPYTHONDIR": str(cwd), "NO_COLOR": "1"},
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    printed, *ends = finished.stdout.split("\0")
    shown = []
    for end in ends:
        result, _, following = end.partition("\n")
        text, html = json.loads(result)
        shown.append((text if text != "None" else printed, html or ""))
        printed = following
    return shown[1:]


@pytest.mark.slow
def test_a_notebook_is_graded_as_a_file(tmp_path: Path) -> None:
    """The last cell that defines a name counts, with the cells that it uses, and no others.

    The sentences are those of `etude check`; the attempts are in the same record.
    """
    shown = show(
        "raise SystemError('never run again')",
        SOFTMAX,
        UNSCALED,
        CHECK,
        f"%%time\n{SCALED}",
        CHECK,
        f"%%etude attention-weights\n{UNSCALED}",
        "progress()",
        'break_it("attention-weights")',
        'break_it("attention-weights", "compute_attention_weights(1, 2)")',
        f'break_it("attention-weights", "{BREAKS}")',
        cwd=tmp_path,
    )
    wrong, right, again = shown[3], shown[5], shown[6]
    file = tmp_path / "attention-weights.py"
    file.write_text(SOFTMAX + UNSCALED)
    verdict = grade(load_exercise("attention-weights"), file)
    report = replace(Report.from_verdict(verdict, str(file)), verbose=True)
    assert wrong[0].startswith(to_text.render(report).rstrip())
    assert "without the division by" in wrong[1]
    assert '<table class="heat">' in wrong[1]
    assert "<script" not in wrong[1]
    assert "Passed: 13/13 points, +15 XP." in right[0]
    assert "Next: task('causal-mask')" in right[0]
    assert "without the division by" in again[0]
    assert "1 of 56 passed, 15 of 740 XP" in shown[7][0]
    assert "break_it('attention-weights', 'CALL')" in shown[8][0]
    assert "Not broken. The tests give only an array" in shown[9][0]
    assert shown[10][0].endswith("+1 XP.")


@pytest.mark.slow
def test_what_cannot_be_graded_is_one_sentence(tmp_path: Path) -> None:
    """No traceback: the kernel of a learner is not the place for one of ours."""
    broken = "def compute_attention_weights(Q, K):\n    return softmax(\n"
    cells = {
        CHECK: "no cell that was run defines 'compute_attention_weights'",
        'check("attention-wieghts")': "did you mean 'attention-weights'?",
        "check(3)": "name the exercise as text",
        "check('token-lookup', course=[])": "name the exercise as text",
        'check("token-lookup", course="nowhere")': "there is no folder nowhere",
        'check("drafts/x.yaml")': "no file 'drafts/x.yaml'",
        broken: "SyntaxError",  # the name stays undefined
        f"{CHECK}  # after it": "no cell that was run defines 'compute_attention_weights'",
        f"from math import exp as softmax\n{SCALED}": "",
        f"{CHECK}  # an imported name": "One number is needed here, but this is a whole array.",
        f"%matplotlib inline\nimport functools\n@functools.cache\n{SCALED}": "",
        f"{CHECK}  # decorated": "unhashable type: 'numpy.ndarray'",
        'check("test-softmax")': "no cell that was run defines 'test_...'",
        "import numpy as np\nfrom program import softmax": "",  # there is none here
        "def test_sum():\n    assert np.isclose(softmax(np.ones(2)).sum(), 1)": "",
        'check("test-softmax")  # a suite': "Your tests reject ",
        'hint("attention-weights")': "Hint 1 of 3",
        'task("attention-weights")': "# Compute attention weights",
    }
    for cell, (text, html) in zip(cells, show(*cells, cwd=tmp_path), strict=True):
        assert cells[cell] in text, cell
        assert "Traceback" not in text + html or not cells[cell] or "SyntaxError" in text


def test_a_price_is_told_before_it_is_paid(tmp_path: Path) -> None:
    """As in a terminal, where a question does it."""
    cells = ['hint("attention-weights")'] * 3 + ['hint("attention-weights", yes=True)'] * 2
    shown = [text for text, _ in show(*cells, cwd=tmp_path)]
    told = [text for text in shown if "costs" in text]
    assert all("`hint('attention-weights', yes=True)` shows it." in text for text in told)
    assert sum("**Hint" in text for text in shown) == 3


def test_outside_of_a_notebook_it_says_so(tmp_path: Path) -> None:
    """A program and a console of Python have no cells."""
    code = 'from grader.notebook import check; print(check("token-lookup"))'
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert finished.stdout.startswith("etude: this is not a notebook"), finished.stderr
