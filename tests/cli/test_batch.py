"""`etude grade` on folders as they come: odd files, interruptions, equal code."""

import contextlib
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.definitions.files import default_folder
from grader.errors import UsageError
from grader.reports.results_file import ResultsFile
from tests.conftest import DOUBLE, Etude
from tests.notebook_files import notebook

ROOT = Path(__file__).parent.parent.parent
RIGHT = (ROOT / "examples/submissions/correct/attention-weights.py").read_text()


def hand_in(folder: Path, student: str, source: str, name: str = "attention-weights.py") -> Path:
    path = folder / student / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    return path


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_existing_file_is_never_overwritten(etude: Etude, tmp_path: Path) -> None:
    """Only `--resume` goes on with it."""
    hand_in(tmp_path / "in", "s", RIGHT)
    (tmp_path / "out.jsonl").write_text("mine\n")
    finished = etude("grade", "in", "--output", "out.jsonl")
    assert finished.returncode == 2
    assert "--resume goes on with it" in finished.stderr
    assert (tmp_path / "out.jsonl").read_text() == "mine\n"


def test_resume_grades_what_has_no_verdict_yet(etude: Etude, tmp_path: Path) -> None:
    """A cut-off line and a fault are done again, a changed file is new; reports have all of them."""
    for student in "abcd":
        hand_in(tmp_path / "in", student, f"{RIGHT}\n# {student}\n")
    etude("grade", "in", "--output", "out.jsonl")
    by_student = {str(line["student"]): line for line in lines(tmp_path / "out.jsonl")}
    fault = {**by_student["b"], "outcome": "grader fault"}
    kept = [json.dumps(by_student["a"]), json.dumps(fault), json.dumps(by_student["d"])]
    cut = json.dumps(by_student["c"])[:50]
    (tmp_path / "out.jsonl").write_text("\n".join([*kept, cut]))
    hand_in(tmp_path / "in", "d", f"{RIGHT}\n# changed\n")
    words = ("grade", "in", "--output", "out.jsonl", "--resume")
    finished = etude(*words, "--format", "csv=all.csv")
    assert "4 submissions: 4 passed" in finished.stdout
    assert "1 had a verdict already" in finished.stdout
    students = [row.partition(",")[0] for row in (tmp_path / "all.csv").read_text().splitlines()]
    assert students == ["student", *"abcd"]
    after = [str(line["student"]) for line in lines(tmp_path / "out.jsonl")]
    assert sorted(after) == ["a", "b", "b", "c", "d", "d"]
    again = etude("grade", "in", "--output", "out.jsonl", "--resume")
    assert "4 had a verdict already" in again.stdout


@pytest.mark.slow
def test_an_interruption_leaves_a_valid_file_that_resumes(
    etude_process: Etude, tmp_path: Path
) -> None:
    """Ctrl-C in the middle of a batch; then the rest, nothing twice."""
    students = [f"s{number}" for number in range(5)]
    for student in students:
        hand_in(tmp_path / "in", student, f"{RIGHT}\n# {student}\n")
    hand_in(tmp_path / "in", "s4", f"{RIGHT}\nimport time\ntime.sleep(5)\n")  # graded last
    words = ["grade", "in", "--jobs", "1", "--output", "out.jsonl"]
    process = subprocess.Popen(
        [sys.executable, "-m", "grader.cli", *words],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts what it puts in the background with SIGINT ignored, and that is inherited.
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  no threads here
    )
    out = tmp_path / "out.jsonl"
    deadline = time.monotonic() + 60
    while not (out.exists() and out.read_text().count("\n") == 4) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip().splitlines()[-1] == "etude: interrupted"
    assert [line["student"] for line in lines(out)] == students[:4]
    hand_in(tmp_path / "in", "s4", RIGHT)
    assert etude_process(*words, "--resume").returncode == 0
    assert [line["student"] for line in lines(out)] == students


