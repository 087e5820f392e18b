"""The student's commands, run in an empty home folder."""

import functools
import hashlib
import json
import os
import pty
import re
import select
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.cli.file_watcher import FileWatcher
from grader.progress.history import local_now
from tests.conftest import ROOT, Etude, Finished

_EXERCISE = """\
id: {id}
title: Title of {id}
difficulty: beginner
xp: 10
{extra}
instructions: |
  Write `{id}(x)`: return $\\frac{{x}}{{2}}$, **times** something.
defines: {{{id}: {{}}}}
starter: |
  def {id}(x):
      ...
tests:
  - id: worked
    description: a worked case
    given: {{x: [1.0, 2.0]}}
    call: {id}(x)
    expect: [{factor}.0, {twice}.0]
  - id: secret
    description: what no one may see
    hidden: true
    given: {{x: [7.25]}}
    call: {id}(x) - {factor} * x
    expect: [0.0]
solution: |
  def {id}(x):
      return {factor} * x
explanation: Times is times.
"""
_HINTS = """\
hints:
  - {text: "First *hint*.", price: 3}
  - {text: "Second hint.", price: 4}
  - Third hint.
"""
_ALSO_RIGHT = """\
also_right:
  - "def double(x):\\n    return x * 2\\n"
  - {when: "For few.", code: "def double(x):\\n    return x + x\\n"}
"""
_PREDICT = """\
id: guess
title: Guess
kind: predict
difficulty: beginner
xp: 5
instructions: What is 40 + 2?
defines: {answer: {}}
starter: "answer = None\\n"
tests:
  - id: right
    call: answer
    expect: 42
solution: "answer = 42\\n"
explanation: It is.
"""
_LESSON = """\
# Doubling

Twice $x$ is `= 1 + 1` times as much.

```python
import numpy as np
print("sum", 3, "\\x1b[2J")
heatmap(np.array([[0.0, 1.0], [0.25, 0.5]]), rows=["a", "b"], columns=["left", "right"], title="Shares")
```

```exercise
double
```
"""
SCORES = "import numpy as np\ndef similarity_scores(Q, K):\n    return Q @ np.swapaxes(K, -1, -2)\n"
RIGHT, WRONG = "def double(x):\n    return 2 * x\n", "def double(x):\n    return x\n"


def _write_collection(folder: Path) -> Path:
    track = folder / "basics"
    (track / "lessons").mkdir(parents=True)
    texts = {
        "01-double": _EXERCISE.format(
            id="double", factor=2, twice=4, extra=_HINTS + _ALSO_RIGHT + "concepts: [doubling]"
        ),
        "02-triple": _EXERCISE.format(id="triple", factor=3, twice=6, extra="requires: [double]"),
        "03-guess": _PREDICT,
    }
    for name, text in texts.items():
        (track / f"{name}.yaml").write_text(text)
    (track / "lessons" / "01-doubling.md").write_text(_LESSON)
    (track / "track.yaml").write_text(
        "id: basics\ntitle: Basics\ndescription: First steps.\nexercises: [double, triple, guess]\n"
        "lessons:\n  - {id: doubling, title: Doubling, exercises: [double]}\n"
    )
    other = folder / "more"
    other.mkdir()
    last = _EXERCISE.format(id="quadruple", factor=4, twice=8, extra="requires: [double]")
    (other / "01-quadruple.yaml").write_text(last)
    (other / "track.yaml").write_text(
        "id: more\ntitle: More\ndescription: More steps.\nexercises: [quadruple]\n"
    )
    return folder


@pytest.fixture
def student(etude: Etude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Etude:
    """The command, for someone with a small collection, two submissions and an empty home."""
    monkeypatch.setenv("ETUDE_EXERCISES", os.fspath(_write_collection(tmp_path / "exercises")))
    monkeypatch.setenv("HOME", os.fspath(tmp_path))
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    return etude


def _record() -> Path:
    return Path(os.environ["ETUDE_DATA"]) / "progress.sqlite3"


def _rows(query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(_record())) as connection:
        return connection.execute(query).fetchall()


# list and show


def test_list_names_state_xp_and_what_is_missing(student: Etude) -> None:
    """One line each; nothing is written by looking."""
    lines = student("list").stdout.splitlines()
    assert lines[:2] == ["Basics (basics)", "0 of 3 passed, 0 of 25 XP"]
    assert lines[2] == "Doubling (lesson doubling)"
    assert lines[3].split() == [">", "new", "double", "beginner", "10", "XP"]
    assert lines[4].split() == ["new", "triple", "beginner", "10", "XP", "after", "double"]
    assert not _record().exists()

    student("check", "double", "right.py")
    student("check", "triple", "wrong.py")
    lines = student("list", "basics").stdout.splitlines()
    assert lines[1] == "1 of 3 passed, 10 of 25 XP"
    assert [line[:9].split() for line in lines[3:]] == [["passed"], [">", "tried"], ["new"]]
    assert "after" not in lines[4]


def test_list_and_next_begin_with_the_easiest_track(etude: Etude) -> None:
    """With Etude's own exercises; in a pipe the width is 80, without room for requirements."""
    lines = etude("list").stdout.splitlines()
    headings = [line for line in lines if line.endswith(("(numpy-warmup)", "(attention)"))]
    assert lines[0] == "NumPy warm-up (numpy-warmup)"
    assert headings == [lines[0], "Attention from scratch (attention)"]
    assert max(map(len, lines)) <= 80
    assert etude("next").stdout.startswith("Predict the shapes of arrays (array-shapes)")
    assert next(line for line in lines if line.startswith(">")).split()[2] == "array-shapes"


def test_tracks_that_build_on_others_keep_their_order(student: Etude, tmp_path: Path) -> None:
    """Their difficulty does not change it."""
    track = tmp_path / "exercises" / "more" / "track.yaml"
    hard = tmp_path / "exercises" / "basics" / "01-double.yaml"
    hard.write_text(hard.read_text().replace("beginner", "advanced"))
    assert student("list").stdout.startswith("More (more)\n")
    track.write_text(f"{track.read_text()}requires: [basics]\n")
    assert student("list").stdout.startswith("Basics (basics)\n")


@pytest.mark.parametrize("command", ["start", "check", "show", "hint", "solution"])
def test_an_unknown_exercise_gets_a_suggestion(etude: Etude, command: str) -> None:
    """The closest id, or the command that lists them; a folder of ours would help no one."""
    for name, said in (
        ("tokenlookup", "no exercise 'tokenlookup'; did you mean 'token-lookup'?"),
        ("nope", "no exercise 'nope'; 'etude list' names them all"),
    ):
        finished = etude(command, name)
        assert (finished.returncode, finished.stderr) == (2, f"etude: {said}\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("list", "basisc"), "did you mean 'basics'?"),
        (("lesson", "show", "dubling"), "did you mean 'doubling'?"),
        (("hint", "triple"), "has no hints"),
        (("start", "double", "no/such/folder.py"), "No such file or directory"),
    ],
)
def test_what_is_not_there_is_exit_status_two(
    student: Etude, words: tuple[str, ...], said: str
) -> None:
    """With the reason, or a suggestion."""
    finished = student(*words)
    assert (finished.returncode, said in finished.stderr) == (2, True)


