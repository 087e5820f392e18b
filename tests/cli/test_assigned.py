"""`etude grade --assigned`: what one student handed in, for each exercise that was asked for."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
RIGHT = (ROOT / "examples/submissions/correct/attention-weights.py").read_text()
Etude = Callable[..., subprocess.CompletedProcess[str]]


def hand_in(folder: Path, *names: str, source: str = RIGHT) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(source)
    return folder


def test_one_exercise_is_reported_as_check_does(etude: Etude, tmp_path: Path) -> None:
    """In full, as one verdict; nothing is recorded for a learner."""
    hand_in(tmp_path / "in", "attention_weights.py")
    done = etude("grade", "in", "--assigned", "attention-weights", "--format", "json")
    verdict = json.loads(done.stdout)
    assert (done.returncode, verdict["exercise"], verdict["outcome"]) == (
        0, "attention-weights", "passed",
    )  # fmt: skip
    assert "student" not in verdict
    text = etude("grade", "in", "--assigned", "attention-weights").stdout
    assert text.startswith("Compute attention weights\n")
    assert "new" in etude("list", "attention").stdout


def test_every_assigned_exercise_has_a_verdict(etude: Etude, tmp_path: Path) -> None:
    """Wherever its file lies, and without one; an id or a path names an exercise."""
    hand_in(tmp_path / "in", "week 1/attention-weights.py")
    definition = ROOT / "exercises" / "attention" / "01-token-lookup.yaml"
    words = ("--assigned", "attention-weights", "--assigned", definition)
    done = etude("grade", "in", *words, "--format", "json")
    assert done.returncode == 1
    verdicts = {each["exercise"]: each for each in json.loads(done.stdout)["verdicts"]}
    assert verdicts["attention-weights"]["outcome"] == "passed"
    missing = verdicts["token-lookup"]
    assert (missing["outcome"], missing["score"], missing["max_score"]) == ("errored", 0, 9)
    assert missing["message"] == "There is no file token-lookup.py."


def test_a_file_of_another_name_is_taken_for_one_exercise_only(
    etude: Etude, tmp_path: Path
) -> None:
    """With two exercises nobody knows which it is for; the sentence names it."""
    hand_in(tmp_path / "in", "mine.py")
    assert etude("grade", "in", "--assigned", "attention-weights").returncode == 0
    words = ("--assigned", "attention-weights", "--assigned", "token-lookup")
    done = etude("grade", "in", *words)
    assert done.returncode == 1
    assert "There is no file attention-weights.py; what was handed in is mine.py." in done.stdout


def test_a_long_list_of_files_is_cut_and_made_printable(etude: Etude, tmp_path: Path) -> None:
    """What a student calls a file steers no terminal."""
    hand_in(tmp_path / "in", "\x1b[31ma.py", "b.py", "c.py", "d.py", "e.py")
    words = ("--assigned", "attention-weights", "--format", "json")
    message = json.loads(etude("grade", "in", *words).stdout)["message"]
    assert r"what was handed in is \x1b[31ma.py, b.py, c.py, 2 more. Call" in message


def test_wrong_use_is_said(etude: Etude, tmp_path: Path) -> None:
    """Exit status 2: the same exercise twice, or a batch's option for one student."""
    hand_in(tmp_path / "in", "attention-weights.py")
    assigned = ("--assigned", "attention-weights")
    for words, message in (
        ((*assigned, *assigned), "two of the assigned exercises have the same id"),
        ((*assigned, "--output", "x", "--resume"), "--resume is for many students"),
        (("--assigned", "atention-weights"), "did you mean 'attention-weights'?"),
    ):
        done = etude("grade", "in", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
