"""Rules about the Python in a definition: its syntax, its names, and whether it tests anything."""

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Final

from grader.definitions.exercise import Definition, FromReference, Literals, LiteralValue, TestCase
from grader.definitions.rules.subject import CheckedExercise, Mode, Rule, Step
from grader.definitions.wording import did_you_mean, join_quoted, quote
from grader.definitions.yaml_source import Scalar
from grader.errors import Problem

_BUILTINS: Final = frozenset(vars(builtins))
_IN_A_MODULE: Final = frozenset({"__name__", "__doc__", "__file__", "__builtins__"})
_GIVEN: Final = "given nor defined"
# Names of functions that can fail a test, besides those that begin with "assert".
_JUDGES: Final = frozenset({"deprecated_call", "exec", "fail", "raises", "throw", "warns"})
_IN_GIVEN: Final = frozenset({"np", "rng", "size", "sizes"})


def _syntax(checked: CheckedExercise) -> Iterator[Problem]:
    exercise = checked.exercise
    if exercise.program:
        yield from checked.syntax("exec", "program")
    # The starter is not checked, since repairing it may be the task.
    if exercise.solution:
        yield from checked.syntax("exec", "solution")
    for index in range(len(exercise.misconceptions)):
        yield from checked.syntax("exec", "misconceptions", index, "code")
    for index in range(len(exercise.also_right)):
        yield from checked.syntax("exec", *checked.document.text_steps("code", "also_right", index))
    for index, test in enumerate(exercise.tests):
        steps = ("tests", index)
        if not isinstance(test.given, Literals):
            yield from checked.syntax("exec", *steps, "given")
        for mode, keys in test.python:
            yield from checked.syntax(mode, *steps, *keys)


def _uses_in_calls(checked: CheckedExercise) -> Iterator[Problem]:
    """Check that every call uses the submission and has a value to compare with."""
    defined = checked.exercise.defines
    for index, test in enumerate(checked.exercise.tests):
        steps = ("tests", index, "call")
        tree = checked.tree("eval", *steps) if test.is_expression else None
        if tree is None or not defined:
            continue
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        callees = {_callee(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        of_values = [name for name in used if name in defined and defined[name].kind == "value"]
        if not of_values and not any(name in defined for name in callees):
            has_values = any(definition.kind == "value" for definition in defined.values())
            verb = "uses" if has_values else "calls"
            yield checked.problem(
                f"the expression never {verb} {join_quoted(defined, 'or')}", *steps
            )
        elif isinstance(test.expect, FromReference):
            lacking = [name for name in used if name in defined and defined[name].reference is None]
            if lacking:
                message = (
                    f"no reference to compare with for {join_quoted(sorted(lacking), 'and')}; "
                    "name one under 'defines', or write the value under 'expect'"
                )
                yield checked.problem(message, *steps)


def _uses_in_bodies(checked: CheckedExercise) -> Iterator[Problem]:
    """Check that every body uses the submission and can fail."""
    defined = checked.exercise.defines
    for index, test in enumerate(checked.exercise.tests):
        steps = ("tests", index, "pytest")
        # Code that runs inside the submission may use its names indirectly.
        is_body = test.kind == "pytest"
        tree = checked.tree("exec", *steps) if is_body else None
        if tree is None or not defined:
            continue
        used = checked.names("exec", *steps)
        if used is not None and used.is_certain and not any(n in defined for n in used.needs):
            yield checked.problem(
                f"these statements never use {join_quoted(defined, 'or')}", *steps
            )
        if not judges(tree):
            for node in ast.walk(tree):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare | ast.BoolOp):
                    message = "nothing looks at this comparison; write 'assert' before it"
                    yield checked.in_text(message, node.value, *steps)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assert) and isinstance(node.test, ast.Tuple) and node.test.elts:
                message = "this asserts a tuple, which is always true"
                yield checked.in_text(message, node.test, *steps)


def judges(tree: ast.AST) -> bool:
    """Return whether Python can fail a test: by an assert, a raise, or a call that does so."""
    imported_names = dict[str, str]()  # original name of each imported name
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imported_names |= {alias.asname or alias.name: alias.name for alias in node.names}
    for node in ast.walk(tree):
        match node:
            case ast.Assert() | ast.Raise():
                return True
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
                name = imported_names.get(name, name)
                if name in _JUDGES or name.startswith("assert"):
                    return True
    return False


def _callee(node: ast.expr) -> str | None:
    """Return the name at the start of a call: `Head` in `Head(4).forward(x)`."""
    while True:
        match node:
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                node = inner
            case _:
                return None


def _known_names(checked: CheckedExercise) -> Iterator[Problem]:
    """Check that every name in a test is defined, since otherwise every submission would fail."""
    if not checked.exercise.defines:
        return  # `_defines` reports this once
    for index, test in enumerate(checked.exercise.tests):
        steps = ("tests", index, "given")
        if isinstance(test.given, Literals):
            names = frozenset(test.given.values)
        else:
            yield from _unknown(checked, (_IN_GIVEN,), "known here", "exec", *steps)
            used = checked.names("exec", *steps)
            if used is None or not used.is_certain:
                continue  # the names are known only at run time
            input_names = used.sets - used.modules - {"np", "rng"}
            names = frozenset(name for name in input_names if not name.startswith("_"))
        if test.is_expression:
            yield from _unknown_in_expressions(checked, test, index, names)
        elif test.runs_in_submission:
            yield from _unknown_run_names(checked, names, "tests", index, test.code_key)
        elif test.python:
            scopes = (names, checked.exercise.defines, ("np", "pytest", "capsys"))
            yield from _unknown(checked, scopes, _GIVEN, "exec", "tests", index, test.code_key)


