"""The collection keeps its promises: every exercise is proven, every lesson says what is true."""

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.definitions.collection import Collection
from grader.definitions.exercise import Exercise
from grader.definitions.files import default_folder
from grader.definitions.track import Track
from grader.lessons.document import read_lesson
from grader.lessons.execute import RunCell, run_lesson
from grader.lessons.record import differences
from grader.sandbox.process import Sandbox

COLLECTION = Collection.load(default_folder())
TRACKS = {str(track.definition.id): track for track in COLLECTION.tracks}
LESSONS = [path for track in COLLECTION.tracks for path in track.lessons]


@pytest.fixture(scope="module")
def proofs() -> dict[str, Any]:
    """What `etude verify` says of the whole collection, by the id of the exercise."""
    command = [sys.executable, "-m", "grader.cli", "verify", "--no-cache", "--format", "json"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return {proof["exercise"]: proof for proof in json.loads(done.stdout)["exercises"]}


@pytest.mark.parametrize("exercise", COLLECTION.exercises, ids=lambda each: each.id)
def test_an_exercise_is_proven(exercise: Exercise, proofs: dict[str, Any]) -> None:
    """Its solution passes, its tests can fail, no mutant survives: `etude verify` finds nothing."""
    proof = proofs[exercise.id]
    assert proof["findings"] == []
    assert proof["skipped"] == []
    assert proof["status"] == "proven"


def test_each_misconception_is_diagnosed_as_itself(proofs: dict[str, Any]) -> None:
    """Whoever makes a mistake that an author foresaw is told of it, and of no other one."""
    for exercise in COLLECTION.exercises:
        assert proofs[exercise.id]["checks"]["misconceptions-diagnosed"] == "passed", exercise.id
        assert proofs[exercise.id]["counts"]["misconceptions"] == len(exercise.misconceptions) > 0


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_shows_what_is_recorded(path: Path, sandbox: Sandbox) -> None:
    """Every number of a lesson is computed, and is the one that somebody has looked at."""
    lesson = run_lesson(read_lesson(path), sandbox)
    assert differences(lesson) == []
    shown = [each for block in lesson.blocks if isinstance(block, RunCell) for each in block.shown]
    assert any(each.kind == "heatmap" for each in shown)


@pytest.mark.parametrize("track", COLLECTION.tracks, ids=lambda track: track.definition.id)
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
    assert {exercise.kind for exercise in track.exercises} == {"write", "fix", "predict"}
    tests = [test for exercise in track.exercises for test in exercise.tests]
    forms = {type(test).__name__ for test in tests}
    assert forms >= {"CallTest", "OutputTest", "PropertyTest"}
    assert any(getattr(test, "budget", None) for test in tests)
    definitions = [d for exercise in track.exercises for d in exercise.defines.values()]
    assert any(definition.kind == "class" for definition in definitions)


def test_every_exercise_helps_its_learner() -> None:
    """At least two hints, three misconceptions with feedback, a solution and an explanation."""
    for exercise in COLLECTION.exercises:
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