@pytest.mark.slow
def test_equal_code_is_graded_once_and_everybody_gets_the_verdict(
    etude: Etude, tmp_path: Path
) -> None:
    """The same verdict, down to the time that each test took."""
    for number in range(5):
        hand_in(tmp_path / "in", f"s{number}", RIGHT)
    finished = etude("grade", "in", "--format", "json")
    verdicts = json.loads(finished.stdout)["verdicts"]
    assert [verdict["outcome"] for verdict in verdicts] == ["passed"] * 5
    assert any(test["seconds"] for test in verdicts[0]["tests"])
    assert [verdict["tests"] for verdict in verdicts] == [verdicts[0]["tests"]] * 5


@pytest.mark.slow
def test_whatever_lies_in_the_folder_is_graded_or_reported(etude: Etude, tmp_path: Path) -> None:
    """Links, FIFOs, sockets, unreadable files and odd names: nothing followed, nothing lost."""
    folder = tmp_path / "in"
    hand_in(folder, "a right one", RIGHT)
    hand_in(folder, "with\nnewline", RIGHT)
    bytes_name = os.fsencode(folder) + b"/caf\xe9"
    os.mkdir(bytes_name)  # noqa: PTH102  pathlib takes no bytes
    with open(bytes_name + b"/attention-weights.py", "w") as file:  # noqa: PTH123  pathlib takes no bytes
        file.write(RIGHT)
    for student in ("fifo", "link", "socket", "folder"):
        (folder / student).mkdir()
    os.mkfifo(folder / "fifo" / "attention-weights.py")
    (folder / "link" / "attention-weights.py").symlink_to("/etc/passwd")
    (folder / "folder" / "attention-weights.py").mkdir()
    with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(folder / "socket"):
        server.bind("attention-weights.py")  # the path of a socket has to be short
    (folder / "linked-student").symlink_to(folder / "a right one")
    (folder / "a file.txt").write_text("not a student")
    finished = etude("grade", "in", "--format", "json")
    assert finished.returncode == 2
    found = {v["student"]: v for v in json.loads(finished.stdout)["verdicts"]}
    linked = found["linked-student"]
    assert (linked["outcome"], linked["message"]) == (
        "not graded", "The folder is a symbolic link; put the folder itself here.",
    )  # fmt: skip
    passed = {name for name, verdict in found.items() if verdict["outcome"] == "passed"}
    assert passed == {"a right one", "with\nnewline", "caf\udce9"}
    for student in ("fifo", "link", "socket", "folder"):
        assert found[student]["score"] == 0
        assert found[student]["message"]
    assert "root:" not in finished.stdout
    shown = etude("grade", "in").stdout
    assert "with\nnewline" not in shown


def test_without_a_terminal_progress_is_plain_lines(etude: Etude, tmp_path: Path) -> None:
    """No control characters in a log; nothing at all for a short batch."""
    hand_in(tmp_path / "in", "s", RIGHT)
    finished = etude("grade", "in")
    assert finished.stderr == ""
    assert "\x1b" not in finished.stdout


@pytest.mark.slow
def test_resume_remembers_who_did_not_pass(etude: Etude, tmp_path: Path) -> None:
    """The exit status is of all results, those of earlier runs too."""
    hand_in(tmp_path / "in", "s", RIGHT.replace("/ np.sqrt", "* np.sqrt"))
    assert etude("grade", "in", "--output", "out.jsonl").returncode == 1
    assert etude("grade", "in", "--output", "out.jsonl", "--resume").returncode == 1


def test_resume_refuses_a_file_of_something_else(etude: Etude, tmp_path: Path) -> None:
    """A user's notes are not appended to, with a line break at their end or without."""
    hand_in(tmp_path / "in", "s", RIGHT)
    for text in ('{"a": "my notes"}', "junk\n", "[" * 100_000):
        (tmp_path / "notes").write_text(text)
        finished = etude("grade", "in", "--output", "notes", "--resume")
        assert finished.returncode == 2
        assert "notes:1 is not a whole result of etude grade" in finished.stderr
        assert (tmp_path / "notes").read_text() == text