def test_list_as_json_has_every_field(student: Etude) -> None:
    """Tracks in order, with what each exercise earned and what it lacks."""
    student("check", "double", "right.py")
    basics, more = json.loads(student("list", "--format", "json").stdout)
    double, triple, _ = basics["exercises"]
    assert (double["state"], double["earned"]) == ("passed", 10)
    assert (triple["state"], triple["requires"], triple["missing"]) == ("new", ["double"], [])
    assert [(each["lesson"], each["next"]) for each in basics["exercises"]] == [
        ("doubling", False), (None, True), (None, False),
    ]  # fmt: skip
    assert more["track"] == "more"


def test_next_names_the_lesson_the_exercise_and_the_commands(student: Etude) -> None:
    """First of all; what was tried last; and that nothing is left."""
    lines = student("next").stdout.splitlines()
    assert lines == [
        "Title of double (double), beginner, 10 XP",
        "Read first: etude lesson show doubling",
        "Begin with: etude start double",
        "Check:      etude check double",
    ]
    student("check", "triple", "wrong.py")
    assert student("next").stdout.splitlines()[1:] == [
        "Go on:      etude show triple", "Check:      etude check triple",
    ]  # fmt: skip


def test_next_draws_a_set_of_a_course_for_today(student: Etude, tmp_path: Path) -> None:
    """With commands that find the course; what was passed today is done."""
    course = tmp_path / "exercises"
    (course / "course.yaml").write_text("title: A course\n")
    for path in course.glob("*/0*.yaml"):  # all in one set, whatever the day
        path.write_text(f"{path.read_text()}minutes: 2\n")
    words = ("next", "--course", "exercises")
    first, *lines, begin, check = student(*words).stdout.splitlines()
    assert first == f"Today's set, {local_now().date().isoformat()}: about 8 min"
    assert {tuple(line.split()[:3]) for line in lines} == {
        ("2", "min", name) for name in ("double", "triple", "quadruple", "guess")
    }
    name = lines[0].split()[2]
    assert (begin, check) == (
        f"Begin with: etude start {name} --exercises exercises",
        f"Check:      etude check {name} --exercises exercises",
    )

    student("check", "double", "right.py")
    lines = student(*words).stdout.splitlines()
    assert ["done", "double"] in [line.split()[:2] for line in lines]
    assert lines[-1].startswith("Check:      etude check ")


def test_check_finds_the_file_that_start_wrote(student: Etude, tmp_path: Path) -> None:
    """In this folder; without one it says what to do, and with two it asks."""
    finished = student("check", "double")
    assert finished.returncode == 2
    assert "there is no double.py here" in finished.stderr
    (tmp_path / "double.py").write_text(RIGHT)
    assert student("check", "double").returncode == 0
    (tmp_path / "double.ipynb").write_text("{}")
    finished = student("check", "double")
    assert finished.returncode == 2
    assert "there are double.ipynb and double.py here" in finished.stderr
    assert student("check", "double.py").returncode == 0  # a file says which exercise it is for


def test_lesson_show_alone_lists_the_lessons(student: Etude) -> None:
    """By tracks, with titles."""
    finished = student("lesson", "show")
    assert finished.stdout == "Basics (basics)\n  doubling  Doubling\n"


def test_show_prints_instructions_and_visible_tests_only(student: Etude) -> None:
    """Maths as characters; of a hidden test its existence alone."""
    finished = student("show", "double")
    assert finished.returncode == 0
    assert "Write `double(x)`: return x/2, times something." in finished.stdout
    assert "x = [1., 2.]\n    double(x)\n    # gives\n    #   [2., 4.]" in finished.stdout
    assert "- one more is hidden" in finished.stdout
    assert "nobody may see" not in finished.stdout
    assert "7.25" not in finished.stdout
    assert "\x1b" not in finished.stdout


