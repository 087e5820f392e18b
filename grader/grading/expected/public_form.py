"""The maker of `PublicExercise`, the form of an exercise for pages."""

import inspect
from collections.abc import Collection, Sequence
from types import FunctionType
from typing import Any, Final

from grader.definitions.exercise import Exercise, Seeded
from grader.definitions.imports import find_packages
from grader.definitions.public_exercise import (
    DescribedValue,
    PublicExercise,
    PublicHint,
    PublicTest,
    PublicTrack,
)
from grader.definitions.track import Track
from grader.sandbox.process import Sandbox

MAX_DATA_IN_PAGE: Final = 2 << 20  # total size of an exercise's data files in a page, in bytes


def public_track(track: Track, sandbox: Sandbox | None = None) -> PublicTrack:
    """Return the public form of a track and its exercises.

    Args:
        sandbox: The sandbox for the solution, if a test compares with it.

    Raises:
        DefinitionError: The expected value of a visible test cannot be computed.
        GraderFault: A test needs a sandbox, but there is none.
    """
    return _track(track, [public_exercise(exercise, sandbox) for exercise in track.exercises])


def untested_track(track: Track) -> PublicTrack:
    """Return the public form of a track without tests, which needs no computation."""
    return _track(track, [_exercise(exercise, ()) for exercise in track.exercises])


def _track(track: Track, exercises: Sequence[PublicExercise]) -> PublicTrack:
    return PublicTrack(
        id=track.definition.id,
        title=track.definition.title,
        description=track.definition.description,
        xp=track.xp,
        exercises=tuple(exercises),
    )


def public_exercise(exercise: Exercise, sandbox: Sandbox | None = None) -> PublicExercise:
    """Return the public form of an exercise, with the expected values of its visible tests.

    Raises:
        DefinitionError, GraderFault: See `public_track`.
    """
    # Imported here since most pages of a site are cached and need no oracle.
    from grader.grading.expected.oracle import Oracle
    from grader.grading.program.author_code import provide_data_files

    oracle = Oracle(exercise, sandbox)
    predicted = exercise.is_prediction
    tests = []
    for test in exercise.tests:
        if test.hidden:
            continue
        with provide_data_files(exercise):
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
        needs=missing_in_page(exercise),
        file=exercise.where.path,
    )


def imported_packages(exercise: Exercise) -> tuple[str, ...]:
    """Return the packages of the course that the exercise's visible programs import."""
    visible = [test for test in exercise.tests if not test.hidden]
    bodies = [test.code for test in visible if test.code_key == "pytest"]
    bodies += [test.given.code for test in visible if isinstance(test.given, Seeded)]
    programs = "\n".join((exercise.starter, exercise.solution, *bodies))
    return find_packages(programs, exercise.packages)


def missing_in_page(
    exercise: Exercise, packages: Collection[str] = (), *, for_practice: bool = False
) -> tuple[str, ...]:
    """Return the packages and the data files that the exercise needs and a page lacks.

    Args:
        packages: The packages that Python in the page can import besides NumPy.
        for_practice: Whether the page runs the hidden tests too.
    """
    missing = [name for name in imported_packages(exercise) if name not in packages]
    if any(test.kind == "figure" for test in exercise.tests):
        missing.append("matplotlib")
    if exercise.asks_for_suite and not for_practice:
        missing.append("hidden programs")
    contents = {**exercise.data, **(exercise.hidden_data if for_practice else {})}
    if sum(map(len, contents.values())) > MAX_DATA_IN_PAGE:
        missing += contents
    return tuple(dict.fromkeys(missing))


def _plain(value: Any) -> Any:
    """Return a value as plain data, with descriptions in place of other objects."""
    import numpy as np

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
    if isinstance(value, FunctionType):  # because its `repr` has an address
        return DescribedValue(kind.__name__, f"{value.__name__}{inspect.signature(value)}")
    return DescribedValue(kind.__name__, repr(value))
