"""The public form of an exercise. Everything hidden is left out here, and nowhere else."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from grader.definitions.exercise import (
    Exercise,
)
from grader.definitions.public import (
    Described,
    PublicExercise,
    PublicHint,
    PublicTest,
    PublicTrack,
)
from grader.definitions.track import Track
from grader.sandbox.process import Sandbox

if TYPE_CHECKING:
    from grader.grading.expected.oracle import KnownValues


def public_track(track: Track, sandbox: Sandbox | None = None) -> PublicTrack:
    """Return the public form of a track and its exercises.

    Args:
        track: its definition.
        sandbox: for tests that compare with what the exercise's solution gives.

    Raises:
        DefinitionError: a visible test cannot be computed.
        GraderFault: one needs a sandbox, and there is none.
    """
    return _track(track, [public_exercise(exercise, sandbox) for exercise in track.exercises])


def untested_track(track: Track) -> PublicTrack:
    """Return the public form of a track without tests, so that nothing has to be computed."""
    return _track(track, [_exercise(each, ()) for each in track.exercises])


def _track(track: Track, exercises: Sequence[PublicExercise]) -> PublicTrack:
    return PublicTrack(
        id=track.definition.id,
        title=track.definition.title,
        description=track.definition.description,
        xp=track.xp,
        exercises=tuple(exercises),
    )


def needs_sandbox(exercise: Exercise) -> bool:
    """Return whether a visible test of an exercise shows a value of its solution."""
    return any(test.needs_solution for test in exercise.tests if not test.hidden)


def public_exercise(
    exercise: Exercise, sandbox: Sandbox | None = None, known: "KnownValues | None" = None
) -> PublicExercise:
    """Return the public form of an exercise; expected values of visible tests are computed.

    Args:
        exercise: its definition.
        sandbox: see `public_track`.
        known: what is known of its tests already, to which is added what is computed.

    Raises:
        DefinitionError, GraderFault: see `public_track`.
    """
    # Most of a site's pages are cached, and then there is nothing to compute.
    from grader.grading.expected.oracle import Oracle  # noqa: PLC0415

    oracle = Oracle(exercise, sandbox, known)
    predicted = exercise.kind == "predict"
    tests = []
    for test in exercise.tests:
        if test.hidden:
            continue
        draw = oracle.draws(test)[0]
        public = PublicTest(
            kind="answer" if predicted else test.kind,
            id=test.id,
            description=test.description,
            points=test.points,
            given={name: _plain(value) for name, value in draw.inputs.items()},
            code=test.code,
            expected=None if predicted or test.kind == "figure" else _plain(draw.expected),
            holds=test.holds,
            draws=test.seeds,
        )
        tests.append(public)
    return _exercise(exercise, tuple(tests))


def _exercise(exercise: Exercise, tests: Sequence[PublicTest]) -> PublicExercise:
    visible = sum(not test.hidden for test in exercise.tests)
    return PublicExercise(
        id=exercise.id,
        title=exercise.title,
        kind=exercise.kind,
        difficulty=exercise.difficulty,
        xp=exercise.xp,
        requires=exercise.requires,
        concepts=exercise.concepts,
        minutes=exercise.minutes,
        instructions=exercise.instructions,
        starter=exercise.starter,
        defines=tuple(exercise.defines),
        hints=tuple(PublicHint(hint.text, hint.price) for hint in exercise.hints),
        tests=tests,
        hidden_tests=len(exercise.tests) - visible + exercise.hidden_elsewhere,
        max_points=exercise.max_points,
        choices={name: each.choices for name, each in exercise.defines.items() if each.choices},
        digest=exercise.digest,
        needs=tuple(needed_beside_numpy(exercise)),
        file=exercise.where.path,
    )


def needed_beside_numpy(exercise: Exercise) -> Iterator[str]:
    """Yield its data files, and the packages of the course that its own programs import."""
    yield from exercise.data
    bodies = [test.code for test in exercise.tests if test.code_key == "pytest" and not test.hidden]
    programs = "\n".join((exercise.starter, exercise.solution, *bodies))
    if any(test.kind == "figure" for test in exercise.tests):
        programs += "\nimport matplotlib"
    for name in dict.fromkeys(module.partition(".")[0] for module in exercise.packages):
        if re.search(rf"^\s*(?:import|from)\s[^#\n]*\b{name}\b", programs, re.MULTILINE):
            yield name


def _plain(value: Any) -> Any:  # noqa: ANN401  any value
    """Return a value as plain data, with a description in place of what is none."""
    import numpy as np  # noqa: PLC0415  as above

    kind = type(value)
    if value is None or kind in (bool, int, float, complex, str, bytes):
        return value
    if kind in (list, tuple, set, frozenset):
        return kind(map(_plain, value))
    if kind is dict:
        return {_plain(key): _plain(item) for key, item in value.items()}
    if kind is np.ndarray or isinstance(value, np.generic):
        dtype = value.dtype
        if dtype.itemsize and dtype.names is None and not dtype.hasobject:
            return value
    return Described(kind.__name__, repr(value))
