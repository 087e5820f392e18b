"""Rules about tests, except their numbers."""

import ast
import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, cast

from grader.authoring.lint.python import normalize, squeeze
from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import LintedExercise
from grader.definitions.exercise import Literals, LiteralValue, Seeded, TestCase
from grader.definitions.python_names import PythonNames, find_names
from grader.definitions.wording import quote
from grader.errors import Problem

if TYPE_CHECKING:
    from grader.definitions.rules.subject import Step

# Parts of NumPy's random module that have a state of their own.
_OWN_STATE: Final = re.compile(r"[A-Z]|default_rng$")
_MIN_NUMBERS: Final = 3  # numbers; fewer are too common to identify a test
_SEEDED: Final = frozenset({"default_rng", "RandomState", "SeedSequence", "Random"})
_UNFORESEEN: Final = frozenset({"time", "secrets", "uuid"})
_GLOBAL_STATE: Final = "the random state of the whole process"
_ANY_NUMBERS_DO: Final = frozenset({"unchanged_inputs", "deterministic"})


@rule("ETU301", "error")
def no_hidden_test(subject: LintedExercise) -> Iterator[Problem]:
    """No test is hidden."""
    # The programs under the suite are hidden anyway.
    exercise = subject.exercise
    if not exercise.asks_for_suite and not any(test.hidden for test in exercise.tests):
        yield subject.missing("none is hidden, so the shown values can be copied", "tests")


@rule("ETU302", "error")
def worthless_hidden_tests(subject: LintedExercise) -> Iterator[Problem]:
    """All hidden tests together are worth nothing."""
    hidden = [index for index, test in enumerate(subject.exercise.tests) if test.hidden]
    if hidden and not any(subject.exercise.tests[index].points for index in hidden):
        message = "all hidden tests together are worth 0 points"
        yield subject.problem(message, "tests", hidden[0], "points")


@rule("ETU303", "warning")
def undescribed_test(subject: LintedExercise) -> Iterator[Problem]:
    """A visible test has no description."""
    for index, test in enumerate(subject.exercise.tests):
        if not test.hidden and not test.description.strip():
            message = f"the visible test {quote(test.id)} has no description"
            yield subject.problem(message, "tests", index, "id")


@rule("ETU304", "error")
def hidden_data_shown(subject: LintedExercise) -> Iterator[Problem]:
    """The data of a hidden test appear where learners see them."""
    exercise = subject.exercise
    if exercise.is_prediction:
        return
    hidden = [(index, test) for index, test in enumerate(exercise.tests) if test.hidden]
    visible = [(index, test) for index, test in enumerate(exercise.tests) if not test.hidden]
    visible_texts = {text for _, test in visible for _, text in _find_literal_arrays(test)}
    texts: list[tuple[str, tuple[Step, ...], str]] = [
        ("instructions", ("instructions",), exercise.instructions),
        ("starter", ("starter",), exercise.starter),
    ]
    for number, hint in enumerate(exercise.hints):
        texts.append((f"hint {number + 1}", subject.hint(number), hint.text))
    for text_name, steps, text in texts:
        folded = _normalize(text)
        for _, test in hidden:
            for name, array in _find_literal_arrays(test):
                if array not in visible_texts and array in folded:
                    message = (
                        f"{text_name} has the numbers of {name} in the hidden {quote(test.id)}"
                    )
                    yield subject.problem(message, *steps)
    for index, _ in hidden:
        for number, other in visible:
            if _has_same_data(subject, index, number):
                key = "given" if subject.document.has("tests", index, "given") else "id"
                message = f"the data of this hidden test are those of the visible {quote(other.id)}"
                yield subject.problem(message, "tests", index, key)
                break


