"""The collection keeps its promises: every exercise is proven, every lesson says what is true.

The proof of all exercises takes a minute and a half of processor time. The cache of proofs is not used: its keys hold the grader's sources, so that it is empty after
every change of those, and in a fresh clone.
"""

import json
import os
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.definitions.track import Track
from grader.grading.diagnosis.break_it import judge_breaking_call
from grader.grading.expected.oracle import Oracle
from grader.lessons.blocks import (
    BreakTask,
    Cell,
    ChoiceQuestion,
    Experiment,
    MatrixDisplay,
    NumberQuestion,
    Prose,
)
from grader.lessons.execute import run_lesson
from grader.lessons.figure import Figure
from grader.lessons.lesson import read_lesson
from grader.lessons.recorded_output import differences
from grader.progress.breaks import break_job
from grader.sandbox.process import Sandbox
from tests.conftest import Etude
from tests.own_collection import COLLECTION, COURSES

TRACKS = {str(track.definition.id): track for track in COLLECTION.tracks}
COLLECTIONS = {"exercises": COLLECTION, **COURSES}
NOT_PROMISED = Path(__file__).parents[1] / "golden" / "exercises" / "cases-not-promised"
LESSONS = [path for track in COLLECTION.tracks for path in track.lessons]
TRACKS_OF_ALL = [track for collection in COLLECTIONS.values() for track in collection.tracks]
LESSONS_OF_ALL = [path for track in TRACKS_OF_ALL for path in track.lessons]


PROOFS = [
    "exercises",
    *(pytest.param(name, marks=pytest.mark.release) for name in COURSES),  # four minutes together
]


@pytest.mark.slow
@pytest.mark.parametrize("name", PROOFS)
def test_exercises_are_proven(etude_process: Etude, name: str) -> None:
    """The solution passes, tests can fail, no mutant survives, each misconception is diagnosed.

    A wrong submission is accepted only in cases that the instructions do not promise: `NOT_PROMISED`
    has them, a file for each collection, and grows only after a look at the instructions.
    """
    exercises = COLLECTIONS[name].exercises
    ids = [exercise.id for exercise in exercises]
    folder = os.fspath(COLLECTIONS[name].folders[0])
    words = ("verify", *ids, "--exercises", folder, "--no-cache", "--format", "json")
    finished = etude_process(*words, timeout=1800)
    proofs = {proof["exercise"]: proof for proof in json.loads(finished.stdout)["exercises"]}
    assert list(proofs) == ids
    said = {name: [*problems_in(proof), *proof["skipped"]] for name, proof in proofs.items()}
    assert {name: each for name, each in said.items() if each} == {}
    accepted = [line for proof in proofs.values() for line in cases_not_met(proof)]
    not_promised = NOT_PROMISED / f"{name}.txt"
    assert sorted(accepted) == sorted(not_promised.read_text("utf-8").splitlines())
    for exercise in exercises:
        proof = proofs[exercise.id]
        assert proof["checks"]["misconceptions-diagnosed"] == "passed", exercise.id
        assert proof["counts"]["misconceptions"] == len(exercise.misconceptions) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTIONS)
def test_lint_has_nothing_to_say(etude_process: Etude, name: str) -> None:
    """Authors read our own exercises as samples: neither errors nor warnings, nor notes."""
    finished = etude_process("lint", "--exercises", os.fspath(COLLECTIONS[name].folders[0]))
    assert (finished.returncode, finished.stdout.partition(" in ")[0]) == (0, "Nothing to report")


def cases_not_met(proof: dict[str, Any]) -> Iterator[str]:
    """Yield, as a line, the cases in which the hidden tests accept a wrong submission."""
    for note in proof["notes"]:
        if note["check"] == "mutants-killed":
            cases = note["message"].partition(": ")[2].partition(". Draw")[0]
            yield f"{proof['exercise']}: {cases}"


