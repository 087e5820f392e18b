"""`etude grade --assigned`: what one student submitted, for each exercise that was asked for."""

import json
import os
from pathlib import Path

import pytest

from grader.cli import options
from grader.definitions.collection import load_exercise_file
from grader.errors import UsageError
from grader.grading.workers.assignment_plan import plan_assignment
from tests.conftest import Etude

ROOT = Path(__file__).parent.parent.parent
RIGHT = (ROOT / "examples/submissions/correct/attention-weights.py").read_text()


def hand_in(folder: Path, *names: str, source: str = RIGHT) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(source)
    return folder


@pytest.mark.slow
def test_one_exercise_is_reported_as_check_does(etude: Etude, tmp_path: Path) -> None:
    """In full, as one verdict; nothing is recorded for a learner."""
    hand_in(tmp_path / "in", "attention_weights.py")
    finished = etude("grade", "in", "--assigned", "attention-weights", "--format", "json")
    verdict = json.loads(finished.stdout)
    assert (finished.returncode, verdict["exercise"], verdict["outcome"]) == (
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
    finished = etude("grade", "in", *words, "--format", "json")
    assert finished.returncode == 1
    verdicts = {each["exercise"]: each for each in json.loads(finished.stdout)["verdicts"]}
    assert verdicts["attention-weights"]["outcome"] == "passed"
    missing = verdicts["token-lookup"]
    assert (missing["outcome"], missing["score"], missing["max_score"]) == ("errored", 0, 8)
    assert missing["message"] == "There is no file token-lookup.py."


@pytest.mark.slow
def test_a_file_of_another_name_is_taken_for_one_exercise_only(
    etude: Etude, tmp_path: Path
) -> None:
    """With two exercises no one knows which it is for; the sentence names it."""
    hand_in(tmp_path / "in", "mine.py")
    assert etude("grade", "in", "--assigned", "attention-weights").returncode == 0
    words = ("--assigned", "attention-weights", "--assigned", "token-lookup")
    finished = etude("grade", "in", *words)
    assert finished.returncode == 1
    assert (
        "There is no file attention-weights.py; what was submitted is mine.py." in finished.stdout
    )


def test_a_long_list_of_files_is_cut_and_made_printable(etude: Etude, tmp_path: Path) -> None:
    """What a student calls a file steers no terminal."""
    hand_in(tmp_path / "in", "\x1b[31ma.py", "b.py", "c.py", "d.py", "e.py")
    words = ("--assigned", "attention-weights", "--format", "json")
    message = json.loads(etude("grade", "in", *words).stdout)["message"]
    assert r"what was submitted is \x1b[31ma.py, b.py, c.py and 2 more. Call" in message


def test_wrong_use_is_said(etude: Etude, tmp_path: Path) -> None:
    """Exit status 2: the same exercise twice, or a batch's option for one student."""
    hand_in(tmp_path / "in", "attention-weights.py")
    assigned = ("--assigned", "attention-weights")
    for words, message in (
        ((*assigned, *assigned), "two of the assigned exercises have the same id"),
        ((*assigned, "--output", "x", "--resume"), "--resume is for many students"),
        (("--assigned", "atention-weights"), "did you mean 'attention-weights'?"),
    ):
        finished = etude("grade", "in", *words)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert message in finished.stderr


def hostile(folder: Path, name: str) -> Path:
    """Write a definition that lets everything pass, as a student might submit it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "id: attention-weights\ntitle: T\ndifficulty: beginner\nxp: 1\ninstructions: i\n"
        "defines: {f: {}}\nstarter: |\n  def f():\n      ...\n"
        "tests: [{id: t, points: 99, call: f(), expect: 1}]\n"
        "solution: |\n  def f():\n      return 1\nexplanation: e\n"
    )
    return path


def test_a_file_called_like_the_exercise_is_not_its_definition(
    etude: Etude, tmp_path: Path
) -> None:
    """In the working directory, which in a CI job is the student's."""
    hand_in(tmp_path, "attention-weights.py", source="def f():\n    return 1\n")
    hostile(tmp_path, "attention-weights")
    finished = etude("grade", ".", "--assigned", "attention-weights", "--format", "json")
    assert (finished.returncode, json.loads(finished.stdout)["score"]) == (1, 0)


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (("grade", "in", "--assigned", "in/week/attention-weights.yaml"), None),
        (("grade", "in", "--assigned", "attention-weights", "--exercises", "in/week"), None),
        (("grade", "in", "--assigned", "attention-weights"), "in/week"),
        (("grade", "in", "--exercises", "in"), None),
        (("diff", "in/week/attention-weights.yaml", "new.yaml", "in"), None),
    ],
)
def test_a_definition_from_the_graded_folder_is_refused(
    etude: Etude, words: tuple[str, ...], environment: str | None, tmp_path: Path
) -> None:
    """By its path or with its collection, named by an option or by the environment."""
    hand_in(tmp_path / "in", "attention-weights.py")
    hostile(tmp_path, "in/week/attention-weights.yaml")
    finished = etude(*words, env={"ETUDE_EXERCISES": environment})
    assert finished.returncode == 2
    assert "in in, the folder that is graded" in finished.stderr