def _find_literal_arrays(test: TestCase) -> Iterator[tuple[str, str]]:
    """Yield the literal arrays of a test with their labels, as folded text."""
    values: dict[str, object] = {}
    if isinstance(test.given, Literals):
        values |= {quote(name): value for name, value in test.given.values.items()}
    if isinstance(test.expect, LiteralValue):
        values["'expect'"] = test.expect.value
    for name, value in values.items():
        listed = value.tolist() if _is_array(value) else value  # type: ignore[attr-defined]  # so it is
        if isinstance(listed, list) and _count(listed) >= _MIN_NUMBERS:
            yield name, _normalize(repr(listed))


def _count(value: object) -> int:
    return sum(map(_count, value)) if isinstance(value, list) else 1


def _normalize(text: str) -> str:
    """Remove white space, and write `1.0` and `1.` as `1` and tuples as lists."""
    brackets = squeeze(text).replace("(", "[").replace(")", "]").replace(",]", "]")
    return re.sub(r"(?<=\d)\.0*(?!\d)", "", brackets)


def _has_same_data(subject: LintedExercise, hidden: int, visible: int) -> bool:
    hidden_test, visible_test = (subject.exercise.tests[i] for i in (hidden, visible))
    match hidden_test.given, visible_test.given:
        case Literals(values=values), Literals(values=these) if values:
            is_part = all(n in these and _are_equal(value, these[n]) for n, value in values.items())
            # Single numbers are too common, unless there is nothing else.
            return is_part and (len(values) == len(these) or any(map(_is_array, values.values())))
        case Literals(), Literals(values=these) if not these:
            are_expressions = hidden_test.is_expression and visible_test.is_expression
            return are_expressions and squeeze(hidden_test.code) == squeeze(visible_test.code)
        case Seeded(), Seeded():
            trees = [subject.tree("exec", "tests", i, "given") for i in (hidden, visible)]
            return (
                None not in trees
                and not any(map(_is_random, cast("list[ast.AST]", trees)))
                and len(set(map(normalize, cast("list[ast.AST]", trees)))) == 1
            )
        case _:
            return False


def _are_equal(first: object, second: object) -> bool:
    """Return whether two values have the same numbers and texts, as literals in a definition."""
    texts = (json.dumps(value, default=lambda array: array.tolist()) for value in (first, second))
    return len(set(map(_normalize, texts))) == 1


def _is_array(value: object) -> bool:
    return bool(getattr(value, "ndim", 0))


