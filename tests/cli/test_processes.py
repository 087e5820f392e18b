"""Commands as processes of their own: each starts, imports what it needs and ends with its status.

Elsewhere commands run in the tests' process, where everything is imported already.
"""

import shutil
from pathlib import Path

import pytest

from grader.cli.main import etude as group
from tests.conftest import DOUBLE, Etude

ROOT = Path(__file__).parents[2]
FILE = "exercises/one/01-double.yaml"
STORE = ("--database", "sqlite:///store.db")

# Words, exit status, and what is printed.
RUNS: dict[str, tuple[tuple[str, ...], int, str]] = {
    "list": (("list",), 0, "0 of 1 passed"),
    "next": (("next",), 0, "double"),
    "show": (("show", "double"), 0, "Write `double(x)`"),
    "start": (("start", "double", "mine.py"), 0, "etude check double mine.py"),
    "hint": (("hint", "double", "--yes"), 0, "Add it to itself."),
    "break": (("break", "double"), 2, "pass 'double' first"),
    "solution": (("solution", "double", "--give-up"), 0, "return 2 * x"),
    "progress": (("progress",), 0, "0 XP in all"),
    "new": (("new", "row-shares"), 0, "row-shares.yaml"),
    "import": (("import", "lesson.md", "--into", "out"), 1, "exercises imported"),
    "lint": (("lint", "double"), 1, "ETU"),
    "verify": (("verify", "double"), 1, "0 of 1 exercise proven."),
    "audit": (("audit", "none"), 2, "there is no"),
    "diff": (("diff", FILE, FILE, "in"), 0, "0 of 1 submission"),
    "misconception": (
        ("misconception", "add", FILE, "in/ada/double.py", "--says", "It is right."),
        0,
        "misconception 'it-is-right' is added",
    ),
    "schema": (("schema",), 0, '"$schema"'),
    "site": (("site", "build", "--output", "out"), 0, "http.server"),
    "stats": (("stats", "results.jsonl"), 0, "double"),
    "collect": (
        ("collect", "in", "--into", "out", "--roster", "roster.csv"),
        0,
        "1 submission in out",
    ),
    "report": (("report", "results.jsonl"), 0, "1 submission: 1 passed"),
    "export": (("export", "student", "handout"), 0, "handout"),
    "regrade": (("regrade", "--list", *STORE), 2, "there is no database"),
    "staff": (("staff", "add", "ada", *STORE), 0, "ada"),
    "packages": (("packages", "install"), 0, ""),
    "doctor": (("doctor",), 0, "Submissions are graded in: "),
    "completion": (("completion", "bash"), 0, "_ETUDE_COMPLETE=bash_source"),
}
# In terminals: test_check.py, test_student.py; interrupted: test_batch.py; servers: test_preview.py,
# tests/server.
QUICK = {"list", "lint", "schema"}
ELSEWHERE = {"check", "watch", "lesson", "grade", "preview", "serve", "worker"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that commands run in, with a collection and what they read."""
    track = tmp_path / "exercises" / "one"
    track.mkdir(parents=True)
    (track / "01-double.yaml").write_text(f"{DOUBLE}hints: [Add it to itself.]\n")
    (track / "track.yaml").write_text(
        "id: one\ntitle: One\ndescription: One exercise.\nexercises: [double]\n"
    )
    monkeypatch.setenv("ETUDE_EXERCISES", str(tmp_path / "exercises"))
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / "double.py").write_text("def double(x):\n    return 2 * x\n")
    (tmp_path / "roster.csv").write_text("student\nada\n")
    shutil.copy(ROOT / "tests" / "golden" / "importing" / "lesson.md", tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in RUNS],
)
def test_a_command_runs_as_a_process(etude: Etude, etude_process: Etude, name: str) -> None:
    """It runs from an empty interpreter to its exit status."""
    words, status, said = RUNS[name]
    if "results.jsonl" in words:
        etude("grade", "in", "--output", "results.jsonl")
    finished = etude_process(*words)
    assert (finished.returncode, "Traceback" in finished.stderr) == (status, False), finished.stderr
    assert said in finished.stdout + finished.stderr


def test_every_command_is_started_by_a_test() -> None:
    """A command that is added needs a test that starts it as a process."""
    context = group.make_context("etude", [], resilient_parsing=True)
    assert set(group.list_commands(context)) == RUNS.keys() | ELSEWHERE
