"""Rules about an exercise as a whole: everything but its tests and its programs."""

import math
import re
import sys
from collections.abc import Iterator
from typing import Final

from grader.definitions.program_files import NAME, mark_in, split
from grader.definitions.rules.base import Checked, Rule, Step, is_dotted, is_name, slug, unique
from grader.definitions.wording import did_you_mean, listing, quote
from grader.definitions.yaml_source import Scalar
from grader.errors import Problem

_REFERENCE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
_BLOCK: Final = 4  # KiB; what is printed goes into a file whose size the kernel limits in blocks
_MIN_CHOICES: Final = 2


def _ids(checked: Checked) -> Iterator[Problem]:
    exercise, document = checked.exercise, checked.document
    yield from slug(document, "id")
    for key, named in (("tests", exercise.tests), ("misconceptions", exercise.misconceptions)):
        for index in range(len(named)):
            yield from slug(document, key, index, "id")
        ids = ((item.id, (key, index, "id")) for index, item in enumerate(named))
        yield from unique(document, ids)


def _lists(checked: Checked) -> Iterator[Problem]:
    for key in ("requires", "concepts"):
        words = getattr(checked.exercise, key)
        yield from unique(checked.document, ((word, (key, i)) for i, word in enumerate(words)))


def _texts(checked: Checked) -> Iterator[Problem]:
    """Check that texts for learners are not empty."""
    exercise, document = checked.exercise, checked.document
    places: list[tuple[Step, ...]] = [
        (key,) for key in ("title", "instructions", "explanation") if document.has(key)
    ]
    places += [document.text_of("text", "hints", index) for index in range(len(exercise.hints))]
    places += [
        ("misconceptions", index, "feedback") for index in range(len(exercise.misconceptions))
    ]
    for steps in places:
        node = document.node(*steps)
        if isinstance(node, Scalar) and not node.text.strip():
            yield checked.problem("cannot be empty", *steps)


def _edition(checked: Checked) -> Iterator[Problem]:
    exercise = checked.exercise
    if exercise.edition == "full":
        yield from _full_edition(checked)
        return
    if exercise.hidden_elsewhere < 0:
        yield checked.problem(f"{exercise.hidden_elsewhere} is below 0", "hidden_elsewhere")
    for index, test in enumerate(exercise.tests):
        if test.hidden:
            yield checked.problem("a student edition has no hidden tests", "tests", index, "hidden")


def _full_edition(checked: Checked) -> Iterator[Problem]:
    document = checked.document
    if missing := [key for key in ("solution", "explanation") if not document.has(key)]:
        nouns = f"{'key' if len(missing) == 1 else 'keys'} {listing(missing, 'and')}"
        yield Problem(document.root.where, f"missing {nouns} in an exercise")
    if checked.exercise.hidden_elsewhere:
        message = "only a student edition counts tests that are hidden elsewhere"
        yield checked.problem(message, "hidden_elsewhere")


def _worth(checked: Checked) -> Iterator[Problem]:
    exercise = checked.exercise
    if exercise.xp < 0:
        yield checked.problem(f"{exercise.xp} is below 0", "xp")
    if exercise.minutes is not None and exercise.minutes < 1:
        yield checked.problem(f"{exercise.minutes} is below 1", "minutes")
    for index, test in enumerate(exercise.tests):
        if test.points < 0:
            yield checked.problem(f"{test.points} is below 0", "tests", index, "points")
    if exercise.max_points < 1 and not exercise.hidden_elsewhere:
        yield checked.problem("all tests together must be worth at least one point", "tests")


def _defines(checked: Checked) -> Iterator[Problem]:
    exercise = checked.exercise
    if not exercise.defines:
        yield checked.problem("a submission has to define at least one name", "defines")
    for name, definition in exercise.defines.items():
        if not is_name(name):
            yield checked.at_key(f"{quote(name)} is not a Python name", "defines", name)
        reference = definition.reference
        if reference is not None and not _REFERENCE.fullmatch(reference):
            message = f"{quote(reference)} is not spelled 'package.module:name'"
            yield checked.problem(message, "defines", name, "reference")
        elif reference is not None and (message := _unknown_module(checked, reference)):
            yield checked.problem(message, "defines", name, "reference")
        if exercise.kind == "predict" and definition.kind != "value":
            message = f"an exercise to predict asks for values, not for a {definition.kind}"
            yield checked.problem(message, "defines", name, "kind")
        yield from _choices(checked, name)


def _unknown_module(checked: Checked, reference: str) -> str:
    """Return why a reference lies in no module that there is; "" if it does, as far as is known."""
    module = reference.partition(":")[0]
    package = module.partition(".")[0]
    course = checked.exercise.course
    packages = ["reference", *([course.reference] if course and course.reference else ())]
    if package not in packages:
        return f"a reference lies in the package {listing(packages, 'or')}, not in {quote(package)}"
    if course is None or package == "reference" or module in course.modules:
        return ""
    return f"the course has no module {quote(module)}{did_you_mean(module, course.modules)}"


def _choices(checked: Checked, name: str) -> Iterator[Problem]:
    definition = checked.exercise.defines[name]
    steps = ("defines", name, "choices")
    if not definition.choices:
        return
    if definition.kind != "value":
        message = (
            f"there is nothing to choose from for a {definition.kind}; only a value has choices"
        )
        yield checked.problem(message, *steps)
    if len(definition.choices) < _MIN_CHOICES:
        yield checked.problem("a single answer leaves no choice", *steps)
    for index, choice in enumerate(definition.choices):
        if not choice.strip():
            yield checked.problem("an answer to choose cannot be empty", *steps, index)
    choices = ((choice, (*steps, index)) for index, choice in enumerate(definition.choices))
    yield from unique(checked.document, choices)