def _is_random(tree: ast.AST) -> bool:
    return bool(
        {"rng", "size", "sizes"} & {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    )


@rule("ETU305", "warning")
def single_random_draw(subject: LintedExercise) -> Iterator[Problem]:
    """A hidden test draws its inputs once, or draws the same each time."""
    for index, test in enumerate(subject.exercise.tests):
        may_draw = test.hidden and test.holds not in _ANY_NUMBERS_DO
        is_drawn = may_draw and isinstance(test.given, Seeded)
        tree = subject.tree("exec", "tests", index, "given") if is_drawn else None
        if tree is None or _is_random(tree) == (test.seeds > 1):
            continue
        key = "seeds" if subject.document.has("tests", index, "seeds") else "given"
        message = "these inputs are drawn only once; let 'seeds' be 10 or so"
        if test.seeds > 1:
            message = (
                f"{test.seeds} draws of the same; take numbers from 'rng' or sizes from 'sizes'"
            )
        yield subject.problem(message, "tests", index, key)


@rule("ETU306", "error")
def global_random_state(subject: LintedExercise) -> Iterator[Problem]:
    """A test or its reference depends on chance, the clock or the system, or on what ran before."""
    for index, test in enumerate(subject.exercise.tests):
        # Names of values may coincide with names of modules.
        values = set(subject.exercise.defines)
        if isinstance(test.given, Literals):
            values.update(test.given.values)
        for mode, steps in subject.list_python(index):
            if (used := subject.names(mode, *steps)) is not None:
                values |= _list_value_names(used, subject.walk_nodes(mode, *steps))
        for mode, steps in subject.list_python(index):
            for node in subject.walk_nodes(mode, *steps):
                if chance := _find_chance(node, values):
                    yield subject.in_text("; ".join(chance), cast("ast.expr", node), *steps)
    yield from _chance_in_reference(subject)


def _list_value_names(used: PythonNames, nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that Python sets other than by an import."""
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in imports for alias in node.names}
    return used.sets - used.modules - imported


def _chance_in_reference(subject: LintedExercise) -> Iterator[Problem]:
    course = subject.exercise.course
    paths = {} if course is None else course.modules
    for name, definition in subject.exercise.defines.items():
        path = paths.get((definition.reference or "").partition(":")[0])
        if course is None or path is None:
            continue
        for line, chance in _chances(course.sources[path]):
            detail = f"line {line} of {path}: {chance}; pass what it needs"
            yield subject.problem(detail, "defines", name, "reference")


@cache
def _chances(source: str) -> tuple[tuple[int, str], ...]:
    """Return the lines in which a module depends on more than its arguments, with the reason."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    values = _list_value_names(find_names(tree), nodes)
    return tuple((node.lineno, each[0]) for node in nodes if (each := _find_chance(node, values)))  # type: ignore[attr-defined]  # it has a place


def _find_chance(node: ast.AST, values: Collection[str]) -> tuple[str, str] | None:
    """Return why a test's Python depends on more than its seed, and the advice, or None."""
    match node:
        case ast.Call(func=function, args=[], keywords=[]) if (
            name := ast.unparse(function)
        ).rpartition(".")[2] in _SEEDED and name.partition(".")[0] not in values:
            return f"'{name}()' has no seed", "use 'rng', or give it one"
        case ast.Attribute(
            value=ast.Attribute(value=ast.Name(id="np" | "numpy" as module), attr="random"),
            attr=name,
        ) if not _OWN_STATE.match(name):
            return f"'{module}.random.{name}' uses {_GLOBAL_STATE}", "use 'rng'"
        case ast.Attribute(value=ast.Name(id="random"), attr=name) if (
            "random" not in values and not _OWN_STATE.match(name)
        ):
            return f"'random.{name}' uses {_GLOBAL_STATE}", "use 'rng'"
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module not in values and (
            module in _UNFORESEEN or (module, name) == ("os", "urandom")
        ):
            return f"'{module}.{name}' is different in every run", "use 'rng', or write a value"
        case _:
            return None


@rule("ETU307", "warning")
def unused_input(subject: LintedExercise) -> Iterator[Problem]:
    """A test never uses one of its inputs."""
    for index, test in enumerate(subject.exercise.tests):
        names = [subject.names(mode, "tests", index, *key) for mode, key in test.python]
        certain = [name for name in names if name is not None and name.is_certain]
        if len(certain) < len(names):
            continue
        used = set[str]().union(*(statement.needs for statement in certain))
        if isinstance(test.given, Literals):
            for name in test.given.values:
                if name not in used:
                    yield subject.at_key(_explain_unused(name), "tests", index, "given", name)
            continue
        nodes = list(subject.walk_nodes("exec", "tests", index, "given"))
        read = [node for node in nodes if isinstance(node, ast.Name)]
        used.update(name.id for name in read if isinstance(name.ctx, ast.Load))
        for name_node in read:
            name = name_node.id
            if isinstance(name_node.ctx, ast.Store) and name not in used and name[0] != "_":
                used.add(name)  # reported only once
                yield subject.in_text(_explain_unused(name), name_node, "tests", index, "given")


def _explain_unused(name: str) -> str:
    return f"{quote(name)} is never used by this test"


@rule("ETU312", "warning")
def output_test_first(subject: LintedExercise) -> Iterator[Problem]:
    """The first visible test compares printed text, where others compare values."""
    tests = subject.exercise.tests
    first = next((index for index, test in enumerate(tests) if not test.hidden), None)
    if first is None or tests[first].compared != "text":
        return
    if any(test.compared == "value" for test in tests):
        message = "the first visible test compares printed text; begin with a 'call'"
        yield subject.problem(message, "tests", first, "run")
