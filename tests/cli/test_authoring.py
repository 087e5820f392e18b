"""The commands that authors use, run as they are: new, export student, diff and stats."""

import json
import os
import statistics
from pathlib import Path

import numpy as np
import pytest

from grader.course.statistics import Row, summarize_exercises
from grader.definitions.collection import load_exercise, load_exercise_file
from grader.definitions.files import default_folder
from grader.definitions.json_schemas import schema_text
from tests.conftest import TWICE, Etude

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "examples" / "submissions"


@pytest.mark.parametrize("kind", ["write", "test"])
def test_a_new_exercise_is_proven_and_clean(etude: Etude, tmp_path: Path, kind: str) -> None:
    """What `etude new` writes passes `etude verify` and `etude lint` as it stands."""
    assert etude("new", "row-shares", "--kind", kind).returncode == 0
    assert load_exercise_file(tmp_path / "row-shares.yaml").kind == kind
    verified = etude("verify", "row-shares.yaml", "--no-cache")
    assert verified.returncode == 0, verified.stdout
    linted = etude("lint", "row-shares.yaml")
    assert linted.returncode == 0, linted.stdout


@pytest.mark.slow
def test_a_new_course_is_proven_and_clean(etude: Etude, tmp_path: Path) -> None:
    """What `etude new --course` writes passes as it stands, and is proven again when it changes."""
    assert etude("new", "linear-algebra", "--course").returncode == 0
    folder = tmp_path / "linear-algebra"
    verified = etude("verify", "--exercises", folder)
    assert verified.returncode == 0, verified.stdout
    linted = etude("lint", "--exercises", folder)
    assert linted.returncode == 0, linted.stdout
    rows = folder / "linear_algebra_reference" / "rows.py"
    text = rows.read_text()
    rows.write_text(text.replace("def row_shares", "def row_share"))
    told = etude("lint", "--exercises", folder).stdout
    assert "has no 'row_shares'; did you mean 'row_share'?" in told
    rows.write_text("def row_shares(x):\n    ...\n")
    assert etude("verify", "--exercises", folder).returncode != 0
    assert etude("new", "linear-algebra", "--course").returncode == 2


def test_a_new_exercise_names_the_schema_of_its_course(etude: Etude, tmp_path: Path) -> None:
    """Each file of a new course names a schema that is there; elsewhere the way to one is told."""
    assert "etude schema > exercise.schema.json" in etude("new", "row-shares").stdout
    line = (tmp_path / "row-shares.yaml").read_text().splitlines()[0]
    assert line == "# yaml-language-server: $schema=exercise.schema.json"
    assert etude("new", "algebra", "--course").returncode == 0
    track = tmp_path / "algebra" / "first-steps"
    assert etude("new", "unit-rows", "--into", track).returncode == 0
    for path in (*track.glob("*.yaml"), track.parent / "course.yaml"):
        schema = path.parent / path.read_text().splitlines()[0].partition("$schema=")[2]
        kind = schema.name.removesuffix(".schema.json")
        assert schema.read_text() == schema_text(kind)
    assert "ETU005" not in etude("lint", "--exercises", track.parent).stdout
    (track.parent / "track.schema.json").write_text("{}")
    assert "'track.schema.json' is outdated" in etude("lint", "--exercises", track.parent).stdout
    assert etude("schema", "--into", track.parent).returncode == 0
    assert "ETU005" not in etude("lint", "--exercises", track.parent).stdout


def test_a_new_exercise_comes_after_the_numbered_ones(etude: Etude, tmp_path: Path) -> None:
    """In a folder of numbered exercises it gets the next number; elsewhere none."""
    folder = tmp_path / "track"
    folder.mkdir()
    (folder / "09-before.yaml").write_text("id: before\n")
    assert etude("new", "after", "--into", folder).returncode == 0
    assert (folder / "10-after.yaml").is_file()


@pytest.mark.parametrize("slug", ["Row Shares", "row_shares", "../x", "", "-a"])
def test_a_bad_slug_is_refused(etude: Etude, tmp_path: Path, slug: str) -> None:
    """A name that is not an id is a usage error, and nothing is written."""
    finished = etude("new", "--", slug)
    assert finished.returncode == 2
    assert "is not lower-case words joined by hyphens" in finished.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("slug", ["class", "2d-sums"])
