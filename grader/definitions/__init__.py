"""What an exercise is, and how its YAML becomes one.

Whatever is wrong with a definition is a `DefinitionError` with file, line and column.
"""

from grader.definitions.collection import (
    Collection,
    default_folder,
    load_exercise,
    load_track,
    resolve,
)
from grader.definitions.exercise import (
    CallTest,
    Definition,
    Difficulty,
    Disclosure,
    Exercise,
    ExerciseId,
    Expected,
    FromReference,
    Given,
    Kind,
    Literals,
    LiteralValue,
    Misconception,
    OutputTest,
    Seeded,
    TestCase,
    TestId,
    Tolerance,
)
from grader.definitions.public import PublicExercise, PublicTest, PublicTrack
from grader.definitions.track import Track, TrackDefinition, TrackId

__all__ = [
    "CallTest",
    "Collection",
    "Definition",
    "Difficulty",
    "Disclosure",
    "Exercise",
    "ExerciseId",
    "Expected",
    "FromReference",
    "Given",
    "Kind",
    "LiteralValue",
    "Literals",
    "Misconception",
    "OutputTest",
    "PublicExercise",
    "PublicTest",
    "PublicTrack",
    "Seeded",
    "TestCase",
    "TestId",
    "Tolerance",
    "Track",
    "TrackDefinition",
    "TrackId",
    "default_folder",
    "load_exercise",
    "load_track",
    "resolve",
]
