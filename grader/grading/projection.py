"""Makes the public form of an exercise: everything hidden is left behind here, in one place."""

from typing import Any

from grader.definitions.exercise import CallTest, Exercise, TestCase
from grader.definitions.public import PublicExercise, PublicTest, PublicTrack
from grader.definitions.track import Track
from grader.grading.oracle import Oracle


def public_track(track: Track) -> PublicTrack:
    """Project a track and its exercises.

    Raises:
        DefinitionError: a visible test cannot be computed.
    """
    return PublicTrack(
        id=track.definition.id,
        title=track.definition.title,
        description=track.definition.description,
        xp=track.xp,
        exercises=tuple(public_exercise(exercise) for exercise in track.exercises),
    )


def public_exercise(exercise: Exercise) -> PublicExercise:
    """Project an exercise; the expected values of visible tests are computed, never retyped."""
    oracle = Oracle(exercise)
    visible = [test for test in exercise.tests if not test.hidden]
    return PublicExercise(
        id=exercise.id,
        title=exercise.title,
        kind=exercise.kind,
        difficulty=exercise.difficulty,
        xp=exercise.xp,
        requires=exercise.requires,
        concepts=exercise.concepts,
        instructions=exercise.instructions,
        starter=exercise.starter,
        hints=exercise.hints,
        tests=tuple(_public_test(oracle, test) for test in visible),
        hidden_tests=len(exercise.tests) - len(visible) + exercise.hidden_elsewhere,
        max_points=exercise.max_points,
    )


def _public_test(oracle: Oracle, test: TestCase) -> PublicTest:
    draw = oracle.draws(test)[0]
    inputs: dict[str, Any] = dict(draw.inputs)
    is_call = isinstance(test, CallTest)
    return PublicTest(
        kind="call" if is_call else "output",
        id=test.id,
        description=test.description,
        points=test.points,
        given=inputs,
        code=test.call if isinstance(test, CallTest) else test.run,
        expected=draw.expected,
    )
