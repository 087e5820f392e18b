"""Rules about an exercise as a whole, apart from its tests and its programs."""

import re
import sys
from collections.abc import Iterator
from typing import Final

from grader.definitions.exercise import SuiteTest
from grader.definitions.program_files import NAME, mark_in, split_files
from grader.definitions.python_names import is_name
from grader.definitions.rules.subject import CheckedExercise, Rule, Step
from grader.definitions.wording import did_you_mean, join_quoted, quote
from grader.errors import Problem

_REFERENCE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
_MIN_CHOICES: Final = 2


def _texts(checked: CheckedExercise) -> Iterator[Problem]:
    """Check that the solution and the explanation exist."""
    document = checked.document
    missing = [key for key in ("solution", "explanation") if not document.has(key)]
    if missing and checked.exercise.edition == "full":
        nouns = f"{'key' if len(missing) == 1 else 'keys'} {join_quoted(missing, 'and')}"
        yield Problem(document.root.where, f"missing {nouns} in an exercise")


def _numbers(checked: CheckedExercise) -> Iterator[Problem]:
    """Check the sums of points and XP, and the numbers of hints."""
    exercise = checked.exercise
    if exercise.hidden_elsewhere and exercise.edition == "full":
        message = "only a student edition counts tests that are hidden elsewhere"
        yield checked.problem(message, "hidden_elsewhere")
    if exercise.max_points < 1 and not exercise.hidden_elsewhere:
        yield checked.problem("all tests together must be worth at least one point", "tests")
    total = sum(hint.price for hint in exercise.hints)
    if total > exercise.xp >= 0:
        message = f"all hints together cost {total} XP, and the exercise earns only {exercise.xp}"
        yield checked.problem(message, "hints")
    count = len(exercise.hints)
    for index, misconception in enumerate(exercise.misconceptions):
        number = misconception.hint
        if number is not None and number > count:
            hints = f"hints are numbered from 1 to {count}" if count else "there are no hints"
            yield checked.problem(f"no hint {number}; {hints}", "misconceptions", index, "hint")


def _defines(checked: CheckedExercise) -> Iterator[Problem]:
    exercise, course = checked.exercise, checked.exercise.course
    if not exercise.defines:
        yield checked.problem("a submission has to define at least one name", "defines")
    packages = ["reference", *([course.reference] if course and course.reference else ())]
    for name, definition in exercise.defines.items():
        if not is_name(name):
            yield checked.at_key(f"{quote(name)} is not a Python name", "defines", name)
        if exercise.is_prediction and definition.kind != "value":
            message = f"an exercise to predict asks for values, not for a {definition.kind}"
            yield checked.problem(message, "defines", name, "kind")
        if definition.reference is None:
            continue
        module = definition.reference.partition(":")[0]
        package = module.partition(".")[0]
        if not _REFERENCE.fullmatch(definition.reference):
            message = f"{quote(definition.reference)} is not spelled 'package.module:name'"
        elif package not in packages:
            names = join_quoted(packages, "or")
            message = f"a reference lies in the package {names}, not in {quote(package)}"
        elif course is not None and package != "reference" and module not in course.modules:
            hint = did_you_mean(module, course.modules)
            message = f"the course has no module {quote(module)}{hint}"
        else:
            continue
        yield checked.problem(message, "defines", name, "reference")


def _choices(checked: CheckedExercise) -> Iterator[Problem]:
    for name, definition in checked.exercise.defines.items():
        steps = ("defines", name, "choices")
        if definition.choices and definition.kind != "value":
            kind = f"a {definition.kind}; only a value has choices"
            yield checked.problem(f"there is nothing to choose from for {kind}", *steps)
        if 0 < len(definition.choices) < _MIN_CHOICES:
            yield checked.problem("a single answer leaves no choice", *steps)
        for index, choice in enumerate(definition.choices):
            if not choice.strip():
                yield checked.problem("an answer to choose cannot be empty", *steps, index)


