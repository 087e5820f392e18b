"""What must hold in an exercise beyond the types of its fields."""

import ast
import keyword
import math
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias, cast

from grader.definitions.exercise import (
    CallTest,
    Exercise,
    FromReference,
    Literals,
    OutputTest,
    Seeded,
)
from grader.definitions.report import Report
from grader.definitions.source import Document, Mapping, Scalar
from grader.definitions.wording import listing, quote
from grader.errors import Location, Problem

_Step: TypeAlias = str | int
_Rule: TypeAlias = Callable[[Exercise, Document], Iterator[Problem]]

MAX_SEEDS: Final = 1000

_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_REFERENCE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def check_exercise(exercise: Exercise, document: Document) -> None:
    """Check an exercise against the file that it was decoded from.

    Raises:
        DefinitionError: A rule is broken; every breach is listed, in file order.
    """
    report = Report()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # Python remarks on doubtful escapes; that is a linter's job
        for rule in _RULES:
            for problem in rule(exercise, document):
                report.add(problem.where, problem.message)
    report.raise_if_any()


def check_slug(document: Document, *steps: _Step) -> Iterator[Problem]:
    """Yield a problem if the id at a place of the file is not a slug."""
    node = document.node(*steps)
    if isinstance(node, Scalar) and not _SLUG.fullmatch(node.text):
        message = f"{quote(node.text)} is not lower-case words joined by hyphens"
        yield _problem(document, message, *steps)


def _ids(exercise: Exercise, document: Document) -> Iterator[Problem]:
    yield from check_slug(document, "id")
    for key, named in (("tests", exercise.tests), ("misconceptions", exercise.misconceptions)):
        first: dict[str, Location] = {}
        for index, item in enumerate(named):
            yield from check_slug(document, key, index, "id")
            where = document.node(key, index, "id").where
            if item.id in first:
                message = f"{quote(item.id)} is taken; it is already at {first[item.id]}"
                yield _problem(document, message, key, index, "id")
            first.setdefault(item.id, where)


def _worth(exercise: Exercise, document: Document) -> Iterator[Problem]:
    if exercise.xp < 0:
        yield _problem(document, f"{exercise.xp} is below 0", "xp")
    for index, test in enumerate(exercise.tests):
        if test.points < 0:
            yield _problem(document, f"{test.points} is below 0", "tests", index, "points")
    if exercise.max_points < 1 and not exercise.hidden_elsewhere:
        yield _problem(document, "all tests together must be worth at least one point", "tests")


def _edition(exercise: Exercise, document: Document) -> Iterator[Problem]:
    if exercise.edition == "full":
        yield from _full_edition(exercise, document)
        return
    if exercise.hidden_elsewhere < 0:
        yield _problem(document, f"{exercise.hidden_elsewhere} is below 0", "hidden_elsewhere")
    for index, test in enumerate(exercise.tests):
        if test.hidden:
            message = "a student edition has no hidden tests"
            yield _problem(document, message, "tests", index, "hidden")


def _full_edition(exercise: Exercise, document: Document) -> Iterator[Problem]:
    root = cast("Mapping", document.root)  # the decoder found an exercise here
    if missing := [key for key in ("solution", "explanation") if root.get(key) is None]:
        nouns = f"{'key' if len(missing) == 1 else 'keys'} {listing(missing, 'and')}"
        yield Problem(root.where, f"missing {nouns} in an exercise")
    if exercise.hidden_elsewhere:
        message = "only a student edition counts tests that are hidden elsewhere"
        yield _problem(document, message, "hidden_elsewhere")


def _tolerances(exercise: Exercise, document: Document) -> Iterator[Problem]:
    for index, test in enumerate(exercise.tests):
        if test.tolerance is None:
            continue
        for key, value in (("atol", test.tolerance.atol), ("rtol", test.tolerance.rtol)):
            if not 0 <= value < math.inf:
                message = f"{value} is not a finite number from 0 up"
                yield _problem(document, message, "tests", index, "tolerance", key)


def _defines(exercise: Exercise, document: Document) -> Iterator[Problem]:
    if not exercise.defines:
        yield _problem(document, "a submission has to define at least one name", "defines")
    for name, definition in exercise.defines.items():
        if not _is_name(name):
            yield _bad_name(document, "defines", name)
        reference = definition.reference
        if reference is not None and not _REFERENCE.fullmatch(reference):
            message = f"{quote(reference)} is not spelled 'package.module:name'"
            yield _problem(document, message, "defines", name, "reference")


