"""A call that a learner wrote: read, checked against a whitelist, matched with a test's call.

It is never run in the trusted process. Its arguments are data and NumPy's constructors; they are
computed in a child of the sandbox.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from grader.definitions.exercise import Exercise
from grader.grading.diagnosis.plain_call import without_arguments
from grader.grading.feedback import break_sentences

MOST_CHARACTERS: Final = 2000

_CONSTRUCTORS: Final = frozenset({
    "arange", "array", "asarray", "diag", "eye", "full", "identity", "linspace", "ones", "tri",
    "tril", "triu", "zeros",
})  # fmt: skip
_VALUES: Final = frozenset({
    "bool_", "complex64", "complex128", "e", "float16", "float32", "float64", "inf", "int8",
    "int16", "int32", "int64", "nan", "pi", "uint8", "uint16", "uint32", "uint64",
})  # fmt: skip
_NODES: Final = (
    ast.List, ast.Tuple, ast.Dict, ast.UnaryOp, ast.BinOp, ast.unaryop, ast.Add, ast.Sub, ast.Mult,
    ast.Div, ast.Pow, ast.Load, ast.keyword,
)  # fmt: skip

Place: TypeAlias = tuple[int, str]
"""A call of a chain such as `Model(W)(x)`, and the name of a parameter."""


class RefusedError(Exception):
    """A call does not count; the message is the sentence for the learner."""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call and its arguments by their places."""

    shape: str  # the call without arguments
    arguments: dict[Place, ast.expr]
    code: str  # the call with the names `argument_0`, `argument_1`, ... for its arguments
    text: str = ""

    @property
    def texts(self) -> list[str]:
        """The arguments as Python, in their order."""
        return [ast.unparse(each) for each in self.arguments.values()]


def read_call(exercise: Exercise, text: str) -> WrittenCall:
    """Read the call that a learner wrote.

    Raises:
        RefusedError: it is none, or uses more than plain data and NumPy's constructors.
    """
    if len(text) > MOST_CHARACTERS:
        raise RefusedError(break_sentences.unreadable("The call is too long"))
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        call = written_call(exercise, tree)
        for argument in call.arguments.values():
            _check(argument)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise RefusedError(break_sentences.unreadable("This is no Python call")) from None
    return replace(call, text=" ".join(text.split()))


def written_call(exercise: Exercise, tree: ast.expr) -> WrittenCall:
    """Return the arguments of a call of what the exercise defines.

    Raises:
        RefusedError: it is a call of something else.
    """
    chain: list[ast.Call] = []
    node: ast.expr = tree
    while isinstance(node, (ast.Call, ast.Attribute)):
        if isinstance(node, ast.Call):
            chain.insert(0, node)
            node = node.func
        else:
            node = node.value
    if not isinstance(tree, ast.Call) or not isinstance(node, ast.Name):
        raise RefusedError(break_sentences.unreadable("This is no Python call"))
    if node.id not in exercise.defines:
        names = " or ".join(f"`{name}`" for name in exercise.defines)
        raise RefusedError(break_sentences.unreadable(f"Call {names}, nothing else"))
    shape = without_arguments(ast.unparse(tree))
    arguments: dict[Place, ast.expr] = {}
    number = 0
    for depth, call in enumerate(chain):
        parameters = _parameters(exercise, call)
        for place, given in enumerate(call.args):
            name = parameters[place] if place < len(parameters) else f"{place}"
            if isinstance(given, ast.Starred):
                raise RefusedError(break_sentences.unreadable("A * is no argument here"))
            arguments[depth, name] = given
            call.args[place] = ast.Name(f"argument_{number}", ast.Load())
            number += 1
        for keyword in call.keywords:
            if keyword.arg is None or (depth, keyword.arg) in arguments:
                raise RefusedError(break_sentences.unreadable("Give each argument once"))
            arguments[depth, keyword.arg] = keyword.value
            keyword.value = ast.Name(f"argument_{number}", ast.Load())
            number += 1
    return WrittenCall(shape, arguments, ast.unparse(tree))


def _parameters(exercise: Exercise, call: ast.Call) -> list[str]:
    """Return the positional parameters of a callee, as the solution names them."""
    tree: ast.Module = ast.parse(exercise.solution)
    path = [*_callee(call.func), *(["__call__"] if isinstance(call.func, ast.Call) else [])]
    body: list[ast.stmt] = tree.body
    for number, name in enumerate(path):
        node = next((each for each in body if getattr(each, "name", "") == name), None)
        if isinstance(node, ast.ClassDef):
            body = node.body
            if number == len(path) - 1:
                path.append("__init__")
        elif isinstance(node, ast.FunctionDef):
            names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
            return names[1:] if number else names
        else:
            break
    return []


def _callee(node: ast.expr) -> Iterator[str]:
    """Yield the names that lead to a callee: of `Model(W).step` the class and the method."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield from _callee(node.value)
        yield node.attr
    elif isinstance(node, ast.Call):
        yield from _callee(node.func)


def _check(node: ast.AST) -> None:
    """Refuse what is neither plain data nor a constructor of NumPy."""
    if isinstance(node, ast.Call):
        if node.func is None or not _is_numpy(node.func, _CONSTRUCTORS):
            raise RefusedError(_not_plain(node))
        for each in (*node.args, *node.keywords):
            _check(each)
    elif isinstance(node, ast.Constant):
        if not isinstance(node.value, (int, float, complex, str, type(None))):
            raise RefusedError(_not_plain(node))
    elif not _is_numpy(node, _VALUES):
        if not isinstance(node, _NODES):
            raise RefusedError(_not_plain(node))
        for child in ast.iter_child_nodes(node):
            _check(child)


def _is_numpy(node: ast.AST, names: frozenset[str]) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="np"), attr=name):
            return name in names
        case ast.Name(id=name):
            return names is _VALUES and name in {"int", "float", "bool", "complex"}
    return False


def _not_plain(node: ast.AST) -> str:
    return break_sentences.unreadable(f"`{ast.unparse(node)[:40]}` is no plain data")