def _forbid(checked: CheckedExercise) -> Iterator[Problem]:
    forbid = checked.exercise.forbid
    if forbid is None:
        return
    if not (forbid.imports or forbid.names or forbid.calls or forbid.loops):
        message = "nothing is forbidden here; it may have 'imports', 'names', 'calls' and 'loops'"
        yield checked.problem(message, "forbid")
    for key in ("imports", "names", "calls"):
        for index, word in enumerate(getattr(forbid, key)):
            steps = ("forbid", key, index)
            if not all(map(is_name, word.split("."))):
                yield checked.problem(f"{quote(word)} is not names joined by dots", *steps)
            elif key == "names" and word in checked.exercise.defines:
                message = f"a submission has to define {quote(word)}"
                yield checked.problem(message, *steps)


def _files_to_submit(checked: CheckedExercise) -> Iterator[Problem]:
    """Check the names of the files of a submission."""
    exercise, key = checked.exercise, "files_to_submit"
    files = exercise.files_to_submit
    if not files:
        return
    taken = {"numpy", "submission", *sys.stdlib_module_names, *exercise.packages}
    for index, name in enumerate(files):
        if not NAME.fullmatch(name):
            message = f"{quote(name)} is not lower-case words joined by underscores, and .py"
            yield checked.problem(message, key, index)
        elif name.removesuffix(".py") in taken:
            message = f"{quote(name)} has the name of a module that is there already"
            yield checked.problem(message, key, index)
    if len(files) == 1:
        yield checked.problem("name at least two files", key)
    if exercise.is_prediction:
        yield checked.problem("answers are one file; leave this out", key)


def _files_of_programs(checked: CheckedExercise) -> Iterator[Problem]:
    """Check that each program contains the files of a submission of several files."""
    exercise = checked.exercise
    files = exercise.files_to_submit
    if not files:
        return
    wholes = [("starter", exercise.starter)]
    wholes += [("solution", exercise.solution)] if exercise.solution else []
    for program, text in wholes:
        marks = list(split_files(text))
        if marks != list(files) or not mark_in(text.partition("\n")[0]):
            message = (
                f"needs a line '# etude file: NAME' before each of {join_quoted(files, 'and')}"
            )
            yield checked.problem(message, program)
    programs: list[tuple[str, tuple[Step, ...]]] = [
        (misconception.code, ("misconceptions", index, "code"))
        for index, misconception in enumerate(exercise.misconceptions)
    ]
    programs += [
        (right.code, checked.document.text_steps("code", "also_right", index))
        for index, right in enumerate(exercise.also_right)
    ]
    for text, steps in programs:
        marks = list(split_files(text))
        if not mark_in(text.partition("\n")[0]):
            message = f"needs a line such as '# etude file: {files[0]}' first"
            yield checked.problem(message, *steps)
        for name in marks:
            if name not in files:
                yield checked.problem(f"{quote(name)} is not in 'files_to_submit'", *steps)


def _suites(checked: CheckedExercise) -> Iterator[Problem]:
    """Check that a program and suites exist if, and only if, the kind is test."""
    exercise = checked.exercise
    if exercise.asks_for_suite and exercise.edition == "full" and not exercise.program.strip():
        message = "missing key 'program' in an exercise of kind test"
        yield Problem(checked.document.root.where, message)
    if exercise.program and not exercise.asks_for_suite:
        yield checked.problem("only an exercise of kind test has a program", "program")
    for index, test in enumerate(exercise.tests):
        if isinstance(test, SuiteTest) != exercise.asks_for_suite:
            message = "tests have 'suite' where the kind is test, and only there"
            yield checked.problem(message, "tests", index, test.kind_key)
        elif exercise.asks_for_suite and test.hidden:
            yield checked.problem("a test with 'suite' is never hidden", "tests", index, "hidden")
    for name, definition in exercise.defines.items() if exercise.asks_for_suite else ():
        if definition.kind != "function":
            yield checked.problem("a suite calls functions only", "defines", name, "kind")


RULES: Final[tuple[Rule, ...]] = (
    _suites,
    _texts,
    _numbers,
    _defines,
    _choices,
    _forbid,
    _files_to_submit,
    _files_of_programs,
)