def _given(exercise: Exercise, document: Document) -> Iterator[Problem]:
    for index, test in enumerate(exercise.tests):
        match test.given:
            case Seeded():
                yield from _syntax(document, "tests", index, "given")
            case Literals(values):
                for name in values:
                    if not _is_name(name):
                        yield _bad_name(document, "tests", index, "given", name)


def _seeds(exercise: Exercise, document: Document) -> Iterator[Problem]:
    for index, test in enumerate(exercise.tests):
        if not isinstance(test, CallTest):
            continue
        if not 1 <= test.seeds <= MAX_SEEDS:
            message = f"{test.seeds} is not between 1 and {MAX_SEEDS}"
            yield _problem(document, message, "tests", index, "seeds")
        elif test.seeds > 1 and isinstance(test.given, Literals):
            message = "inputs can only be drawn anew if 'given' is Python code"
            yield _problem(document, message, "tests", index, "seeds")


def _programs(exercise: Exercise, document: Document) -> Iterator[Problem]:
    # Not the starter: it may be the very thing to repair.
    if exercise.solution:
        yield from _syntax(document, "solution")
    for index in range(len(exercise.misconceptions)):
        yield from _syntax(document, "misconceptions", index, "code")
    for index, test in enumerate(exercise.tests):
        if isinstance(test, OutputTest):
            yield from _syntax(document, "tests", index, "run")


def _calls(exercise: Exercise, document: Document) -> Iterator[Problem]:
    for index, test in enumerate(exercise.tests):
        if not isinstance(test, CallTest):
            continue
        tree = _parse(document, "eval", "tests", index, "call")
        if isinstance(tree, Problem):
            yield tree
        elif message := _wrong_call(exercise, test, tree):
            yield _problem(document, message, "tests", index, "call")


def _wrong_call(exercise: Exercise, test: CallTest, tree: ast.AST) -> str:
    """Return what is wrong with the names in a test's expression, or nothing."""
    defined = exercise.defines
    if not defined:
        return ""  # reported once, where the names belong
    called = {_callee(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    if called.isdisjoint(defined):
        return f"the expression never calls {listing(defined, 'or')}"
    if not isinstance(test.expect, FromReference):
        return ""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    lacking = [name for name in defined if name in used and defined[name].reference is None]
    if lacking:
        return (
            f"no reference to compare with for {listing(lacking, 'and')}; "
            "name one under 'defines', or write the value under 'expect'"
        )
    return ""


def _callee(node: ast.expr) -> str | None:
    """Return the name that a call starts from: `Head` in `Head(4).forward(x)`."""
    while True:
        match node:
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                node = inner
            case _:
                return None


def _syntax(document: Document, *steps: _Step) -> Iterator[Problem]:
    """Yield a problem if the text at a place of the file is not a Python program."""
    tree = _parse(document, "exec", *steps)
    if isinstance(tree, Problem):
        yield tree


def _parse(document: Document, mode: Literal["eval", "exec"], *steps: _Step) -> ast.AST | Problem:
    node = cast("Scalar", document.node(*steps))  # the decoder found a text here
    try:
        return ast.parse(node.text, mode=mode)
    except SyntaxError as error:
        where = document.place(node, error.lineno or 1, error.offset or 1)
        return Problem(where, f"{steps[-1]}: not valid Python: {error.msg}")
    except (MemoryError, RecursionError, ValueError):  # how the parser says "too deep"
        return _problem(document, "this Python is too complex to read", *steps)


def _is_name(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text)


def _bad_name(document: Document, *steps: _Step) -> Problem:
    where = document.key(*steps)
    return Problem(where, f"{steps[-2]}: {quote(str(steps[-1]))} is not a Python name")


def _problem(document: Document, message: str, *steps: _Step) -> Problem:
    """Return a problem at a place of the file, labelled with the last key on the way to it."""
    label = next(step for step in reversed(steps) if isinstance(step, str))
    return Problem(document.node(*steps).where, f"{label}: {message}")


_RULES: Final[tuple[_Rule, ...]] = (
    _ids,
    _edition,
    _worth,
    _tolerances,
    _defines,
    _given,
    _seeds,
    _programs,
    _calls,
)