def test_a_slug_that_is_no_python_name_still_works(etude: Etude, tmp_path: Path, slug: str) -> None:
    """The function then gets a name that Python takes."""
    assert etude("new", slug).returncode == 0
    (name,) = load_exercise_file(tmp_path / f"{slug}.yaml").defines
    assert name == f"solve_{slug.replace('-', '_')}"


def test_an_existing_exercise_is_never_overwritten(etude: Etude, tmp_path: Path) -> None:
    """Also not under another number."""
    (tmp_path / "03-shares.yaml").write_text("mine")
    finished = etude("new", "shares")
    assert finished.returncode == 2
    assert "03-shares.yaml exists" in finished.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_the_student_bundle_hides_and_is_checked(etude: Etude, tmp_path: Path) -> None:
    """It holds no solution and no hidden test, and `etude check` grades with it."""
    assert etude("export", "student", "handout").returncode == 0
    texts = [path.read_text() for path in (tmp_path / "handout").rglob("*.yaml")]
    assert len(texts) > 40
    assert not [text for text in texts if "hidden: true" in text or "\nsolution:" in text]
    file = SAMPLES / "correct" / "attention-weights.py"
    finished = etude("check", "--exercises", "handout", "attention-weights", file)
    assert finished.returncode == 0, finished.stdout
    assert "hidden tests are run by your course" in finished.stdout


@pytest.mark.slow
def test_a_bundle_goes_into_a_new_folder_only(etude: Etude, tmp_path: Path) -> None:
    """A folder with something in it is left as it is."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "mine.txt").write_text("mine")
    finished = etude("export", "student", "work")
    assert finished.returncode == 2
    assert "is not empty" in finished.stderr
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["mine.txt"]


def hand_in(folder: Path, student: str, body: str) -> None:
    path = folder / student / "double.py"
    path.parent.mkdir(parents=True)
    path.write_text(f"def double(x):\n    return {body}\n")


@pytest.mark.slow
def test_diff_names_whose_verdict_changes(etude: Etude, tmp_path: Path) -> None:
    """Both versions grade the same files; who keeps a verdict is counted, not named."""
    (tmp_path / "old.yaml").write_text(TWICE.replace("[-2.0]", "[2.0]"))
    (tmp_path / "new.yaml").write_text(TWICE)
    hand_in(tmp_path / "in", "ann", "2 * x")
    hand_in(tmp_path / "in", "ben", "2 * abs(x)")
    hand_in(tmp_path / "in", "cas", "x")
    finished = etude("diff", "old.yaml", "new.yaml", "in")
    assert finished.returncode == 1
    assert finished.stdout.splitlines() == [
        "ann: failed, 1 of 2 -> passed, 2 of 2",
        "  negative: failed -> passed",
        "ben: passed, 2 of 2 -> failed, 1 of 2",
        "  negative: passed -> failed",
        "2 of 3 submissions would get another verdict",
    ]
    same = etude("diff", "old.yaml", "old.yaml", "in")
    assert (same.returncode, same.stdout) == (0, "0 of 3 submissions would get another verdict\n")


def test_diff_needs_a_submission(etude: Etude, tmp_path: Path) -> None:
    """An empty folder is a usage error, not the answer that nothing changes."""
    (tmp_path / "old.yaml").write_text(TWICE)
    (tmp_path / "in").mkdir()
    finished = etude("diff", "old.yaml", "old.yaml", "in")
    assert finished.returncode == 2
    assert "there is no <student>/double.py" in finished.stderr


def test_stats_count_what_was_graded(etude: Etude, tmp_path: Path) -> None:
    """Difficulty and the mistakes that were recognized, from a file of `etude grade`."""
    for student, sample in enumerate(["correct", "correct", "unscaled", "unscaled"]):
        target = tmp_path / "in" / str(student) / "attention-weights.py"
        target.parent.mkdir(parents=True)
        target.write_text((SAMPLES / sample / "attention-weights.py").read_text())
    assert etude("grade", "in", "--output", "out.jsonl").returncode == 1
    finished = etude("stats", "out.jsonl", "--format", "json")
    assert finished.returncode == 0, finished.stderr
    (found,) = json.loads(finished.stdout)
    assert (found["exercise"], found["students"], found["pass_rate"]) == (
        "attention-weights",
        4,
        0.5,
    )
    assert found["misconceptions"] == {"unscaled": 2}
    assert found["hints"] == _pointed_to(2)
    assert "attention-weights" in etude("stats", "out.jsonl").stdout


@pytest.mark.parametrize("order", [1, -1])
def test_stats_count_the_result_that_a_grade_counts(
    etude: Etude, tmp_path: Path, order: int
) -> None:
    """The newest of a student's two files counts, whichever line is the last."""
    for name, sample in (("attention-weights", "unscaled"), ("attention_weights", "correct")):
        target = tmp_path / name / "ada" / f"{name}.py"
        target.parent.mkdir(parents=True)
        target.write_text((SAMPLES / sample / "attention-weights.py").read_text())
        os.utime(target, (0, 1e9 + 86_400 * len(sample)))  # the wrong one is newer
        etude("grade", name, "--output", f"{name}.jsonl")
    lines = [
        (tmp_path / name).read_text()
        for name in ("attention-weights.jsonl", "attention_weights.jsonl")
    ]
    (tmp_path / "both.jsonl").write_text("".join(lines[::order]))
    (found,) = json.loads(etude("stats", "both.jsonl", "--format", "json").stdout)
    assert (found["students"], found["pass_rate"]) == (1, 0.0)


