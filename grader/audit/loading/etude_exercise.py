"""Exercises of Etude: their visible and hidden tests as tests of pytest.

Expected values come from a copy of the solution, which `etude verify` has compared with the
reference. Properties, figures and predictions have no such form; a note says how many are left out.
"""

import textwrap
from pathlib import Path
from typing import Final

import numpy as np

from grader.audit.assignment import Assignment
from grader.audit.loading.python_source import bad
from grader.audit.loading.written_tests import PRINTED, as_function, function_name
from grader.definitions import program_files
from grader.definitions.collection import load_exercise, load_track
from grader.definitions.exercise import (
    Exercise,
    FromExpression,
    Literals,
    LiteralValue,
    TestCase,
)
from grader.definitions.files import TRACK_FILE

_RIGHT: Final = "right_solution"
_KINDS: Final = ("call", "output", "pytest")
_HELPERS: Final = '''\
nan, inf = np.nan, np.inf


def sizes_of(rng, size, number):
    """Return a function that gives different small numbers; in each third draw one is 1."""

    def sizes(count, least=1):
        smallest = max(2, least)
        largest = max(size, smallest + count - 1)
        chosen = rng.permutation(np.arange(smallest, largest + 1))[:count]
        turn, rest = divmod(number, 3)
        if least <= 1 and rest == 2:
            chosen[turn % count] = 1
        return tuple(int(length) for length in chosen)

    return sizes


def inputs_of(code, number, draws):
    """Run the Python that makes the inputs of a draw."""
    rng, size = np.random.default_rng([draws, number]), 5
    if draws > 1:
        size = 2 + round(8 * number / (draws - 1))
    space = {"np": np, "rng": rng, "size": size, "sizes": sizes_of(rng, size, number)}
    exec(code, space)
    return {
        name: value
        for name, value in space.items()
        if name not in ("np", "rng", "size", "sizes") and not name.startswith("_")
    }


def as_array(value):
    """Make an array of nested lists of numbers."""
    if isinstance(value, list):
        try:
            made = np.asarray(value)
        except ValueError:
            return value
        return made if made.dtype.kind in "biufc" else value
    return value


def assert_same(result, expected, tolerance=None):
    """Compare types of containers, shapes, and values."""
    if isinstance(expected, (tuple, list)):
        assert isinstance(result, (tuple, list)) and len(result) == len(expected)
        for one, other in zip(result, expected):
            assert_same(one, other, tolerance)
    elif isinstance(expected, dict):
        assert isinstance(result, dict) and result.keys() == expected.keys()
        for key in expected:
            assert_same(result[key], expected[key], tolerance)
    elif isinstance(expected, (np.ndarray, np.number, int, float, complex)):
        wanted, got = np.asarray(expected), np.asarray(result)
        assert got.shape == wanted.shape, f"{got.shape} is not {wanted.shape}"
        assert got.dtype.kind == wanted.dtype.kind, f"{got.dtype} is not {wanted.dtype}"
        if wanted.dtype.kind in "fc":
            single = wanted.dtype.itemsize < 8
            atol, rtol = tolerance or ((1e-5, 1e-4) if single else (1e-9, 1e-7))
            np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol)
        else:
            np.testing.assert_array_equal(got, wanted)
    else:
        assert result == expected


def check_call(call, given, wanted=None, tolerance=None, keep_inputs=True):
    """Compare what a call of the solution gives with what is expected, and its arguments."""
    before = copy.deepcopy(given)
    result = eval(call, {"np": np, **NAMES, **given})
    if keep_inputs:
        for name, value in before.items():
            if isinstance(value, (np.ndarray, list, dict)):
                assert_same(given[name], value)
    space = {"np": np, "nan": nan, "inf": inf, **RIGHT, **before}
    assert_same(result, as_array(eval(wanted or call, space)), tolerance)


def check_output(code, given, stdout=None):
    """Compare what statements print."""
    texts = []
    for names in (vars(solution), vars(right_solution)):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, {**names, "np": np, **copy.deepcopy(given)})
        texts.append(printed.getvalue())
    assert_prints(texts[0], texts[1] if stdout is None else stdout)
'''