def _hints(checked: Checked) -> Iterator[Problem]:
    exercise = checked.exercise
    for index, hint in enumerate(exercise.hints):
        if hint.price < 0:
            yield checked.problem(f"{hint.price} is below 0", "hints", index, "price")
    total = sum(hint.price for hint in exercise.hints)
    if total > exercise.xp >= 0:
        message = f"all hints together cost {total} XP, and the exercise earns only {exercise.xp}"
        yield checked.problem(message, "hints")


def _misconceptions(checked: Checked) -> Iterator[Problem]:
    count = len(checked.exercise.hints)
    for index, misconception in enumerate(checked.exercise.misconceptions):
        number = misconception.hint
        if number is not None and not 1 <= number <= count:
            hints = f"hints are numbered from 1 to {count}" if count else "there are no hints"
            yield checked.problem(f"no hint {number}; {hints}", "misconceptions", index, "hint")


def _equivalent(checked: Checked) -> Iterator[Problem]:
    for index, equivalent in enumerate(checked.exercise.equivalent):
        for key in ("change", "reason"):
            if not getattr(equivalent, key).strip():
                yield checked.problem("cannot be empty", "equivalent", index, key)
    changes = (
        (equivalent.change.strip(), ("equivalent", index, "change"))
        for index, equivalent in enumerate(checked.exercise.equivalent)
    )
    yield from unique(checked.document, changes)


def _forbid(checked: Checked) -> Iterator[Problem]:
    forbid = checked.exercise.forbid
    if forbid is None:
        return
    if not (forbid.imports or forbid.names or forbid.calls or forbid.loops):
        message = "nothing is forbidden here; it may have 'imports', 'names', 'calls' and 'loops'"
        yield checked.problem(message, "forbid")
    for key in ("imports", "names", "calls"):
        words = getattr(forbid, key)
        for index, word in enumerate(words):
            steps = ("forbid", key, index)
            if not is_dotted(word):
                yield checked.problem(f"{quote(word)} is not names joined by dots", *steps)
            elif key == "names" and word in checked.exercise.defines:
                message = f"a submission has to define {quote(word)}"
                yield checked.problem(message, *steps)
        yield from unique(
            checked.document, ((word, ("forbid", key, i)) for i, word in enumerate(words))
        )


def _limits(checked: Checked) -> Iterator[Problem]:
    limits = checked.exercise.limits
    for key in ("cpu_seconds", "wall_seconds", "memory_mib", "output_kib"):
        value = None if limits is None else getattr(limits, key)
        if value is None:
            continue
        if not 0 < value < math.inf:
            yield checked.problem(f"{value} is not a finite number above 0", "limits", key)
        elif key == "output_kib" and value % _BLOCK:
            yield checked.problem(f"{value} is not a multiple of {_BLOCK}", "limits", key)


def _files_to_submit(checked: Checked) -> Iterator[Problem]:
    """Check the names, and that each program has the files."""
    exercise, key = checked.exercise, "files_to_submit"
    asked = exercise.files_to_submit
    if not asked:
        return
    yield from unique(checked.document, ((name, (key, i)) for i, name in enumerate(asked)))
    taken = {"numpy", "submission", *sys.stdlib_module_names, *exercise.packages}
    for index, name in enumerate(asked):
        if not NAME.fullmatch(name):
            message = f"{quote(name)} is not lower-case words joined by underscores, and .py"
            yield checked.problem(message, key, index)
        elif name.removesuffix(".py") in taken:
            message = f"{quote(name)} has the name of a module that is there already"
            yield checked.problem(message, key, index)
    if len(asked) == 1:
        yield checked.problem("name at least two files", key)
    if exercise.kind == "predict":
        yield checked.problem("answers are one file; leave this out", key)


def _files_of_programs(checked: Checked) -> Iterator[Problem]:
    """Check that each program names the files of a submission of several."""
    exercise = checked.exercise
    asked = exercise.files_to_submit
    if not asked:
        return
    wholes = [("starter", exercise.starter)]
    wholes += [("solution", exercise.solution)] if exercise.solution else []
    for program, text in wholes:
        found = list(split(text))
        if found != list(asked) or not mark_in(text.partition("\n")[0]):
            message = f"needs a line '# etude file: NAME' before each of {listing(asked, 'and')}"
            yield checked.problem(message, program)
    others: list[tuple[str, tuple[Step, ...]]] = [
        (known.code, ("misconceptions", index, "code"))
        for index, known in enumerate(exercise.misconceptions)
    ]
    others += [
        (right.code, checked.document.text_of("code", "also_right", index))
        for index, right in enumerate(exercise.also_right)
    ]
    for text, steps in others:
        found = list(split(text))
        if found[:1] != [asked[0]] or not mark_in(text.partition("\n")[0]):
            yield checked.problem(f"needs '# etude file: {asked[0]}' as its first line", *steps)
        for name in found:
            if name not in asked:
                yield checked.problem(f"{quote(name)} is not in 'files_to_submit'", *steps)


RULES: Final[tuple[Rule, ...]] = (
    _ids,
    _lists,
    _texts,
    _edition,
    _worth,
    _defines,
    _hints,
    _misconceptions,
    _equivalent,
    _forbid,
    _limits,
    _files_to_submit,
    _files_of_programs,
)