def problems_in(proof: dict[str, Any]) -> Iterator[str]:
    """Yield the problems, except wall times, which depend on the machine as well."""
    for finding in proof["findings"]:
        if "of wall clock" not in finding["message"]:
            yield f"{finding['check']}: {finding['message']}"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_shows_what_is_recorded(path: Path, sandbox: Sandbox) -> None:
    """Every number of a lesson is computed, and equals the recorded one."""
    lesson = run_lesson(read_lesson(path), sandbox)
    assert differences(lesson) == []
    shown = [each for block in lesson.blocks if isinstance(block, Cell) for each in block.displays]
    assert any(isinstance(each, MatrixDisplay) and each.kind == "heatmap" for each in shown)


@pytest.mark.slow
@pytest.mark.parametrize("name", COURSES)
def test_lessons_of_courses_show_what_is_recorded(etude_process: Etude, name: str) -> None:
    """The same where a course brings packages and data files, by the command of its authors."""
    lessons = [path for track in COURSES[name].tracks for path in track.lessons]
    if lessons:
        finished = etude_process("lesson", "run", "--exercises", os.fspath(COURSES[name].folders[0]))
        assert f"{len(lessons)} as recorded" in finished.stdout


_BREAKS = {
    "similarity-scores": "similarity_scores(np.ones((2, 1, 2)), np.array([[[1, 2]], [[3, 4]]]))",
    "stable-softmax": "softmax(np.array([[1000, 0]]))",
    "weighted-sum": "weighted_sum(np.array([[[0.5, 0.5]]] * 2), np.array([[[1], [2]]] * 2))",
    "causal-mask": "causal_mask(1)",
    "split-heads": "split_heads(np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), 2)",
    "sinusoidal-positions": "sinusoidal_positions(2, 4)",
    "online-softmax": "normaliser(np.array([[1.0, 2.0]]), 1)",
    "layer-norm": "layer_norm(np.array([[1, 5]]), np.ones(2), np.ones(2))",
    "cross-entropy": "cross_entropy(np.array([[0, 1000]]), np.array([0]))",
    "top-k-top-p": "top_k_filter(np.array([[1.0, 3.0, 2.0, 0.0]]), 2)",
    "int8-quantization": "quantize(np.array([-1.0, 0.25, 1.0]))",
    "speculative-decoding": (
        "check_draft(np.array([[4, 2, 2], [4, 2, 2]]) / 8, np.array([[2, 5, 1]]) / 8,"
        " np.array([1]), np.array([0.9]), 0.7)"
    ),
}


def test_every_program_of_a_lesson_can_be_broken(sandbox: Sandbox) -> None:
    """By a call that a reader can think of."""
    blocks = [block for path in LESSONS_OF_ALL for block in read_lesson(path).blocks]
    tasks = [block for block in blocks if isinstance(block, BreakTask)]
    assert {each.exercise for each in tasks} == _BREAKS.keys()
    for task in tasks:
        exercise = COLLECTION.find(task.exercise)
        job = break_job(exercise, task.misconception, _BREAKS[task.exercise])
        oracle = Oracle(exercise, sandbox)
        verdict = judge_breaking_call(oracle, job.submission, _BREAKS[task.exercise])
        assert verdict.example, (task.exercise, verdict.message)


@pytest.mark.parametrize("track", TRACKS_OF_ALL, ids=lambda track: track.definition.id)
def test_lessons_lead_into_their_exercises(track: Track) -> None:
    """A lesson's file names just the exercises that the track says it leads into, in order."""
    pairs = zip(track.definition.lessons, track.lessons, strict=True)
    for definition, path in pairs:
        assert read_lesson(path).exercises == definition.exercises