def test_a_student_s_file_names_no_definition_by_a_path(etude: Etude, tmp_path: Path) -> None:
    """The name of a file in a student's folder is an id, also if it looks like a path."""
    hostile(tmp_path, "own.yaml")
    hand_in(tmp_path / "in" / "eve", "own.yaml.py", source="def f():\n    return 1\n")
    finished = etude("grade", "in", "--format", "json")
    (record,) = json.loads(finished.stdout)["verdicts"]
    assert record["outcome"] == "not graded"
    assert "no exercise 'own.yaml'" in record["message"]


def test_a_collection_beside_the_graded_folder_is_used(etude: Etude, tmp_path: Path) -> None:
    """A path to the file that only contains the folder's name does not lead through the folder."""
    hand_in(tmp_path / "course" / "in", "attention-weights.py", source="def f():\n    return 1\n")
    hostile(tmp_path, "course/exercises/01-attention-weights.yaml")
    words = ("--assigned", "attention-weights", "--exercises", "../exercises", "--format", "json")
    finished = etude("grade", ".", *words, cwd=tmp_path / "course" / "in")
    assert (finished.returncode, json.loads(finished.stdout)["score"]) == (0, 99)


def test_no_link_hides_where_a_definition_lies(tmp_path: Path) -> None:
    """Out of the graded folder, into it, through it, or by another name of it."""
    folder, outside = tmp_path / "in", tmp_path / "outside"
    (folder / "sub").mkdir(parents=True)
    outside.mkdir()
    (outside / "a.yaml").touch()
    (folder / "sub" / "a.yaml").touch()
    (folder / "out.yaml").symlink_to(outside / "a.yaml")
    (folder / "sub" / "up").symlink_to(outside)
    (tmp_path / "into.yaml").symlink_to(folder / "sub" / "a.yaml")
    (tmp_path / "through").symlink_to(folder / "sub")
    (tmp_path / "alias").symlink_to(folder)
    for name in (
        "in/out.yaml", "into.yaml", "through/up/a.yaml", "alias/sub/a.yaml", "through/../out.yaml",
    ):  # fmt: skip
        with pytest.raises(UsageError, match="the folder that is graded"):
            options.refuse_submitted_definitions(tmp_path / name, folder)
    options.refuse_submitted_definitions(outside / "a.yaml", tmp_path / "alias")
    options.refuse_submitted_definitions(folder / ".." / "outside" / "a.yaml", folder)


def test_no_link_leads_to_the_folder_of_one_student(etude: Etude, tmp_path: Path) -> None:
    """Be it the folder itself or one above it: both could show the solutions of a course."""
    hand_in(tmp_path / "course" / "solutions", "attention-weights.py")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "homework").symlink_to("../course/solutions")
    (tmp_path / "in" / "up").symlink_to("../course")
    for name in ("homework", "homework/", "./homework", "up/solutions"):
        finished = etude("grade", name, "--assigned", "attention-weights", cwd=tmp_path / "in")
        assert finished.returncode == 2
        assert "is a symbolic link" in finished.stderr


@pytest.mark.slow
def test_no_depth_of_folders_is_a_fault(tmp_path: Path) -> None:
    """The file beside a student's folders is found, however deep the folders are."""
    hand_in(tmp_path / "in", "attention-weights.py")
    deep = os.fspath(tmp_path / "in")
    for _ in range(1_200):
        deep += "/a"
        os.mkdir(deep)  # noqa: PTH102  a text: a path of so many parts is slow
    exercise = load_exercise_file(ROOT / "exercises/attention/13-attention-weights.yaml")
    try:
        ((job, _),) = plan_assignment(tmp_path / "in", [exercise]).groups.values()
    finally:
        os.removedirs(deep)  # what tidies up after tests may not get so deep
    assert job.submission.source == RIGHT


_SEVERAL = """\
id: twice
title: Twice
difficulty: beginner
xp: 1
instructions: Return twice x.
files_to_submit: [main.py, helpers.py]
defines: {twice: {}}
starter: |
  # etude file: main.py
  import helpers
  # etude file: helpers.py
  TWO = 2.0
tests:
  - {id: shown, given: {x: 3.0}, call: twice(x), expect: 6.0}
solution: |
  # etude file: main.py
  import helpers
  def twice(x):
      return helpers.TWO * x
  # etude file: helpers.py
  TWO = 2.0
explanation: Twice is twice.
"""


@pytest.mark.slow
def test_an_exercise_of_several_files_from_its_start_to_its_grade(
    etude: Etude, tmp_path: Path
) -> None:
    """`start` writes a folder; `check` takes it; the assigned exercise is found by its main file."""
    tmp_path.joinpath("twice.yaml").write_text(_SEVERAL)
    assert etude("start", "./twice.yaml").returncode == 0
    begun = sorted(path.name for path in tmp_path.joinpath("twice").iterdir())
    assert begun == ["helpers.py", "main.py"]
    refused = etude("check", "./twice.yaml", "twice")
    assert "There is no function `twice` in your code" in refused.stdout
    main = tmp_path / "twice" / "main.py"
    main.write_text("import helpers\n\n\ndef twice(x):\n    return helpers.TWO * x\n")
    assert etude("check", "./twice.yaml", "twice").returncode == 0
    tmp_path.joinpath("in").mkdir()
    tmp_path.joinpath("twice").rename(tmp_path / "in" / "work")
    assert etude("grade", "in", "--assigned", "./twice.yaml").returncode == 0
    tmp_path.joinpath("in", "work", "helpers.py").unlink()
    finished = etude("grade", "in", "--assigned", "./twice.yaml")
    assert finished.returncode == 1
    assert "There is no file helpers.py. Submit main.py, helpers.py." in finished.stdout
