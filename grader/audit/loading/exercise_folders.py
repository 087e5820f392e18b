"""Folders with one exercise each: Exercism practice exercises, and problems with tests in JSON.

The exemplar of an Exercism exercise is the solution, and its stub the starter. A problem's list of
tests becomes a pytest module.
"""

import os
from pathlib import Path
from typing import Final

from grader.audit.loading.written_tests import WrittenTests
from grader.authoring.sources import exercism, problem_folder
from grader.authoring.sources.assignment import Assignment
from grader.authoring.sources.draft import NOTHING
from grader.authoring.sources.python_parsing import error_in, has_test, parse
from grader.authoring.sources.source_files import entries, read_text_inside

_SAME: Final = '''

def assert_same(result, expected):
    """Compare a result with the value written in the list: numbers within 1e-6, the rest exactly."""
    if isinstance(expected, (int, float, list)) and not isinstance(expected, bool):
        try:
            wanted = np.asarray(expected, dtype=float)
        except (TypeError, ValueError):
            assert result == expected
            return
        got = np.asarray(result, dtype=float)
        assert got.shape == wanted.shape, f"{got.shape} is not {wanted.shape}"
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)
    else:
        assert result == expected
'''  # noqa: E501  a docstring in a text


def load_problem(folder: Path) -> Assignment:
    """Read a problem's folder.

    Raises:
        DefinitionError: The problem has no tests, or its solution cannot be read.
        UsageError: The list of tests cannot be read.
        UnreadableError: Another file of the problem cannot be read.
    """
    (draft,) = problem_folder.read_problem(folder).drafts
    solution = draft.solution
    parse(solution, folder / "solution.py")
    tests = WrittenTests("solution", shares_names=False)
    for test in draft.tests:
        parse(test.code, folder / "tests.json")
        code = test.code
        if test.key == "call":
            given = "".join(f"{name} = {value!r}\n" for name, value in test.given.items())
            expected = None if test.expect is NOTHING else test.expect
            code = f"{given}assert_same({test.code}, {expected!r})\n"
        stdout = (test.stdout or "") if test.key == "run" else None
        tests.add(test.description or test.id, code, stdout)
    if not draft.tests:
        raise error_in(folder / "tests.json", "there is no test in it")
    has_calls = any(test.key == "call" for test in draft.tests)
    has_starter = bool(draft.starter.strip()) and not any("made of" in r for r in draft.remarks)
    return Assignment(
        name=folder.absolute().name,
        kind="problem folder",
        solution="solution.py",
        modules={"solution.py": solution, **tests.files},
        tests={"test_problem.py": tests.module(_SAME if has_calls else "")},
        starter=draft.starter if has_starter else None,
        notes=tuple(f"{key} was left out" for key, _ in draft.notes if "[" in key),
        source=(folder / "solution.py").as_posix(),
    )


def load_exercism(folder: Path) -> Assignment:
    """Read an Exercism exercise's folder.

    Raises:
        DefinitionError: The exercise has no exemplar or no tests.
        UnreadableError: A file of the exercise cannot be read.
    """
    _, file_names = exercism.read_config(folder)
    files = {
        key: [name for name in names if name.endswith(".py")] for key, names in file_names.items()
    }
    stubs = files["solution"] or [f"{folder.absolute().name.replace('-', '_')}.py"]
    models, tests = [*files["exemplar"], *files["example"]], files["test"]
    if not models:
        message = "the exercise has no exemplar, so there is no solution"
        raise error_in(folder / exercism.CONFIG, message)
    solution = stubs[0]
    modules = {solution: _source(folder, models[0])}
    test_sources = {test: _source(folder, test) for test in tests}
    if not any(has_test(parse(source, folder / name)) for name, source in test_sources.items()):
        raise error_in(folder / (tests or [exercism.CONFIG])[0], "there is no test in it")
    known_files = {*stubs, *models, *tests}
    beside = [
        entry.name
        for entry in entries(folder)
        if entry.name.endswith(".py") and entry.name not in known_files and not entry.is_symlink()
    ]
    modules |= {stub: _source(folder, stub) for stub in (*stubs[1:], *beside)}
    starter = _source(folder, solution) if os.path.lexists(folder / solution) else None
    source, name = (folder / models[0]).as_posix(), folder.absolute().name
    return Assignment(name, "exercism", solution, modules, test_sources, starter, source=source)


def _source(folder: Path, name: str) -> str:
    source = read_text_inside(folder, name)
    parse(source, folder / name)
    return source
