"""The files with which a page grades: the grader's modules, and exercises' grading data."""

import ast
import importlib.util
import io
import sys
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import grader
from grader.browser.data_encoding import BreakData, GradingData, measure_size, to_text
from grader.definitions.exercise import Exercise, Literals, Seeded, TestCase
from grader.definitions.imports import walk_imports
from grader.errors import DefinitionError
from grader.grading.checks import make_check
from grader.grading.diagnosis.break_it import list_allowed_calls
from grader.grading.diagnosis.diagnostician import Diagnostician
from grader.grading.expected.oracle import Oracle, TestValues
from grader.grading.feedback.difference_sentences import item_naming_text
from grader.grading.program.author_code import provide_data_files
from grader.sandbox.in_child.wire import UnsupportedValueError
from grader.sandbox.interface import ChildFactory

MODULES: Final = "modules.zip"

_PAGE: Final = "grader.browser.page"
# Modules that a page never needs, since it does not read definitions or draw figures. It also lacks
# the solution that mutants are made of. Other modules import these in the functions that use them.
_EXCLUDED_MODULES: Final = frozenset(
    {
        "grader.definitions.collection", "grader.definitions.files",
        "grader.grading.checks.figure", "grader.grading.feedback.figure_sentences",
        "grader.grading.diagnosis.derived_mistakes", "grader.grading.diagnosis.teaching_exercises",
        "grader.mutation", "grader.sandbox.in_child.drawn_figure",
    }
)  # fmt: skip

# The earliest date in a zip archive, so that the same modules always give the same bytes.
_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)
# A zip archive keeps the mode of a file in the high half of its attributes.
_READABLE: Final = 0o644 << 16
# Encoded bytes of a test's values. A page draws the inputs of a larger test itself.
_MANY_BYTES: Final = 64 << 10
# Uncompressed bytes that a page loads for one test. A larger test is left out.
_MAX_BYTES: Final = 1 << 20


def bundle() -> bytes:
    """Return a zip archive with one file, `MODULES`: a zip archive of the modules of a page.

    Comments are left out: no one reads them in a page. Only the outer archive is compressed,
    because all modules together compress to a fifth less than one by one. The same modules always
    give the same bytes.
    """
    files = {}
    for name, path in sorted(list_modules().items()):
        folder = name.replace(".", "/")
        is_package = path.name == "__init__.py"
        code = ast.unparse(ast.parse(path.read_bytes())).encode()
        files[f"{folder}/{path.name}" if is_package else f"{folder}.py"] = code
    return _make_zip({MODULES: _make_zip(files, zipfile.ZIP_STORED)}, zipfile.ZIP_DEFLATED)