def _pointed_to(times: int) -> dict[str, int]:
    """The hint that the exercise itself names for the mistake."""
    exercise = load_exercise("attention-weights", default_folder())
    (hint,) = (each.hint for each in exercise.misconceptions if each.id == "unscaled")
    return {} if hint is None else {str(hint): times}


def test_stats_refuse_what_is_no_result(etude: Etude, tmp_path: Path) -> None:
    """A file of something else is named with its line."""
    for text in ('{"a": 1}\n', "[" * 100_000):
        (tmp_path / "x.jsonl").write_text(text)
        finished = etude("stats", "x.jsonl")
        assert finished.returncode == 2
        assert "x.jsonl:1 is not a whole result of etude grade" in finished.stderr
    (tmp_path / "x.jsonl").write_bytes(b"\xff\n")
    finished = etude("stats", "x.jsonl")
    assert finished.returncode == 2
    assert finished.stderr.startswith("etude: x.jsonl:1 is not UTF-8")


def row(student: str, exercise: str, *, passed: bool) -> Row:
    return Row(student, exercise, passed, float(passed), (), ())


def test_discrimination_tells_strong_from_weak() -> None:
    """It is near 1 if the strong pass, near -1 if the weak pass, and None if all pass."""
    strong = {"a": True, "b": True, "c": False, "d": False}
    rows = [row(s, e, passed=p) for s, p in strong.items() for e in ("one", "two", "three")]
    rows += [row(s, "against", passed=not p) for s, p in strong.items()]
    rows += [row(s, "easy", passed=True) for s in strong]
    found = {each.exercise: each for each in summarize_exercises(rows)}
    assert found["one"].discrimination == pytest.approx(1.0)
    assert found["against"].discrimination == pytest.approx(-1.0)
    assert found["easy"].discrimination is None
    assert found["easy"].pass_rate == 1.0


def test_discrimination_is_a_correlation() -> None:
    """It correlates passing with the score on all others, however close together those are."""
    rng = np.random.default_rng(3)
    students = [f"s{number}" for number in range(200)]
    rows = [
        Row(student, exercise, bool(rng.random() < 0.5), 0.9 + rng.random() / 1e3, (), ())
        for student in students
        for exercise in ("one", "two", "three")
    ]
    for each in summarize_exercises(rows):
        others = [
            sum(row.score for row in rows if row.student == name and row.exercise != each.exercise)
            for name in students
        ]
        passed = [float(row.has_passed) for row in rows if row.exercise == each.exercise]
        assert each.discrimination == pytest.approx(statistics.correlation(passed, others))