def test_one_run_at_a_time_writes_a_file(tmp_path: Path) -> None:
    """A second one, begun with --resume meanwhile, is refused."""
    with (
        ResultsFile(tmp_path / "out.jsonl"),
        pytest.raises(UsageError, match="is being written by another run"),
    ):
        ResultsFile(tmp_path / "out.jsonl", resume=True)


def test_an_error_before_the_first_result_leaves_no_file(etude: Etude, tmp_path: Path) -> None:
    """The same command therefore works once the cause is gone."""
    hand_in(tmp_path / "in", "a", RIGHT)
    attention = default_folder() / "attention"
    shutil.copytree(attention, tmp_path / "course" / "attention")
    (tmp_path / "course" / "course.yaml").write_text("title: Own\npackages: [json]\n")
    finished = etude("grade", "in", "--output", "out.jsonl", "--exercises", "course")
    assert finished.returncode == 2
    assert "'json' is always there" in finished.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_resume_writes_through_no_link(tmp_path: Path) -> None:
    """A checkout may hold one that leads to a file of the person who grades."""
    (tmp_path / "theirs").touch()
    (tmp_path / "out.jsonl").symlink_to(tmp_path / "theirs")
    with pytest.raises(UsageError, match="cannot be written"):
        ResultsFile(tmp_path / "out.jsonl", resume=True)


