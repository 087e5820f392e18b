"""`etude verify` as its users run it: what it prints, writes, remembers, and its exit status."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.definitions.student_edition import student_text
from tests.authoring.golden_cases import VERIFY
from tests.conftest import Etude

PROVEN = VERIFY.text("proven")
TRACK = "id: small\ntitle: Small\ndescription: Small.\nexercises: [proven]\n"


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    """The folder that the command runs in, with one proven exercise."""
    (tmp_path / "work").mkdir(exist_ok=True)
    (tmp_path / "work" / "proven.yaml").write_text(PROVEN)
    return tmp_path / "work"


def test_a_proven_exercise_is_one_line(verify: Etude, workdir: Path) -> None:
    """Beside what its inputs reach and what no hidden test meets; the exit status is 0."""
    finished = verify("proven.yaml")
    assert finished.returncode == 0  # on a busy machine there is a line about progress on stderr
    first, note, reach, last = finished.stdout.splitlines()
    assert first.startswith("\u2713 proven")
    assert "17/17 checks" in first
    assert "8/8 mutants" in first
    assert "inputs of size" in reach
    assert "note: mutants-killed: no hidden test rejects" in note
    assert last == "1 exercise proven."
    assert workdir.exists()


def test_what_is_not_proven_says_where_and_what_to_do(verify: Etude, tmp_path: Path) -> None:
    """One line for each finding, which editors can jump to."""
    path = VERIFY.write("never-called", tmp_path)
    finished = verify(path)
    assert finished.returncode == 1
    assert f"{path}:15:5: tests-call-submission: test 'tc1'" in finished.stdout
    assert finished.stdout.splitlines()[-1] == "0 of 1 exercise proven."


@pytest.mark.slow
def test_an_invalid_definition_does_not_hide_the_others(verify: Etude, workdir: Path) -> None:
    """Exit status 2, every problem with its line, and the rest is proven all the same."""
    (workdir / "broken.yaml").write_text("id: broken\nxp: many\n")
    finished = verify("broken.yaml", "proven.yaml")
    assert finished.returncode == 2
    assert "broken.yaml:2:5: definition: xp: expected an integer" in finished.stdout
    assert finished.stdout.splitlines()[-1] == "1 of 2 exercises proven."


@pytest.mark.slow
@pytest.mark.usefixtures("workdir")
def test_a_second_run_knows_the_proof(verify: Etude, tmp_path: Path) -> None:
    """A failed proof is known too, and --no-cache proves again."""
    verify("proven.yaml")
    assert "known" in verify("proven.yaml").stdout
    assert "known" not in verify("proven.yaml", "--no-cache").stdout
    broken = VERIFY.write("starter-crashes", tmp_path)
    first, second = verify(broken), verify(broken)
    assert (first.returncode, second.returncode) == (1, 1)
    assert "known" in second.stdout
    assert first.stdout.splitlines()[1:] == second.stdout.splitlines()[1:]


@pytest.mark.slow
def test_what_lint_refuses_is_not_proven(verify: Etude, workdir: Path) -> None:
    """Its errors are findings, with their lines; a known proof does not hide them."""
    assert verify("proven.yaml").returncode == 0
    text = PROVEN.replace("Write `scaled", "Cost $5. Write `scaled")
    (workdir / "proven.yaml").write_text(
        text.replace("hidden: true\n", "hidden: true\n    points: 0\n")
    )
    for _ in range(2):
        finished = verify("proven.yaml")
        assert finished.returncode == 1
        assert "proven.yaml:6:20: no-lint-error: ETU206: instructions: this '$'" in finished.stdout
        assert (
            "no-lint-error: ETU302: points: all hidden tests together are worth" in finished.stdout
        )


@pytest.mark.slow
def test_a_surviving_mutant_can_be_accepted(verify: Etude, workdir: Path) -> None:
    """One reason is for one mutant; the entry is written, and the exercise proven again."""
    text = PROVEN.replace("[[1.0, 2.0, 2.0, 4.0]]", "[[1.0]]").replace(
        "[[4.0, 2.0, 1.0, 0.0]]", "[[5.0]]"
    )
    text = (
        text.replace("(2, 5)", "(2, 1)").replace("(3, 5)", "(3, 1)").replace("sqrt(5)", "sqrt(1)")
    )
    (workdir / "proven.yaml").write_text(text)
    several = verify("proven.yaml", "--accept", "--reason", "One feature.")
    assert (several.returncode, several.stdout) == (2, "")
    assert "--change:\n  drop-scale in scaled_scores: `Q @ K.T /" in several.stderr
    change = several.stderr.splitlines()[-1].strip()
    finished = verify("proven.yaml", "--accept", "--reason", "One feature.", "--change", change)
    assert f"listed as equivalent: {change}" in finished.stderr
    assert f"accepts a mutant of the solution, {change}" not in finished.stdout
    assert "One feature." in (workdir / "proven.yaml").read_text()


@pytest.mark.slow
def test_maths_that_does_not_parse_is_told_once(verify: Etude, workdir: Path) -> None:
    """Where it stands, and not again as a page that cannot be made."""
    text = PROVEN.replace(
        "Write `scaled_scores(Q, K)`.", "|\n  Write `scaled_scores(Q, K)`.\n  Use $\\sqrt{x$."
    )
    (workdir / "proven.yaml").write_text(text)
    finished = verify("proven.yaml")
    assert finished.returncode == 1
    assert "proven.yaml:8:8: no-lint-error: ETU208: instructions: Expected" in finished.stdout
    assert "nothing-leaks" not in finished.stdout


@pytest.mark.slow
def test_a_circle_of_prerequisites_and_a_lesson_are_looked_at(verify: Etude, workdir: Path) -> None:
    """What only shows between files, or in a lesson, keeps the collection from being proven."""
    for track, name, other in (("one", "a", "b"), ("two", "b", "a")):
        below = workdir / "collection" / track
        (below / "lessons").mkdir(parents=True)
        text = PROVEN.replace("id: proven", f"id: {name}\nrequires: [{other}]")
        (below / f"01-{name}.yaml").write_text(text)
        lesson = f"lessons: [{{id: l, title: L, exercises: [{name}]}}]\n"
        (below / "lessons" / "01-l.md").write_text(f"Solve {name}.\n\nA $5 note.\n")
        track_text = TRACK.replace("id: small", f"id: {track}").replace("[proven]", f"[{name}]")
        (below / "track.yaml").write_text(track_text + lesson)
    finished = verify("--exercises", "collection")
    assert finished.returncode == 1
    assert (
        "01-a.yaml:3:12: no-lint-error: ETU000: requires: a circle: a -> b -> a" in finished.stdout
    )
    assert "lessons/01-l.md:3:3: no-lint-error: ETU206: this '$'" in finished.stdout


@pytest.mark.slow
def test_a_track_is_verified_as_a_whole(verify: Etude, workdir: Path) -> None:
    """What its file says wrong is an invalid definition, also when every exercise is known."""
    below = workdir / "collection" / "small"
    below.mkdir(parents=True)
    (workdir / "proven.yaml").rename(below / "01-proven.yaml")
    (below / "track.yaml").write_text(TRACK)
    assert verify("small", "--exercises", "collection").returncode == 0
    assert "known" in verify("--exercises", "collection").stdout
    (below / "track.yaml").write_text(TRACK.replace("[proven]", "[proven, missing]"))
    finished = verify("small", "--exercises", "collection")
    assert finished.returncode == 2
    assert "no exercise 'missing'" in finished.stdout


@pytest.mark.slow
def test_the_record_is_json_and_can_be_written(verify: Etude, workdir: Path) -> None:
    """The same object on stdout and in the file."""
    finished = verify("proven.yaml", "--format", "json", "--output", "record.json")
    data = json.loads(finished.stdout)
    assert data == json.loads((workdir / "record.json").read_text())
    assert data["schema"] == "etude/proof/v1"
    (exercise,) = data["exercises"]
    assert (exercise["file"], exercise["status"]) == ("proven.yaml", "proven")
    assert set(exercise["checks"].values()) == {"passed"}
    assert exercise["counts"]["killed"] == exercise["counts"]["mutants"] == 8


def test_a_student_edition_cannot_be_verified(verify: Etude, workdir: Path) -> None:
    """It has no solution; the message names the way out."""
    (workdir / "student.yaml").write_text(student_text(workdir / "proven.yaml"))
    finished = verify("student.yaml")
    assert finished.returncode == 2
    assert "student.yaml is a student edition; verify the full one, or name your" in finished.stderr


@pytest.mark.slow
def test_an_exercise_with_an_image_is_proven(verify: Etude, workdir: Path) -> None:
    """The image comes from a folder of the course; while it is missing, nothing is proven."""
    track = workdir / "small"
    for folder in (track, workdir / "pictures"):
        folder.mkdir()
    (workdir / "course.yaml").write_text("title: T\n")
    (track / "track.yaml").write_text(TRACK)
    image = workdir / "pictures" / "axes.png"
    text = PROVEN.replace("(Q, K)`.", "(Q, K)`. ![axes](../pictures/axes.png)", 1)
    (track / "proven.yaml").write_text(text)
    missing = verify("small/")
    image.write_bytes(b"\x89PNG\r\n\x1a\n and so on")
    complete = verify("small/")
    image.write_bytes(b"\x89PNG\r\n\x1a\n".ljust(1 << 20))

    line = text[: text.index("![")].count("\n") + 1
    place = f"small/proven.yaml:{line}:44: no-lint-error: ETU208: instructions: "
    assert f"{place}there is no file '../pictures/axes.png'" in missing.stdout
    assert complete.returncode == 0, complete.stdout
    assert f"{place}'../pictures/axes.png': the file has 1,048,576 bytes" in verify("small/").stdout


@pytest.mark.slow
def test_watching_proves_again_what_changes(workdir: Path, tmp_path: Path) -> None:
    """A first run, another after the file is saved, and an end by Ctrl-C; no other `grader` runs."""
    (workdir / "grader.py").write_text("raise SystemExit('imported from the working directory')")
    etude = str(Path(sys.executable).with_name("etude"))
    words = [etude, "verify", "proven.yaml", "--watch"]
    log = tmp_path / "log"
    with log.open("w") as file:
        watching = subprocess.Popen(
            words, cwd=workdir, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)}, stdout=file
        )
    try:
        wait_for(log, "1 exercise proven.")
        (workdir / "proven.yaml").write_text(PROVEN.replace("hidden: true", "hidden: false"))
        wait_for(log, "has-hidden-test")
    finally:
        watching.terminate()
        watching.wait(60)


def wait_for(log: Path, words: str) -> None:
    deadline = time.monotonic() + 60
    while words not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