def test_show_keeps_the_answer_of_a_prediction(student: Etude) -> None:
    """The value that is asked for is not printed."""
    finished = student("show", "guess")
    assert finished.returncode == 0
    assert "40 + 2" in finished.stdout
    assert "# gives" not in finished.stdout


# start


def test_start_writes_the_starter_and_what_to_do_with_it(student: Etude, tmp_path: Path) -> None:
    """By default as <exercise>.py; or in a folder; or under the name that is given."""
    finished = student("start", "double")
    assert finished.returncode == 0
    assert (tmp_path / "double.py").read_text() == "def double(x):\n    ...\n"
    assert "Check: etude check double double.py" in finished.stdout
    (tmp_path / "homework").mkdir()
    assert student("start", "double", "homework").returncode == 0
    assert (tmp_path / "homework" / "double.py").exists()
    assert "check double 'my file.py'" in student("start", "double", "my file.py").stdout


def test_start_never_touches_what_is_there(student: Etude, tmp_path: Path) -> None:
    """Work stays, also behind a link that leads nowhere; the same starter is not an error."""
    (tmp_path / "double.py").write_text(RIGHT)
    finished = student("start", "double")
    assert (finished.returncode, "stays as it is" in finished.stderr) == (2, True)
    assert (tmp_path / "double.py").read_text() == RIGHT
    (tmp_path / "link.py").symlink_to(tmp_path / "nowhere.py")
    assert student("start", "double", "link.py").returncode == 2
    assert not (tmp_path / "nowhere.py").exists()
    student("start", "double", "new.py")
    assert student("start", "double", "new.py").returncode == 0


def test_start_says_what_the_exercise_builds_on(student: Etude) -> None:
    """The command suggests it until it is done, but does not require it."""
    assert "not done yet: double." in student("start", "triple", "a.py").stdout
    student("check", "double", "right.py")
    assert "not done yet" not in student("start", "triple", "b.py").stdout


# check


def test_a_check_is_recorded_with_all_that_it_came_to(student: Etude) -> None:
    """Outcome, score, digests, and times that agree with the calendar; on the disk, not in a log."""
    student("check", "double", "wrong.py")
    student("check", "double", "right.py")
    rows = _rows("SELECT exercise, outcome, score, max_score, xp FROM attempts ORDER BY at")
    assert rows == [("double", "failed", 0, 2, 0), ("double", "passed", 2, 2, 10)]
    ((submission, definition, day),) = _rows(
        "SELECT submission, definition, day FROM attempts WHERE outcome = 'passed'"
    )
    assert submission == hashlib.sha256(RIGHT.encode()).hexdigest()
    assert re.fullmatch("[0-9a-f]{64}", definition)
    assert abs(date.fromisoformat(day) - date.today()) <= timedelta(days=1)  # noqa: DTZ011  the day is the learner's own, where they are
    assert [path.name for path in _record().parent.iterdir()] == ["progress.sqlite3"]


def test_a_pass_says_what_comes_next(student: Etude) -> None:
    """In the track, and then in the next one; round again to what was left out. XP come once."""
    finished = student("check", "double", "right.py")
    assert finished.stdout.splitlines()[-2:] == [
        "Passed: 2/2 points, +10 XP.",
        "Next: etude start triple",
    ]
    Path(os.environ["HOME"], "triple.py").write_text("def triple(x):\n    return 3 * x\n")
    Path(os.environ["HOME"], "guess.py").write_text("answer = 42\n")
    assert (
        student("check", "guess", "guess.py").stdout.splitlines()[-1] == "Next: etude start triple"
    )
    finished = student("check", "triple", "triple.py")
    assert finished.stdout.splitlines()[-1] == "Next: etude start quadruple"
    lines = student("check", "double", "right.py").stdout.splitlines()
    assert {"Passed: 2/2 points, +0 XP.", "You have its 10 XP already."} <= {*lines}


def test_what_comes_next_can_be_copied_for_another_collection(
    student: Etude, tmp_path: Path
) -> None:
    """A collection that was named on the command line is named in the advice."""
    folder = _write_collection(tmp_path / "my course")
    finished = student("check", "double", "right.py", "--exercises", folder)
    assert finished.stdout.splitlines()[-1] == f"Next: etude start triple --exercises '{folder}'"


def test_a_hint_is_offered_after_two_failures(student: Etude) -> None:
    """With its price; after it was taken, only after two more."""

    def offered() -> bool:
        return "etude hint double" in student("check", "double", "wrong.py").stdout

    assert not offered()
    assert "Stuck? Hint 1 of 3 costs 3 XP: " in student("check", "double", "wrong.py").stdout
    student("hint", "double", "--yes")
    assert [offered(), offered()] == [False, True]


def test_a_file_that_is_not_there_is_no_attempt(student: Etude, tmp_path: Path) -> None:
    """An empty file is not an attempt either."""
    (tmp_path / "empty.py").touch()
    for name in ("missing.py", "empty.py"):
        assert student("check", "double", name).returncode == 1
    assert not _record().exists()


