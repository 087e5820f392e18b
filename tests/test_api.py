"""The Python API: its page, run as it stands, and its errors."""

import contextlib
import io
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import cast

import pytest

import grader
from grader import Grader, GraderFault, Outcome, UsageError, Verdict, grade, load_exercise, render

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference" / "python-api.md").read_text("utf-8")


@pytest.mark.slow
def test_the_examples_of_the_page_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block of Python runs, in order, and prints the block of text after it."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", PAGE, re.DOTALL)
    assert len(blocks) == PAGE.count("```python") == 6
    for code, printed in blocks:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(code, names)  # noqa: S102  our own page
        assert output.getvalue() == printed
    assert (tmp_path / "report.xml").read_text().startswith("<?xml")


def test_every_exported_name_is_there_and_on_the_page() -> None:
    """Nothing is exported that the page does not explain."""
    for name in grader.__all__:
        assert getattr(grader, name).__doc__, name
    errors = {"EtudeError", "UsageError", "DefinitionError", "GraderFault", "SandboxFault"}
    for name in errors | {"Exercise", "Grader", "grade", "load_exercise", "render"}:
        assert f"`{name}" in PAGE or f"import {name}" in PAGE, name
    with pytest.raises(AttributeError, match="no attribute 'grad'"):
        _ = grader.grad


def test_the_package_imports_its_api_only_when_it_is_used() -> None:
    """Each command starts with this package, and so does what runs beside a submission."""
    code = "import sys, grader; print([m for m in sys.modules if m.startswith('grader.')])"
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert finished.stdout == "[]\n"


def test_a_program_with_threads_grades(tmp_path: Path) -> None:
    """A notebook has threads; a fork of it would warn, and warnings are errors here."""
    exercise = load_exercise(str(ROOT / "exercises/attention/13-attention-weights.yaml"))
    (tmp_path / "right.py").write_text(exercise.solution)
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with Grader(workers=1) as one:
            verdict = one.grade(exercise, tmp_path / "right.py")
            missing = one.grade(exercise, tmp_path / "missing.py")
            future = one.submit(exercise, source="while True: pass")
    finally:
        stop.set()
        thread.join()
    assert (verdict.outcome, verdict.score) == (Outcome.PASSED, exercise.max_points)
    assert missing.message == "There is no file 'missing.py'."
    with pytest.raises(GraderFault, match="closed"):
        future.result()


def test_wrong_calls_are_usage_errors() -> None:
    """They are found before anything starts."""
    exercise = load_exercise("attention-weights")
    with pytest.raises(UsageError, match="either a file or a source"):
        grade(exercise)
    with pytest.raises(UsageError, match="either a file or a source"):
        grade(exercise, "a.py", source="")
    with pytest.raises(UsageError, match="at least one worker, found 0"):
        Grader(0)
    with pytest.raises(UsageError, match="not a format"):
        render(cast("Verdict", None), "xml")