def _make_zip(files: Mapping[str, bytes], compression: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.date_time, entry.external_attr = _ZIP_DATE, _READABLE
            archive.writestr(entry, content, compression)
    return buffer.getvalue()


def list_modules() -> dict[str, Path]:
    """Return the file of each module that a page imports, at its start or later."""
    paths: dict[str, Path] = {}
    pending = [_PAGE]
    while pending:
        name = pending.pop()
        root, _, below = name.partition(".")
        if root != grader.__name__ or name in paths or name in _EXCLUDED_MODULES:
            continue
        place = Path(grader.__file__).parent.joinpath(*below.split("."))
        candidates = (place / "__init__.py", place.with_suffix(".py"))
        path = next((path for path in candidates if path.is_file()), None)
        if path is None:  # the name of a function or class, not of a module
            continue
        paths[name] = path
        parent = name.rpartition(".")[0]
        package = name if path.name == "__init__.py" else parent
        for imported in walk_imports(ast.parse(path.read_bytes())):
            relative = "." * imported.level + ".".join(imported.parts)
            pending.append(importlib.util.resolve_name(relative, package))
        pending.append(parent)
    return paths


def make_grading_data(
    exercise: Exercise,
    sandbox: ChildFactory,
    *,
    for_practice: bool = False,
    packages: Collection[str] = (),
) -> str:
    """Return the grading data of an exercise, as text for `page`.

    The data has the inputs and expected values of the visible tests, and the results of each
    misconception in them. For practice it also has the hidden tests, with other inputs than the
    grader draws. It never has the solution or a reference, and a program only for practice with
    learners' tests. A test that a page cannot run, or that is too large to load, is left out and
    counted as hidden elsewhere.

    Args:
        exercise: The full edition, or a student's.
        sandbox: Runs the misconceptions, and the solution if a test needs it.
        for_practice: Whether the page may have the hidden tests, and the hidden data files.
        packages: The packages that the page can import beside NumPy.

    Raises:
        DefinitionError: A test cannot be computed.
        GraderFault: The sandbox failed.
    """
    with provide_data_files(exercise):
        if for_practice:
            exercise = replace(exercise, draw_salt=" in a page")
        oracle = Oracle(exercise, sandbox)
        is_suite = exercise.asks_for_suite  # the programs that it judges are sent for practice only
        tests = [test for test in exercise.tests if for_practice or not (test.hidden or is_suite)]
        known_values = {test.id: oracle.test_values(test) for test in tests}
        if exercise.is_prediction:  # its inputs would only give away the right answer
            known_values = {name: _without_inputs(values) for name, values in known_values.items()}
        sendable = [t for t in tests if _can_be_sent(exercise, t, known_values[t.id], packages)]
        edition = _make_edition(exercise, sendable)
        if for_practice:
            edition = replace(edition, hidden_data=exercise.hidden_data)
        if tests and is_suite:
            from grader.grading.checks.suite import make_page_programs

            edition = replace(edition, **make_page_programs(exercise))
        with_programs = replace(edition, misconceptions=() if is_suite else exercise.misconceptions)
        diagnostician = Diagnostician(Oracle(with_programs, sandbox, known_values))
        sent = {
            test.id: _shrink_test(exercise, test, known_values[test.id]) for test in edition.tests
        }
        data = GradingData(
            replace(edition, tests=tuple(test for test, _ in sent.values())),
            {name: computed for name, (_, computed) in sent.items()},
            diagnostician.mistakes(),
        )
        try:
            return to_text(data)
        except UnsupportedValueError as error:
            raise DefinitionError.at(exercise.where, f"too much for a page: {error}") from error


def make_break_data(exercise: Exercise, sandbox: ChildFactory) -> str:
    """Return the data by which a page judges calls that should break wrong programs.

    The data has the solution, the programs of `also_right` and of misconceptions, and the arguments
    that the tests draw for pages, so it is for practice only. The text is empty if no call can be
    judged.

    Raises:
        DefinitionError: A test cannot be computed.
        GraderFault: The sandbox failed.
    """
    exercise = replace(exercise, draw_salt=" in a page")
    with provide_data_files(exercise):
        calls = list_allowed_calls(Oracle(exercise, sandbox))
    programs = tuple(
        replace(misconception, feedback="") for misconception in exercise.misconceptions
    )
    data = BreakData(
        replace(
            _make_edition(exercise, []),
            defines={name: replace(d, reference=None) for name, d in exercise.defines.items()},
            solution=exercise.solution,
            also_right=exercise.also_right,
            misconceptions=programs,
        ),
        tuple(calls),
    )
    return to_text(data) if calls else ""


def _make_edition(exercise: Exercise, tests: list[TestCase]) -> Exercise:
    """Return a copy of an exercise with these tests and only the fields that a page needs."""
    return Exercise(
        where=exercise.where,
        id=exercise.id,
        title=exercise.title,
        difficulty=exercise.difficulty,
        xp=exercise.xp,
        instructions=item_naming_text(exercise.instructions),
        defines=exercise.defines,
        starter=exercise.starter,
        tests=tuple(make_check(exercise, test).without_time() for test in tests),
        kind=exercise.kind,
        forbid=exercise.forbid,
        limits=exercise.limits,
        edition="student",
        hidden_elsewhere=exercise.hidden_elsewhere + len(exercise.tests) - len(tests),
        draw_salt=exercise.draw_salt,
        data=exercise.data,
        digest=exercise.digest,
    )


def _can_be_sent(
    exercise: Exercise, test: TestCase, computed: TestValues, packages: Collection[str]
) -> bool:
    """Return whether a page can run a test: it has all modules, and can load the values."""
    if not make_check(exercise, test).runs_in_page():
        return False
    sent, values = _shrink_test(exercise, test, computed)
    if isinstance(sent.given, Seeded):
        imported = {name.parts[0] for name in walk_imports(ast.parse(sent.given.code))}
        if not imported <= {"numpy", *packages, *sys.stdlib_module_names}:
            return False
    size = measure_size(values)
    return size is not None and size <= _MAX_BYTES


def _shrink_test(
    exercise: Exercise, test: TestCase, computed: TestValues
) -> tuple[TestCase, TestValues]:
    """Remove the code that draws a test's inputs or, if the page draws them itself, the inputs.

    A page draws inputs of many bytes itself, and inputs that cannot be sent, such as functions.
    """
    unanswered: TestCase = make_check(exercise, test).without_expected()
    # The time was measured on this machine, and would be wrong for a page.
    usages = tuple(replace(usage, cpu_seconds=0.0) for usage in computed.usages)
    computed = replace(computed, usages=usages)
    size = measure_size(computed)
    if isinstance(test.given, Seeded) and (size is None or size > _MANY_BYTES):
        return unanswered, _without_inputs(computed)
    return replace(unanswered, given=Literals({})), computed


def _without_inputs(computed: TestValues) -> TestValues:
    return replace(computed, draws=tuple(replace(draw, inputs={}) for draw in computed.draws))