def test_results_reach_no_linked_folder_of_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file is created or continued at the place where the link leads."""
    for name in ("checkout", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "checkout" / "out").symlink_to("../elsewhere")
    monkeypatch.chdir(tmp_path / "checkout")
    for resume in (False, True):
        with pytest.raises(UsageError, match="out is a symbolic link; name the folder"):
            ResultsFile(Path("out/results.jsonl"), resume=resume)
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.slow
def test_files_that_are_no_submissions_are_counted(etude: Etude, tmp_path: Path) -> None:
    """No one's work disappears in silence; hidden folders are no one's work."""
    hand_in(tmp_path / "in", "s", RIGHT)
    hand_in(tmp_path / "in", "s", RIGHT, "attention-weights.txt")
    hand_in(tmp_path / "in", ".git", RIGHT)
    (tmp_path / "in" / "lost.py").write_text(RIGHT)
    finished = etude("grade", "in")
    assert finished.stdout.splitlines()[-1].startswith("2 not looked at")
    assert "lost.py" in finished.stdout
    assert ".git" not in finished.stdout


def test_a_notebook_that_cannot_be_read_gets_nothing_and_is_named(
    etude: Etude, tmp_path: Path
) -> None:
    """It loses all points, so that garbage drops no exercise; alone it is a usage error."""
    hand_in(tmp_path / "in", "a", notebook(RIGHT), "attention-weights.ipynb")
    broken = hand_in(tmp_path / "in", "b", "{\n{", "attention-weights.ipynb")
    hand_in(tmp_path / "in", "c", notebook("x", language="julia"), "attention-weights.ipynb")
    finished = etude("grade", "in", "--output", "out.jsonl", "--format", "gradebook")
    assert finished.returncode == 1
    found = {line["student"]: line for line in lines(tmp_path / "out.jsonl")}
    assert found["a"]["outcome"] == "passed"
    assert {row.rpartition(",")[2] for row in finished.stdout.splitlines()[1:]} == {"13"}
    assert (
        f"{broken.relative_to(tmp_path)} gets 0 points: The notebook is broken" in finished.stderr
    )
    said = "The notebook is broken: its JSON cannot be read from line 2 on."
    assert said in str(found["b"]["message"])
    assert "The notebook is in julia" in str(found["c"]["message"])
    alone = etude("check", "attention-weights", str(broken))
    assert (alone.returncode, said in alone.stderr) == (2, True)


def test_of_a_python_file_and_a_notebook_the_newer_one_counts(etude: Etude, tmp_path: Path) -> None:
    """A student thus has one result per exercise."""
    wrong = hand_in(tmp_path / "in", "a", "x = 1")
    hand_in(tmp_path / "in", "a", notebook(RIGHT), "attention-weights.ipynb")
    os.utime(wrong, (1_700_000_000, 1_700_000_000))
    finished = etude("grade", "in", "--output", "out.jsonl")
    (found,) = lines(tmp_path / "out.jsonl")
    assert (found["outcome"], found["file"]) == ("passed", "in/a/attention-weights.ipynb")
    assert "or not the one that counts: in/a/attention-weights.py" in finished.stdout


def test_check_takes_the_file_that_grade_takes(etude: Etude, tmp_path: Path) -> None:
    """Both take the newer of two files, under any name, and neither of equal dates."""
    right = hand_in(tmp_path, ".", RIGHT, "Attention_Weights (1).PY")
    wrong = hand_in(tmp_path, ".", notebook("x = 1"), "attention-weights.ipynb")
    os.utime(wrong, (1_700_000_000, 1_700_000_000))
    finished = etude("check", "attention-weights")
    assert finished.returncode == 0
    assert finished.stderr == f"{wrong.name} does not count: {right.name} is newer\n"
    os.utime(right, (1_700_000_000, 1_700_000_000))
    finished = etude("check", "attention-weights")
    assert (
        finished.returncode,
        f"there are {right.name} and {wrong.name} here" in finished.stderr,
    ) == (
        2,
        True,
    )
    assert etude("check", right.name).returncode == 0
    text = hand_in(tmp_path, "downloads", RIGHT, "attention-weights.py.txt")
    finished = etude("check", text)
    assert (finished.returncode, "is neither a submission by its name" in finished.stderr) == (
        2,
        True,
    )


@pytest.mark.slow
def test_what_a_definition_prints_stays_out_of_the_result(
    etude_process: Etude, tmp_path: Path
) -> None:
    """An author's debugging print in `given` does not break the JSON on stdout."""
    (tmp_path / "loud.yaml").write_text(
        "id: loud\ntitle: Loud\ndifficulty: beginner\nxp: 1\ninstructions: i\n"
        "defines: {f: {}}\nstarter: ''\nsolution: ''\nexplanation: e\n"
        "tests: [{id: only, given: 'x = print(1)', call: f(x), expect: 1}]\n"
    )
    (tmp_path / "mine.py").write_text("def f(x): return 1\n")
    finished = etude_process("check", "loud.yaml", "mine.py", "--format", "json")
    assert json.loads(finished.stdout)["outcome"] == "passed"


@pytest.mark.slow
def test_a_verdict_without_a_sandbox_settles_nothing(etude: Etude, tmp_path: Path) -> None:
    """A later run in the sandbox grades the file again."""
    hand_in(tmp_path / "in", "s", RIGHT)
    etude("grade", "in", "--output", "out.jsonl", "--unsafe-no-sandbox")
    finished = etude("grade", "in", "--output", "out.jsonl", "--resume")
    assert "1 submission: 1 passed" in finished.stdout
    assert [line["sandbox"] == "none" for line in lines(tmp_path / "out.jsonl")] == [True, False]


def test_an_exercise_that_cannot_be_run_is_no_wrong_submission(
    etude: Etude, tmp_path: Path
) -> None:
    """The status is that of an invalid definition, as `etude check` gives it, not of a fault."""
    (tmp_path / "double.yaml").write_text(DOUBLE.replace("normal(5)", "normal(-5)"))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "double.py").write_text("def double(x):\n    return 2 * x\n")
    finished = etude("grade", "work", "--assigned", "double.yaml")
    assert finished.returncode == 2
    assert "double.yaml:2" in finished.stdout