def _unknown_in_expressions(
    checked: CheckedExercise, test: TestCase, index: int, names: Collection[str]
) -> Iterator[Problem]:
    defined = checked.exercise.defines
    for _, keys in test.python:
        steps: tuple[Step, ...] = ("tests", index, *keys)
        if keys[-1] == "expression":
            course = checked.exercise.course
            roots = ("np", "reference", *([course.reference] if course else ()))
            scopes = (names, checked.references, roots)
            yield from _unknown(checked, scopes, "given, nor has it a reference", "eval", *steps)
        else:
            yield from _unknown(checked, (names, defined, ("np",)), _GIVEN, "eval", *steps)
    key = "call" if test.against is None else "against"
    expression = checked.names("eval", "tests", index, key)
    used = expression.needs if expression is not None else test.of
    for number, name in enumerate(test.of):
        steps = ("tests", index, "of", number)
        if name not in names:
            message = f"{quote(name)} is not given{did_you_mean(name, names)}"
            yield checked.problem(message, *steps)
        elif name not in used:
            yield checked.problem(f"{quote(name)} is not used in '{key}'", *steps)


def _unknown_run_names(
    checked: CheckedExercise, inputs: Collection[str], *steps: Step
) -> Iterator[Problem]:
    exercise = checked.exercise
    if not exercise.solution:
        return  # the solution, which is missing here, could set the name
    starter, solution = checked.names("exec", "starter"), checked.names("exec", "solution")
    if solution is None or not solution.is_certain:
        return
    if starter is not None and not starter.is_certain:
        return
    scopes: list[Collection[str]] = [inputs, exercise.defines, _IN_A_MODULE, solution.sets]
    used, tree = checked.names("exec", *steps), checked.tree("exec", "solution")
    if starter is not None:  # otherwise repairing it may be the task
        scopes.append(starter.sets)
    if starter is not None and tree is not None and used is not None and used.is_certain:
        # Learners need not import the same modules as the solution.
        imported = {
            alias.asname or alias.name.partition(".")[0]
            for node in ast.iter_child_nodes(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        for name in sorted(imported.difference(starter.sets, *scopes[:3]) & used.needs.keys()):
            message = (
                f"{quote(name)} is imported by the solution alone; import it here, or in the "
                "starter, so that every submission has it"
            )
            yield checked.in_text(message, used.needs[name], *steps)
    missing = "given, defined, nor set by the starter or the solution"
    yield from _unknown(checked, scopes, missing, "exec", *steps)


def _unknown(
    checked: CheckedExercise,
    scopes: Sequence[Collection[str]],
    where: str,
    mode: Mode,
    *steps: Step,
) -> Iterator[Problem]:
    """Yield a problem for each name that the Python at a node needs and no scope has."""
    used = checked.names(mode, *steps)
    if used is None or not used.is_certain:
        return
    for name, node in used.needs.items():
        if name not in _BUILTINS and not any(name in some for some in scopes):
            neither = "neither " if " nor " in where else "not "
            message = f"{quote(name)} is {neither}{where}{did_you_mean(name, chain(*scopes))}"
            yield checked.in_text(message, node, *steps)


def _choices(checked: CheckedExercise) -> Iterator[Problem]:
    """Check that the right answer is one of the choices."""
    defined = checked.exercise.defines
    for index, test in enumerate(checked.exercise.tests):
        if isinstance(test.expect, LiteralValue):
            name = test.code.strip()
            if name in defined and (message := _no_choice(defined[name], test.expect.value)):
                expected = checked.document.node("tests", index, "expect")
                subject = quote(expected.text) if isinstance(expected, Scalar) else "this"
                yield checked.problem(f"{subject} {message}", "tests", index, "expect")
    tree = checked.tree("exec", "solution") if checked.exercise.solution else None
    for node in ast.iter_child_nodes(tree) if tree is not None else ():
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Constant(value=value) as constant
            ):
                if name in defined and (message := _no_choice(defined[name], value)):
                    yield checked.in_text(f"{value!r} {message}", constant, "solution")


def _kinds(checked: CheckedExercise) -> Iterator[Problem]:
    """Check that a class has `kind: class`, since only then tests may use its objects."""
    tree = checked.tree("exec", "solution") if checked.exercise.solution else None
    for node in ast.iter_child_nodes(tree) if tree is not None else ():
        defined = checked.exercise.defines.get(getattr(node, "name", ""))
        if isinstance(node, ast.ClassDef) and defined is not None and defined.kind == "function":
            message = f"{quote(node.name)} is a class in the solution; write 'kind: class'"
            yield Problem(defined.where, message)


def _no_choice(definition: Definition, value: object) -> str:
    """Return the message about a value that is not one of the choices, or ""."""
    if not definition.choices or (isinstance(value, str) and value in definition.choices):
        return ""
    return f"is none of the answers to choose from, {join_quoted(definition.choices, 'and')}"


RULES: Final[tuple[Rule, ...]] = (
    _syntax,
    _uses_in_calls,
    _uses_in_bodies,
    _known_names,
    _choices,
    _kinds,
)