@pytest.mark.slow
def test_a_report_for_a_program_has_no_advice(student: Etude) -> None:
    """JSON on stdout stays JSON, with the exercise's XP; the attempt is recorded all the same."""
    for _ in range(2):
        verdict = json.loads(student("check", "double", "right.py", "--format", "json").stdout)
        assert verdict["xp"] == 10
    assert len(_rows("SELECT * FROM attempts")) == 2


@pytest.mark.parametrize("harm", ["corrupt", "newer", "no folder", "a folder"])
def test_a_record_that_fails_costs_the_record_alone(
    student: Etude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    """The verdict and the exit status stay; the failure is one line; the file is left alone."""
    if harm == "no folder":
        monkeypatch.setenv("ETUDE_DATA", os.fspath(tmp_path / "right.py" / "data"))
    elif harm == "a folder":
        _record().mkdir()
    elif harm == "corrupt":
        _record().write_bytes(b"no database at all" * 400)
    else:
        with closing(sqlite3.connect(_record())) as connection:
            connection.execute("PRAGMA user_version = 99")
    before = _content()
    _assert_not_recorded(student("check", "double", "right.py"), 0)
    assert _content() == before


@pytest.mark.slow
def test_a_locked_record_costs_the_record_alone(student: Etude) -> None:
    """The command waits for another program that locks the file, but not forever."""
    student("check", "double", "wrong.py")
    with closing(sqlite3.connect(_record(), isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        _assert_not_recorded(student("check", "double", "right.py"), 0)
    assert len(_rows("SELECT * FROM attempts")) == 1


def _assert_not_recorded(finished: Finished, status: int) -> None:
    assert finished.returncode == status
    assert "points" in finished.stdout
    assert "this attempt is not recorded: " in finished.stderr
    assert all(line.startswith("etude: ") for line in finished.stderr.splitlines())
    assert len(finished.stderr.splitlines()) <= 2


def _content() -> bytes:
    return _record().read_bytes() if _record().is_file() else b""


class _Watch:
    """`etude watch` in a terminal, or with its output in a file."""

    def __init__(self, folder: Path, *words: str, terminal: bool) -> None:
        self._ours, theirs = pty.openpty()
        self._out = folder / "out"
        self._is_drawn = terminal
        with self._out.open("w") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "grader.cli", "watch", *words],
                cwd=folder,
                stdin=theirs if terminal else subprocess.DEVNULL,
                stdout=theirs if terminal else out,
                stderr=subprocess.STDOUT,
                env={**os.environ, "TERM": "dumb", "COLUMNS": "80"},
                # A shell starts what it puts in the background with SIGINT ignored.
                preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  no threads here
            )
        os.close(theirs)
        self._read = ""

    def wait_for(self, text: str) -> str:
        """Return the output up to a text, from the end of the last call."""
        deadline = time.monotonic() + 60
        while text not in self._read:
            assert time.monotonic() < deadline, self._read
            if not self._is_drawn:
                time.sleep(0.05)
                self._read = self._out.read_text()
            elif select.select([self._ours], [], [], 1)[0]:
                self._read += os.read(self._ours, 1 << 16).decode()
        before, _, after = self._read.partition(text)
        if self._is_drawn:
            self._read = after
        return before

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Return the status."""
        try:
            return self._process.wait(timeout=60)
        finally:
            self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)
        self._ours = os.open(os.devnull, os.O_RDONLY)


@pytest.mark.slow
@pytest.mark.usefixtures("student")
def test_watch_leads_through_a_course_without_a_terminal(tmp_path: Path) -> None:
    """It begins with the first exercise, whose starter it writes; Ctrl-C ends it well.

    A file that is replaced, as editors do, is seen once. After a pass it says what comes next; work
    that is there already is left alone.
    """
    (tmp_path / "guess.py").write_text("answer = 41\n")
    watch = _Watch(tmp_path, terminal=False)
    try:
        before = watch.wait_for("Waiting for double.py")
        assert "Basics: 0 of 3 done\nRead first: etude lesson show doubling\n" in before
        assert "Write `double(x)`: return x/2, times something." in before
        assert "double.py: written." in before
        assert "Not passed" not in before  # a starter is not graded
        (tmp_path / "new.py").write_text(RIGHT)
        (tmp_path / "new.py").replace(tmp_path / "double.py")
        before = watch.wait_for("Waiting for triple.py")
        assert "Learnt: doubling." in before
        assert "Next: " not in before
        (tmp_path / "triple.py").write_text("def triple(x):\n    return 2 * x\n")
        watch.wait_for("Not passed")
        (tmp_path / "triple.py").write_text("def triple(x):\n    return 3 * x\n")
        assert "guess.py: there already." in watch.wait_for("Waiting for guess.py")
        assert (tmp_path / "guess.py").read_text() == "answer = 41\n"
        watch.interrupt()
        assert watch.end() == 0
    finally:
        watch.kill()
    assert len(_rows("SELECT * FROM attempts")) == 3


@pytest.mark.slow
@pytest.mark.usefixtures("student")
def test_watch_obeys_keys(tmp_path: Path) -> None:
    """Hint, task, list, next, solution, difference and quit; a wrong key or name ends nothing."""
    watch = _Watch(tmp_path, "more", terminal=True)
    try:
        watch.wait_for("q quit")
        watch.press("s")
        assert "after a pass" in watch.wait_for("q quit")
        watch.press("l")
        assert "Title of quadruple" not in watch.wait_for("Go to (Enter stays)")
        watch.press("doubel\n")
        assert "did you mean 'double'?" in watch.wait_for("q quit")
        watch.press("l")
        watch.wait_for("Go to (Enter stays)")
        watch.press("double\n")
        watch.wait_for("q quit")
        watch.press("h")
        watch.wait_for("Show it? [y/N]")
        watch.press("y\n")
        assert "First hint." in watch.wait_for("q quit")
        watch.press("t")
        assert "a worked case" in watch.wait_for("q quit")
        watch.press("?")
        watch.wait_for("Enter to grade again")
        watch.wait_for("q quit")
        (tmp_path / "double.py").write_text(RIGHT.replace("2 * x", "x + x"))
        assert "10 XP less 3 for hints" in watch.wait_for("d difference to it")
        watch.press("d")
        after = watch.wait_for("d difference to it")
        assert "-    return x + x" in after
        assert "+    return 2 * x" in after
        watch.press("s")
        assert "Times is times." in watch.wait_for("d difference to it")
        watch.press("b")
        assert "'double' has no wrong program to break" in watch.wait_for("d difference to it")
        watch.press("n")
        assert "guess.py: written." in watch.wait_for("d difference to it")
        (tmp_path / "guess.py").unlink()
        watch.wait_for("d difference to it")
        watch.press("q")
        assert watch.end() == 0
    finally:
        watch.kill()
    assert len(_rows("SELECT * FROM attempts")) == 1


@pytest.mark.parametrize("way", ["written", "renamed", "emptied first", "written twice"])
def test_a_save_is_seen_once(tmp_path: Path, way: str) -> None:
    """One look reports the change and the next one nothing, however an editor saves the file."""
    file = tmp_path / "mine.py"
    file.write_text(WRONG)
    watcher = FileWatcher([file])
    looks = [watcher.poll()]
    if way == "renamed":
        (tmp_path / "new.py").write_text(RIGHT)
        (tmp_path / "new.py").replace(file)
    elif way == "emptied first":
        file.write_text("")
        looks.append(watcher.poll())
        file.write_text(RIGHT)
    elif way == "written twice":
        file.write_text(RIGHT)
        looks.append(watcher.poll())
        os.utime(file, (1e9, 1e9))
    else:
        file.write_text(RIGHT)
    looks += [watcher.poll() for _ in range(4)]
    assert looks.count(True) == 1
    assert looks[-1] is False


def test_a_path_that_cannot_be_looked_at_is_no_change(tmp_path: Path) -> None:
    """As in a folder whose rights were taken away: the watch goes on, and sees the file again."""
    assert not FileWatcher([tmp_path / ("x" * 300)]).poll()  # Path.is_dir raises an error of it


# hint and solution


def test_a_hint_s_price_is_said_and_asked_for(student: Etude) -> None:
    """No is no: nothing is shown and nothing paid; without an answer the option is named."""
    finished = student("hint", "double")
    assert (finished.returncode, "--yes" in finished.stderr) == (2, True)
    assert "First" not in finished.stdout
    finished = student("hint", "double", input="n\n")
    assert "Hint 1 of 3 costs 3 XP: a pass then earns 7 instead of 10. Show it?" in finished.stdout
    assert "First" not in finished.stdout
    assert not _record().exists()
    finished = student("hint", "double", input="y\n")
    assert "First hint." in finished.stdout
    finished = student("hint", "double", input="y\n")
    assert "Hint 2 of 3 costs 4 XP: a pass then earns 3 instead of 7." in finished.stdout
    assert "Third hint." in student("hint", "double").stdout
    assert "You have seen all of them" in student("hint", "double").stdout
    again = student("hint", "double", "--again").stdout
    assert again.index("First") < again.index("Second") < again.index("Third")

    lines = student("check", "double", "right.py").stdout.splitlines()
    assert "Passed: 2/2 points, +3 XP." in lines
    assert "10 XP less 7 for hints: you earn 3." in lines
    assert "3 XP in all" in student("progress").stdout


def test_a_hint_is_shown_though_it_cannot_be_recorded(
    student: Etude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a warning."""
    monkeypatch.setenv("ETUDE_DATA", os.fspath(tmp_path / "right.py" / "data"))
    finished = student("hint", "double", "--yes")
    assert (finished.returncode, "First hint." in finished.stdout) == (0, True)
    assert "this hint is not recorded" in finished.stderr


def test_the_solution_is_for_those_who_passed(student: Etude) -> None:
    """Before that, the price is said; afterwards it is shown with its explanation and other ways."""
    finished = student("solution", "double")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "--give-up shows its solution, for the 10 XP" in finished.stderr
    student("check", "double", "right.py")
    finished = student("solution", "double", "--give-up")
    assert "    def double(x):\n        return 2 * x\n" in finished.stdout
    assert "Times is times." in finished.stdout
    assert "For few." in finished.stdout
    assert "return x + x" in finished.stdout
    assert "return x * 2" not in finished.stdout
    assert "First hint." in student("hint", "double").stdout  # no one is asked, and nothing paid
    assert "10 XP in all" in student("progress").stdout


def test_a_wrong_program_is_broken_after_a_pass(student: Etude, tmp_path: Path) -> None:
    """It is shown with the command that answers; a call that counts earns one XP, once."""
    more = ["--exercises", str(ROOT / "exercises")]
    for _ in range(2):  # giving up is not a pass
        finished = student("break", "similarity-scores", *more)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert "pass 'similarity-scores' first" in finished.stderr
        student("solution", "similarity-scores", "--give-up", *more)
    (tmp_path / "mine.py").write_text(SCORES)
    finished = student("check", "similarity-scores", str(tmp_path / "mine.py"), *more)
    assert "Break 3 wrong programs" in finished.stdout
    assert student("break", "similarity-scores", *more).stdout.count("to break, 1 XP") == 3
    shown = student("break", "similarity-scores", "1", *more).stdout
    assert "def similarity_scores(Q, K):" in shown
    assert 'Answer: etude break similarity-scores 1 "CALL"' in shown
    answer = ["break", "similarity-scores", "1"]
    finished = student(*answer, "similarity_scores(np.zeros((1, 1)), np.zeros((1, 1)))", *more)
    assert (finished.returncode, finished.stdout[:12]) == (1, "Not broken. ")
    counts = "similarity_scores(np.array([[1, 2], [3, 5]]), np.array([[1, 0], [2, 7], [4, 4]]))"
    assert "+1 XP." in student(*answer, counts, *more).stdout
    assert "+1 XP." not in student(*answer, counts, *more).stdout
    assert student("break", "similarity-scores", *more).stdout.startswith("1  broken\n2  to break")
    assert "1 XP in all" in student("progress", *more).stdout


def test_a_lesson_names_the_command_that_breaks_its_program(student: Etude, tmp_path: Path) -> None:
    """The program, nearly the solution, is shown by that command alone: after a pass."""
    more = ["--exercises", str(ROOT / "exercises")]
    lesson = student("lesson", "show", "dot-products", *more).stdout
    _, command = lesson.split("After a pass, the program: etude ")
    words = shlex.split(command.splitlines()[0])
    assert words[:3] == ["break", "similarity-scores", "all-axes-reversed"]
    assert "def similarity_scores" not in lesson
    assert "pass 'similarity-scores' first" in student(*words).stderr
    (tmp_path / "mine.py").write_text(SCORES)
    student("check", "similarity-scores", str(tmp_path / "mine.py"), *more)
    assert "K.T" in student(*words).stdout
    words[2:3] = ["all-axes"]
    assert "did you mean 'all-axes-reversed'?" in student(*words).stderr


def test_giving_up_costs_the_xp(student: Etude) -> None:
    """Also if it is passed afterwards."""
    assert "Given up" in student("solution", "double", "--give-up").stdout
    assert student("list").stdout.splitlines()[3].startswith("  given up  double")
    lines = student("check", "double", "right.py").stdout.splitlines()
    assert "Passed: 2/2 points, +0 XP." in lines
    assert "You had seen the solution, so this exercise earns no XP." in lines
    assert "0 XP in all" in student("progress").stdout


def test_a_student_edition_has_no_solution(student: Etude, tmp_path: Path) -> None:
    """It says so, and giving up there costs nothing."""
    student("export", "student", "handout")
    for words in ([], ["--give-up"]):
        finished = student("solution", "double", *words, "--exercises", "handout")
        assert (finished.returncode, finished.stdout) == (2, "")
        assert "student edition" in finished.stderr
    assert not _record().exists()
    finished = student("check", "double", tmp_path / "right.py", "--exercises", "handout")
    assert "+10 XP." in finished.stdout.splitlines()


# progress


def test_progress_sums_up_and_names_what_is_next(student: Etude) -> None:
    """Tracks, XP, streak; what was tried last comes before what is new."""
    finished = student("progress")
    assert finished.stdout.splitlines()[-2:] == [
        "0 XP in all. Streak: 0 days.",
        "Next: etude start double",
    ]
    student("check", "double", "right.py")
    finished = student("progress")
    assert "Basics\n  1 of 3 passed, 10 of 25 XP\n" in finished.stdout
    assert "10 XP in all. Streak: 1 day.\nNext: etude start triple" in finished.stdout
    student("check", "quadruple", "wrong.py")
    assert "Next: go on with quadruple: " in student("progress").stdout


def test_progress_goes_to_another_machine_and_back(
    student: Etude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Export and import lose nothing and double nothing; a program that is there stays."""
    newest = "def double(x):\n    return x + x  # \u00e9\n"
    (tmp_path / "newest.py").write_text(newest)
    student("hint", "double", "--yes")
    for name in ("wrong.py", "right.py", "newest.py"):
        student("check", "double", name)
    student("solution", "triple", "--give-up")
    here = student("progress").stdout
    assert student("progress", "export", "out.json").returncode == 0
    exported = (tmp_path / "out.json").read_text()
    assert json.loads(exported)["programs"] == {"double": newest}
    assert student("progress", "export", "-").stdout == exported
    assert student("progress", "import", "out.json").stdout == "0 of 5 entries were new\n"

    monkeypatch.setenv("ETUDE_DATA", os.fspath(tmp_path / "elsewhere" / "deep"))
    assert student("progress", "import", "-", input=exported).stdout == "5 of 5 entries were new\n"
    assert student("progress").stdout == here
    assert student("progress", "export", "-").stdout == exported
    other = exported.replace("x + x", "3 * x")
    assert student("progress", "import", "-", input=other).returncode == 0
    assert student("progress", "export", "-").stdout == exported


def test_export_replaces_no_file(student: Etude, tmp_path: Path) -> None:
    """--force replaces it."""
    (tmp_path / "out.json").write_text("mine")
    assert student("progress", "export", "out.json").returncode == 2
    assert (tmp_path / "out.json").read_text() == "mine"
    assert student("progress", "export", "out.json", "--force").returncode == 0


def test_export_writes_through_no_link(student: Etude, tmp_path: Path) -> None:
    """In a folder that others filled it may lead to any file; the export takes its place."""
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "out.json").symlink_to("mine")
    assert student("progress", "export", "out.json", "--force").returncode == 0
    assert (tmp_path / "mine").read_text() == "mine"
    assert not (tmp_path / "out.json").is_symlink()


def test_a_file_that_is_no_export_changes_nothing(student: Etude, tmp_path: Path) -> None:
    """Exit status 2 with the place; never a traceback."""
    for part, reason in (
        ('"hints": [{"exercise": "a"}]', "hints, entry 1: expected the fields"),
        ('"programs": {"triple": 3}', "programs: expected ids"),
    ):
        (tmp_path / "in.json").write_text(f'{{"etude_progress": 1, {part}}}')
        finished = student("progress", "import", "in.json")
        assert (finished.returncode, f"in.json: {reason}" in finished.stderr) == (2, True)
        assert "Traceback" not in finished.stderr
    assert not _record().exists()


def test_a_damaged_record_is_told_where_it_is_needed(student: Etude) -> None:
    """`progress` cannot do without: exit status 2 and the file; `list` can, with a warning."""
    _record().write_bytes(b"no database at all" * 400)
    finished = student("progress")
    assert (finished.returncode, os.fspath(_record()) in finished.stderr) == (2, True)
    finished = student("list")
    assert (finished.returncode, "cannot be read" in finished.stderr) == (0, True)
    assert student("progress", "where").stdout == f"{_record()}\n"


@pytest.mark.parametrize("variable", ["ETUDE_DATA", "XDG_DATA_HOME", "HOME"])
def test_the_record_is_where_the_platform_keeps_such_things(
    student: Etude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """ETUDE_DATA, or else $XDG_DATA_HOME/etude, or else ~/.local/share/etude."""
    below = {"ETUDE_DATA": "", "XDG_DATA_HOME": "etude", "HOME": ".local/share/etude"}[variable]
    for name in ("ETUDE_DATA", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, os.fspath(tmp_path))
    finished = student("progress", "where")
    assert finished.stdout == f"{tmp_path / below / 'progress.sqlite3'}\n"


# lessons


def test_a_lesson_is_run_and_read_in_the_terminal(student: Etude) -> None:
    """Prose with its values, code, what it prints, the matrix with labels, and the exercise."""
    finished = student("lesson", "show", "doubling")
    assert finished.returncode == 0, finished.stderr
    assert "Twice x is 2 times as much." in finished.stdout
    assert '    print("sum", 3, ' in finished.stdout
    assert "\nsum 3 \ufffd[2J\n" in finished.stdout
    rows = [line.split() for line in finished.stdout.splitlines()]
    assert ["Shares"] in rows
    assert ["left", "right"] in rows
    assert ["b", "0.25", "0.50"] in rows
    assert "Exercise: etude start double" in finished.stdout
    assert "\x1b" not in finished.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("student")
def test_a_heatmap_is_coloured_in_a_terminal_unless_that_is_not_wanted(tmp_path: Path) -> None:
    """Cells have backgrounds, except with NO_COLOR; with TERM=dumb there are no codes at all."""
    words = ["lesson", "show", "doubling"]
    assert "\x1b[38;2;" in _in_a_terminal(words, tmp_path, COLORTERM="truecolor")
    plain = _in_a_terminal(words, tmp_path, COLORTERM="truecolor", NO_COLOR="1")
    assert ";48;" not in plain
    assert "[48;" not in plain
    assert "\x1b" not in _in_a_terminal(words, tmp_path, TERM="dumb")


def _in_a_terminal(
    words: list[str], folder: Path, *, reads: bool = False, typed: str = "", **environment: str
) -> str:
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    settings = {"TERM": "xterm-256color", **environment}
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "grader.cli", *words],
        cwd=folder,
        stdin=theirs if reads else subprocess.DEVNULL,
        stdout=theirs,
        env={**kept, **settings},
    )
    os.close(theirs)
    pieces = []
    with open(ours, "rb") as terminal:  # noqa: PTH123  a descriptor
        try:
            while piece := terminal.read1(1 << 16):
                pieces.append(piece)
        except OSError:  # how Linux says that the other end has gone
            pass
    assert process.wait(timeout=60) == 0
    return b"".join(pieces).decode()


@pytest.mark.slow
@pytest.mark.usefixtures("student")
def test_what_is_longer_than_the_terminal_goes_to_a_pager(tmp_path: Path) -> None:
    """Only if a person can turn its pages; a pager other than `less` gets no colours."""
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n")
    pager.chmod(0o755)
    words = ["lesson", "show", "doubling"]
    for lines, paged in (("5", True), ("500", False)):
        text = _in_a_terminal(words, tmp_path, reads=True, LINES=lines, PAGER=str(pager))
        assert ("PAGED" in text, "\x1b[" in text) == (paged, not paged)
    assert "PAGED" not in _in_a_terminal(words, tmp_path, LINES="5", PAGER=str(pager))


_QUESTIONS = """
```question choice
Twice three?
wrong: Five. | That is a sum.
right: Six. | Three and three.
```

Between the questions.

```question number
Half of three?
answer: 3 / 2
reason: Divide.
slip: 6 | That is twice.
```
"""


@pytest.fixture
def asking(student: Etude, tmp_path: Path) -> Etude:
    """The command, with a lesson that asks two questions."""
    lesson = tmp_path / "exercises" / "basics" / "lessons" / "01-doubling.md"
    lesson.write_text(_LESSON + _QUESTIONS)
    return student


def test_a_question_is_answered_by_an_option(asking: Etude) -> None:
    """Where nobody can be asked, the lesson ends with how to."""
    shown = asking("lesson", "show", "doubling").stdout
    assert "Question 1. Twice three?" in shown
    assert (
        shown.splitlines()[-1] == "To answer question 1: etude lesson show doubling --answer 1=..."
    )
    answers = ("1=a", "1=B", "2=6", "2=1,5", "2")
    finished = asking("lesson", "show", "doubling", *(f"--answer={each}" for each in answers))
    assert finished.stdout.splitlines() == [
        "Not yet. That is a sum.", "Right. Three and three.",
        "Not yet. That is twice.", "Right. Divide.", "1.5. Divide.",
    ]  # fmt: skip
    for answer, said in (
        ("3=1", "there is no question '3'; they are 1 to 2"),
        ("1=C", "'C' is not an answer to question 1: a letter, A to B"),
        ("2=two", "'two' is not an answer to question 2: a number"),
    ):
        finished = asking("lesson", "show", "doubling", "--answer", answer)
        assert (finished.returncode, said in finished.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.usefixtures("asking")
def test_a_terminal_asks_each_question_where_it_stands(tmp_path: Path) -> None:
    """Again after a wrong answer or none that can be read; Enter shows the right one."""
    words = ["lesson", "show", "doubling"]
    text = _in_a_terminal(words, tmp_path, reads=True, typed="x\na\nb\n\n", LINES="500")
    lines = [line.strip() for line in re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()]
    replies = ("Not yet. That is a sum.", "Right. Three and three.", "1.5. Divide.")
    places = [lines.index(each) for each in (*replies[:2], "Between the questions.", replies[2])]
    assert places == sorted(places)
    assert not any("To answer" in line for line in lines)


@pytest.mark.slow
@pytest.mark.usefixtures("student")
def test_a_list_has_one_line_for_each_exercise_in_a_terminal(tmp_path: Path) -> None:
    """What an exercise builds on is named only where all of it has room."""
    for columns, named in (("54", True), ("53", False)):
        written = _in_a_terminal(["list", "basics"], tmp_path, COLUMNS=columns)
        text = re.sub(r"\x1b\[[\d;]*m", "", written)
        rows = [line for line in text.splitlines() if " XP" in line]
        assert ("after double" in text, max(map(len, rows)) <= int(columns)) == (named, True)


# completion and help


def _completed(student: Etude, *words: str) -> list[str]:
    environment = {
        "_ETUDE_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["etude", *words]),
        "COMP_CWORD": str(len(words)),
    }
    finished = student(env=environment)
    assert finished.stderr == ""
    return [line.partition(",")[2] for line in finished.stdout.splitlines()]


def test_a_shell_completes_commands_exercises_lessons_and_tracks(student: Etude) -> None:
    """It completes ids of the chosen collection, and leaves other words to the shell."""
    assert _completed(student, "sho") == ["show"]
    for name in ("show", "start", "check", "hint", "solution"):
        assert _completed(student, name, "t") == ["triple"]
    assert _completed(student, "lesson", "show", "d") == ["doubling"]
    assert _completed(student, "list", "") == ["basics", "more"]
    assert _completed(student, "check", "drafts/x") == ["drafts/x"]
    assert "triple" not in _completed(student, "misspelled", "t")


def test_a_shell_completes_no_name_that_it_would_run(student: Etude, tmp_path: Path) -> None:
    """What is completed stands on the command line without quotes, so it is an id or nothing."""
    for folder in ("$(touch pwned)", "more"):
        track = tmp_path / "hostile" / folder
        (track / "lessons").mkdir(parents=True)
        (track / "track.yaml").touch()
        (track / "01-$(touch pwned).yaml").touch()
        (track / "lessons" / "01-$(touch pwned).md").touch()
    for words in (("show",), ("lesson", "show"), ("list",)):
        assert "pwned" not in str(_completed(student, *words, "--exercises", "hostile", ""))
    assert _completed(student, "list", "--exercises", "hostile", "") == ["more"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_line_to_add(student: Etude, shell: str) -> None:
    """One line on stdout, so that it can be appended to a file."""
    finished = student("completion", shell)
    assert finished.returncode == 0
    (line,) = finished.stdout.splitlines()
    assert f"_ETUDE_COMPLETE={shell}_source etude" in line


def test_help_lists_commands_by_those_who_need_them(student: Etude) -> None:
    """Students first; every command is there."""
    text = student("--help").stdout
    places = [text.index(f"For {who}:") for who in ("students", "authors", "instructors")]
    assert places == sorted(places)
    assert places[0] < text.index("\n  hint ") < places[1] < text.index("\n  verify ") < places[2]


@pytest.mark.parametrize(
    "words",
    [
        ["list"], ["show"], ["start"], ["check"], ["hint"], ["solution"], ["completion"],
        ["progress"], ["progress", "export"], ["progress", "import"], ["progress", "where"],
        ["lesson"], ["lesson", "show"], ["grade"], ["site", "build"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_command_s_help_has_an_example(student: Etude, words: list[str]) -> None:
    """Each example begins with the command."""
    text = student(*words, "--help").stdout
    assert f"etude {' '.join(words)}" in text.partition("Example")[2]
