"""`--format`, `etude schema verdict` and `etude export canvas` as their users run them."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from grader.reports.formats import FORMATS
from tests.conftest import Etude

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "examples" / "submissions"
RIGHT = SAMPLES / "correct" / "attention-weights.py"
WRONG = SAMPLES / "unscaled" / "attention-weights.py"


def test_several_formats_at_once(etude: Etude, tmp_path: Path) -> None:
    """Text on standard output as ever, the others in their files."""
    finished = etude(
        "check",
        "attention-weights",
        WRONG,
        "--format",
        "junit=out.xml",
        "--format",
        "html=out.html",
    )
    assert (finished.returncode, finished.stderr) == (1, "")
    assert finished.stdout.startswith("Compute attention weights\n")
    assert "expected 0.4555, got 0.5065" in finished.stdout
    root = ET.parse(tmp_path / "out.xml").getroot()  # noqa: S314  our own
    assert int(root.get("failures", "")) > 0
    assert "Not passed yet" in (tmp_path / "out.html").read_text()


def test_wrong_use_of_formats_is_said_before_grading(etude: Etude) -> None:
    """Exit status 2 and what to do."""
    for name, message in (
        ("json=no/such/file", "there is no folder no/such"),
        ("jsno", "did you mean 'json'?"),
    ):
        finished = etude("check", "attention-weights", RIGHT, "--format", name)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert message in " ".join(finished.stderr.split())


@pytest.mark.slow
@pytest.mark.usefixtures("classroom")
def test_a_fault_still_writes_every_file(etude_without_sandbox: Etude, tmp_path: Path) -> None:
    """Without a sandbox there is no score, but anyone who waits for a file gets one."""
    words = [word for name in FORMATS for word in ("--format", f"{name}={name}.out")]
    finished = etude_without_sandbox("check", "attention-weights", RIGHT, *words)
    assert finished.returncode == 3
    assert "grader fault: no sandbox on this host" in finished.stderr
    assert all((tmp_path / f"{name}.out").read_text() for name in FORMATS)
    assert json.loads((tmp_path / "json.out").read_text())["outcome"] == "grader fault"
    assert "score" not in json.loads((tmp_path / "gradescope.out").read_text())


def test_a_wrong_name_still_writes_the_file(etude: Etude, tmp_path: Path) -> None:
    """A set-up that is wrong is a fault to anyone who reads the file; nothing is printed."""
    finished = etude(
        "check", "attention-wieghts", RIGHT, "--format", "prairielearn=r.json", "--format", "json"
    )
    assert (finished.returncode, finished.stdout) == (2, "")
    assert json.loads((tmp_path / "r.json").read_text())["gradable"] is False


@pytest.mark.slow
def test_a_batch_that_breaks_off_writes_a_fault_for_each(
    etude_without_sandbox: Etude, tmp_path: Path
) -> None:
    """No submission is missing from the file."""
    for student in ("ada", "bob"):
        _hand_in(tmp_path / "in" / student, RIGHT)
    finished = etude_without_sandbox("grade", "in", "--format", "json=r.json")
    assert finished.returncode == 3
    verdicts = json.loads((tmp_path / "r.json").read_text())["verdicts"]
    assert [(v["student"], v["outcome"]) for v in verdicts] == [
        ("ada", "grader fault"),
        ("bob", "grader fault"),
    ]


def test_a_batch_in_several_formats(etude: Etude, tmp_path: Path) -> None:
    """JSON Lines are those of `--output`; JSON on standard output is what it was."""
    _hand_in(tmp_path / "in" / "ada", RIGHT)
    _hand_in(tmp_path / "in" / "bob", WRONG)
    (tmp_path / "in" / "notes.txt").write_text("")
    words = (
        "--output",
        "o.jsonl",
        "--format",
        "jsonl=f.jsonl",
        "--format",
        "json",
        "--format",
        "csv=s.csv",
    )
    finished = etude("grade", "in", *words)
    assert finished.returncode == 1
    printed = json.loads(finished.stdout)
    assert printed.keys() == {"verdicts", "done_before", "not_looked_at"}
    assert printed["not_looked_at"] == ["in/notes.txt"]
    assert sorted(_lines(tmp_path / "o.jsonl")) == sorted(_lines(tmp_path / "f.jsonl"))
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 3


def test_a_format_for_one_student_refuses_two(etude: Etude, tmp_path: Path) -> None:
    """Before anything is graded; one student's folder is fine."""
    _hand_in(tmp_path / "in" / "ada", RIGHT)
    finished = etude("grade", "in", "--format", "gradescope")
    data = json.loads(finished.stdout)
    assert data["score"] == sum(test["max_score"] for test in data["tests"]) > 0
    _hand_in(tmp_path / "in" / "bob", RIGHT)
    finished = etude("grade", "in", "--format", "gradescope")
    assert finished.returncode == 2
    assert "shows one student" in finished.stderr