def test_the_track_has_every_kind_of_exercise() -> None:
    """Attention from scratch: at least 40 exercises and 12 lessons; every kind and form is used."""
    track = TRACKS["attention"]
    assert len(track.exercises) >= 40
    assert len(track.lessons) >= 12
    assert {exercise.kind for exercise in track.exercises} == {"write", "fix", "predict", "test"}
    tests = [test for exercise in track.exercises for test in exercise.tests]
    forms = {type(test).__name__ for test in tests}
    assert forms >= {"CallTest", "OutputTest", "PropertyTest"}
    assert any(getattr(test, "budget", None) for test in tests)
    definitions = [d for exercise in track.exercises for d in exercise.defines.values()]
    assert any(definition.kind == "class" for definition in definitions)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_exercise_helps_its_learner(name: str) -> None:
    """At least two hints, three misconceptions with feedback, a solution and an explanation."""
    for exercise in COLLECTIONS[name].exercises:
        assert len(exercise.hints) >= 2, exercise.id
        assert len(exercise.misconceptions) >= 3, exercise.id
        assert exercise.solution, exercise.id
        assert exercise.explanation, exercise.id


def test_xp_grows_with_difficulty() -> None:
    """On the whole, a harder exercise earns more; and the track says how much there is."""
    track = TRACKS["attention"]
    earned = {
        difficulty: statistics.mean(e.xp for e in track.exercises if e.difficulty == difficulty)
        for difficulty in ("beginner", "intermediate", "advanced")
    }
    assert earned["beginner"] < earned["intermediate"] < earned["advanced"]
    assert track.definition.xp == track.xp


def test_the_warm_up_has_a_dozen_exercises() -> None:
    """For those who need NumPy itself first."""
    assert len(TRACKS["numpy-warmup"].exercises) >= 12


def test_no_two_collections_share_an_id() -> None:
    """Progress is recorded by the exercise's id alone."""
    ids = [each.id for collection in COLLECTIONS.values() for each in collection.exercises]
    assert len(ids) == len(set(ids))


def test_practice_is_short() -> None:
    """NumPy practice: a few minutes each, at least two hidden tests, and every kind of exercise."""
    exercises = COURSES["numpy-practice"].exercises
    assert {exercise.kind for exercise in exercises} == {"write", "fix", "predict", "test"}
    for exercise in exercises:
        assert exercise.minutes is not None, exercise.id
        assert exercise.minutes <= 5, exercise.id
        if exercise.kind != "test":
            assert sum(test.hidden for test in exercise.tests) >= 2, exercise.id


def test_the_second_course_has_four_tracks() -> None:
    """Learning from data: at least 45 exercises of all kinds and 14 lessons, with data files."""
    course = COURSES["learning-from-data"]
    assert len(course.tracks) == 4
    assert len(course.exercises) >= 45
    assert sum(len(track.lessons) for track in course.tracks) >= 14
    assert {exercise.kind for exercise in course.exercises} == {"write", "fix", "predict", "test"}
    assert any(exercise.files for exercise in course.exercises)


@pytest.mark.parametrize("path", LESSONS_OF_ALL, ids=lambda path: path.stem)
def test_a_lesson_asks_sums_up_and_leads_on(path: Path) -> None:
    """Two questions, a change to try but in the warm-up, two or three sentences to keep, and reading."""
    blocks = read_lesson(path).blocks
    questions = [block for block in blocks if isinstance(block, ChoiceQuestion | NumberQuestion)]
    changes = [block for block in blocks if isinstance(block, Experiment)]
    text = path.read_text("utf-8")
    summary, _, reading = text.partition("## In short\n")[2].partition("## Further reading\n")

    assert len(questions) >= 2
    assert changes or path.parts[-3] == "numpy-warmup"
    assert summary.count("\n- ") in (2, 3)
    assert reading.count("](https://") >= 2


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_begins_with_something_to_move_or_to_guess(path: Path) -> None:
    """A figure or a question stands before any code that is shown."""
    blocks = read_lesson(path).blocks
    first = next(
        block
        for block in blocks
        if not isinstance(block, Prose) and not (isinstance(block, Cell) and block.hidden)
    )
    assert isinstance(first, Figure | ChoiceQuestion | NumberQuestion)