def load_etude(path: Path) -> list[Assignment]:
    """Read an exercise, or all of a track that have something to audit.

    Args:
        path: of the definition, or of a `track.yaml`.

    Raises:
        DefinitionError: a definition is not valid, or nothing of it can be audited.
    """
    if path.name != TRACK_FILE:
        return [_assignment(load_exercise(path), path)]
    exercises = load_track(path).exercises
    found = [
        _assignment(each, each.where.path)
        for each in exercises
        if each.solution and each.kind != "predict" and _tests(each)
    ]
    if not found:
        raise bad(path, "no exercise of the track has a solution and tests that can be audited")
    return found


def _tests(exercise: Exercise) -> list[TestCase]:
    return [test for test in exercise.tests if test.kind in _KINDS]


def _assignment(exercise: Exercise, path: Path) -> Assignment:
    if not exercise.solution or exercise.kind == "predict":
        what = "is to be predicted" if exercise.kind == "predict" else "has no solution here"
        raise bad(path, f"the exercise {what}, so there is nothing to audit")
    modules = {"solution.py": exercise.solution}
    if exercise.files_to_submit:
        modules = program_files.split(exercise.solution)
    main = next(iter(modules))
    module = main.removesuffix(".py")
    tests = _tests(exercise)
    if not tests:
        raise bad(path, "no test of the exercise calls it and compares a value")
    taken: set[str] = set()
    functions = [as_function(function_name(test.id, taken), _body(test)) for test in tests]
    names = ", ".join(f'"{name}"' for name in exercise.defines)
    head = (
        "import contextlib\nimport copy\nimport io\nimport re\n\n"
        "import numpy as np\nimport pytest\n\n"
        f"import {_RIGHT} as right_solution\nimport {module} as solution\n\n"
        f"DEFINES = [{names}]\n"
        "NAMES = {name: getattr(solution, name, None) for name in DEFINES}\n"
        "RIGHT = {name: getattr(right_solution, name) for name in DEFINES}\n"
    )
    left_out = len(exercise.tests) - len(tests)
    note = f"{left_out} of {len(exercise.tests)} tests check a property or a figure; left out"
    is_one = not exercise.files_to_submit
    return Assignment(
        name=exercise.id,
        kind="etude",
        solution=main,
        modules={**modules, f"{_RIGHT}.py": modules[main]},
        tests={"test_exercise.py": "\n\n".join([head, PRINTED, _HELPERS, *functions])},
        starter=exercise.starter if is_one else program_files.split(exercise.starter).get(main),
        notes=(note,) if left_out else (),
        source=path.as_posix(),
    )


def _body(test: TestCase) -> str:
    """Return the statements of a test's function."""
    if isinstance(test.given, Literals):
        lines = [f"given = {_written(dict(test.given.values))}"]
    else:
        lines = [f"given = inputs_of({test.given.code!r}, number, {test.seeds})"]
    if test.kind == "pytest":
        lines.append('space = {"np": np, "pytest": pytest, **NAMES, **copy.deepcopy(given)}')
        lines.append(f"exec({test.code!r}, space)")
    elif test.kind == "output":
        lines.append(f"check_output({test.code!r}, given, {test.stdout!r})")
    else:
        wanted: str | None = None
        if isinstance(test.expect, LiteralValue):
            wanted = _written(test.expect.value)
        elif isinstance(test.expect, FromExpression) and "reference" not in test.expect.code:
            wanted = test.expect.code
        tolerance = None if test.tolerance is None else (test.tolerance.atol, test.tolerance.rtol)
        lines.append(
            f"check_call({test.code!r}, given, {wanted!r}, {tolerance!r}, "
            f"keep_inputs={test.keep_inputs})"
        )
    if test.seeds <= 1:
        return "\n".join(["number = 0", *lines])
    indented = [textwrap.indent(each, "    ") for each in lines]
    return "\n".join([f"for number in range({test.seeds}):", *indented])


def _written(value: object) -> str:
    """Return a value as Python; the names `nan` and `inf` are there."""
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r}, dtype={value.dtype.name!r})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_written(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return repr(value)