def test_github_writes_its_summary(etude: Etude, tmp_path: Path) -> None:
    """Annotations on standard output, the summary where the runner wants it."""
    environment = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    finished = etude("check", "attention-weights", WRONG, "--format", "github", env=environment)
    assert finished.stdout.startswith("::error file=")
    assert (tmp_path / "summary.md").read_text().startswith("## Compute attention weights")


def test_the_schema_of_a_verdict_is_printed(etude: Etude) -> None:
    """The same text that is in the repository."""
    finished = etude("schema", "verdict")
    assert finished.stdout == (ROOT / "grader" / "reports" / "verdict.schema.json").read_text()
    assert json.loads(finished.stdout)["title"] == "etude/verdict/v1"
    assert etude("schema", "verdict", "--markdown").returncode == 2


def test_help_names_every_format(etude: Etude) -> None:
    """And how to give a file."""
    for words in ("check", "grade"):
        shown = " ".join(etude(words, "--help").stdout.split())
        assert "NAME[=FILE]" in shown
        assert all(name in shown for name in FORMATS)


def test_a_check_imports_no_renderer_that_it_does_not_need() -> None:
    """The start of `etude check` stays as fast as it was."""
    code = (
        "import sys; from grader.cli import options, check; "
        "from grader.reports.formats import Delivery; Delivery.from_requests([]).load(); "
        "print(*sorted(name for name in sys.modules if name.startswith('grader.reports.to_')), "
        "'xml.etree' in sys.modules, 'csv' in sys.modules)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert finished.stdout.split() == ["grader.reports.to_text", "False", "False"]


EXPORT = """\
Student,ID,SIS User ID,SIS Login ID,Section,Attention (4711)
    Points Possible,,,,,MOST
"Byron, Ada",1,S1,ada,CS 101,
"Moss, Bob",2,S2,bob,CS 101,
"""


@pytest.fixture
def graded(etude: Etude, tmp_path: Path) -> Path:
    """A gradebook, and the results of two students."""
    _hand_in(tmp_path / "in" / "ada", RIGHT)
    _hand_in(tmp_path / "in" / "bob", WRONG)
    etude("grade", "in", "--output", "results.jsonl")
    most = str(_line_of(tmp_path / "results.jsonl", "ada")["max_score"])
    (tmp_path / "book.csv").write_text(EXPORT.replace("MOST", most))
    return tmp_path


def test_canvas_gets_its_grades(etude: Etude, graded: Path) -> None:
    """A batch's results fill the assignment's column of a new file."""
    words = ("export", "canvas", "book.csv", "results.jsonl", "--column", "Attention")
    finished = etude(*words, "--output", "filled.csv")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout == "2 grades in 'Attention (4711)' of filled.csv\n"
    rows = (graded / "filled.csv").read_text().splitlines()
    ada, bob = (_line_of(graded / "results.jsonl", student) for student in ("ada", "bob"))
    filled = [str(ada["max_score"]), str(ada["score"]), str(bob["score"])]
    assert [row.rpartition(",")[2] for row in rows] == ["Attention (4711)", *filled]
    assert "ada,CS 101,\n" in (graded / "book.csv").read_text()


def test_a_gradebook_that_a_spreadsheet_saved_is_read_or_refused_with_advice(
    etude: Etude, graded: Path
) -> None:
    """UTF-16 and the line of a separator are read; another encoding is named with its line."""
    book = graded / "book.csv"
    text = book.read_text()
    words = ("export", "canvas", "book.csv", "results.jsonl", "--column", "Attention")
    assert etude(*words, "--output", "plain.csv").returncode == 0
    for name, data in (("16.csv", text.encode("utf-16")), ("sep.csv", f"sep=,\n{text}".encode())):
        book.write_bytes(data)
        assert etude(*words, "--output", name).returncode == 0
        assert (graded / name).read_text() == (graded / "plain.csv").read_text()
    book.write_bytes(text.replace("Ada", "J\xf6rg").encode("cp1252"))
    finished = etude(*words, "--output", "other.csv")
    assert finished.returncode == 2
    assert "is not UTF-8; save the file again, in Excel as 'CSV UTF-8'" in finished.stderr
    assert "book.csv:" in finished.stderr


def _hand_in(folder: Path, source: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "attention-weights.py").write_bytes(source.read_bytes())


def _line_of(path: Path, student: str) -> dict[str, object]:
    lines = [json.loads(line) for line in _lines(path)]
    found: dict[str, object] = next(line for line in lines if line["student"] == student)
    return found


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()
