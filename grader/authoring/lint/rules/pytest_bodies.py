"""Rules about bodies of pytest tests."""

import ast
from collections.abc import Collection, Iterator
from typing import Final

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import LintedExercise
from grader.definitions.rules.program_rules import judges
from grader.definitions.wording import quote
from grader.errors import Problem

_MODULES: Final = {
    "dis": "the code of a submission is not here",
    "gc": "the objects of a submission are not here",
    "pickle": "an object of a submission cannot be pickled here",
    "submission": "what a submission defines is here without an import",
    "weakref": "an object of a submission has no weak references here",
}
_ATTRIBUTES: Final = {
    "inspect": (
        frozenset({"signature", "Parameter", "Signature"}),
        "only 'inspect.signature' knows what a submission defines",
    ),
    "capsys": (frozenset({"readouterr"}), "only 'capsys.readouterr' is here"),
    "pytest": (
        frozenset({"approx", "deprecated_call", "fail", "raises", "warns"}),
        "of pytest there are 'approx', 'fail', 'raises', 'warns' and 'deprecated_call'",
    ),
}
_CODE: Final = frozenset({"__code__", "__globals__", "__closure__", "__bases__", "__mro__"})


@rule("ETU314", "error")
def body_unlike_pytest(subject: LintedExercise) -> Iterator[Problem]:
    """A pytest body does what cannot mean here what it means in plain pytest."""
    classes = {n for n, defined in subject.exercise.defines.items() if defined.kind == "class"}
    for index in range(len(subject.exercise.tests)):
        if not subject.document.has("tests", index, "pytest"):
            continue
        for node in subject.walk_nodes("exec", "tests", index, "pytest"):
            if message := _explain_difference(node, classes):
                yield subject.in_text(message, node, "tests", index, "pytest")  # type: ignore[arg-type]  # it has a place


def _explain_difference(node: ast.AST, classes: Collection[str]) -> str:
    """Return why a node means something else than in plain pytest, or ""."""
    message = ""
    match node:
        case ast.Import(names=[ast.alias(name=name)]) | ast.ImportFrom(module=str(name)):
            message = _MODULES.get(name.partition(".")[0], "")
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in _ATTRIBUTES:
            allowed, reason = _ATTRIBUTES[owner]
            message = "" if name in allowed else reason
        case ast.Attribute(attr=name) if name in _CODE:
            message = f"{quote(name)} of what a submission defines is not here"
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="type")), comparators=[ast.Name(id=name)]
        ) if name in classes:
            message = f"an object is a proxy here; write 'isinstance(..., {name})'"
        case ast.ClassDef(bases=bases):
            own = [base.id for base in bases if isinstance(base, ast.Name) and base.id in classes]
            message = f"no class can derive from {quote(own[0])} here" if own else ""
        case (
            ast.ExceptHandler(type=ast.Name(id=name))
            | ast.Call(
                func=ast.Attribute(value=ast.Name(id="pytest")), args=[ast.Name(id=name), *_]
            )
        ) if name in classes:
            message = (
                f"{quote(name)} is not an exception here; expect the built-in one that it derives "
                "from"
            )
    return message


@rule("ETU315", "warning")
def body_without_assert(subject: LintedExercise) -> Iterator[Problem]:
    """A pytest body neither asserts nor raises, so it judges no result."""
    for index in range(len(subject.exercise.tests)):
        steps = ("tests", index, "pytest")
        if subject.document.has(*steps):
            tree = subject.tree("exec", *steps)
            if tree is not None and not judges(tree):
                message = "no 'assert' or 'pytest.raises': only an error in a call would fail"
                yield subject.problem(message, *steps)


_OPERATORS: Final[dict[type[ast.AST], str]] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "in", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@",
    ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip


@rule("ETU318", "error")
def undeclared_operator(subject: LintedExercise) -> Iterator[Problem]:
    """A test uses an operator on an object, and `operators` of its class does not name it."""
    classes = {
        name: defined.operators
        for name, defined in subject.exercise.defines.items()
        if defined.kind == "class"
    }
    for index, test in enumerate(subject.exercise.tests):
        objects: dict[str, str] = {}  # the class of each variable
        for mode, steps in subject.list_python(index) if not test.runs_in_submission else ():
            for node in subject.walk_nodes(mode, *steps):
                match node:
                    case ast.Assign(
                        targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=kind))
                    ) if kind in classes:
                        objects[name] = kind
                for sign, operand in _find_operations(node):
                    match operand:
                        case ast.Call(func=ast.Name(id=name)):
                            kind = name
                        case ast.Name(id=name):
                            kind = objects.get(name, "")
                        case _:
                            continue
                    if kind in classes and sign not in classes[kind]:
                        message = (
                            f"objects of {quote(kind)} do not answer {quote(sign)}; add it to the "
                            "class's 'operators'"
                        )
                        yield subject.in_text(message, operand, *steps)
                        break


def _find_operations(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the operators of a node, with the operand that determines their meaning."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            yield from ((_OPERATORS[type(op)], operand) for operand in (left, right))
        case ast.AugAssign(target=target, op=op):
            yield _OPERATORS[type(op)], target
        case ast.Compare(left=left, ops=ops, comparators=others):
            for compared, first, second in zip(ops, (left, *others), others, strict=False):
                if sign := _OPERATORS.get(type(compared)):
                    operands = (second,) if sign == "in" else (first, second)
                    yield from ((sign, operand) for operand in operands)
