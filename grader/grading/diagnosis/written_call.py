"""A call that a learner wrote, parsed and checked against a whitelist.

The call is never run on the trusted side. Its arguments may use only data and NumPy's
constructors, and they are computed in a child of the sandbox.
"""

import ast
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.definitions.exercise import Exercise
from grader.grading.feedback import break_sentences

MAX_CHARACTERS: Final = 2000  # characters of a call
_MAX_POWER: Final = 999  # exponent above which a power could take long to compute

_PLAIN_NUMPY_NAMES: Final = frozenset({
    "arange", "array", "asarray", "bool", "bool_", "complex64", "complex128", "diag", "e",
    "eye", "float16", "float32", "float64", "full", "identity", "inf", "int8", "int16", "int32",
    "int64", "linspace", "nan", "ones", "pi", "tri", "tril", "triu", "uint8", "uint16",
    "uint32", "uint64", "zeros",
})  # fmt: skip
_NODES: Final = (
    ast.List, ast.Tuple, ast.Dict, ast.UnaryOp, ast.BinOp, ast.unaryop, ast.Add, ast.Sub, ast.Mult,
    ast.Div, ast.Pow, ast.Load, ast.Call, ast.keyword,
)  # fmt: skip

Place: TypeAlias = tuple[int, str]
"""The number of a call in a chain such as `Model(W)(x)`, and the name of a parameter."""


class RefusedError(Exception):
    """A call does not count. The message is the sentence for the learner."""


def split_call_chain(tree: ast.expr) -> tuple[ast.expr, list[ast.Call]]:
    """Return the name or expression at the start of `Model(W).step(x)`, and its calls in order."""
    chain: list[ast.Call] = []
    while isinstance(tree, (ast.Call, ast.Attribute)):
        if isinstance(tree, ast.Call):
            chain.insert(0, tree)
        tree = tree.func if isinstance(tree, ast.Call) else tree.value
    return tree, chain


def without_arguments(call: str) -> str:
    """Return a plain call without its arguments, as `f()` for `f(x, y)`."""
    tree = ast.parse(call, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.args, node.keywords = [], []
    return ast.unparse(tree)


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call, and its arguments by place."""

    shape: str  # the call without arguments
    arguments: dict[Place, ast.expr]
    code: str  # the call with the names `argument_0`, `argument_1`, ... for its arguments
    text: str

    @property
    def texts(self) -> list[str]:
        """The Python text of the arguments, in order."""
        return [ast.unparse(argument) for argument in self.arguments.values()]


def read_call(exercise: Exercise, text: str) -> WrittenCall:
    """Parse the call that a learner wrote.

    Raises:
        RefusedError: It is not a call, or uses more than plain data and NumPy's constructors.
    """
    if len(text) > MAX_CHARACTERS:
        raise _unreadable("The call is too long")
    try:
        call = parse_call(exercise, text)
        for argument in call.arguments.values():
            _check(argument)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable("This is no Python call") from None
    return call


def parse_call(exercise: Exercise, text: str) -> WrittenCall:
    """Parse a call of a name that the exercise defines.

    Raises:
        RefusedError: It is a call of something else.
        SyntaxError: It is not valid Python.
    """
    tree = ast.parse(text.strip(), mode="eval").body
    base, chain = split_call_chain(tree)
    if not isinstance(tree, ast.Call) or not isinstance(base, ast.Name):
        raise _unreadable("This is no Python call")
    if base.id not in exercise.defines:
        names = " or ".join(f"`{name}`" for name in exercise.defines)
        raise _unreadable(f"Call {names}, nothing else")
    shape = without_arguments(ast.unparse(tree))
    arguments: dict[Place, ast.expr] = {}
    for depth, call in enumerate(chain):
        parameters = _list_parameters(exercise, call.func)
        for place, argument in enumerate(call.args):
            if isinstance(argument, ast.Starred):
                raise _unreadable("A * is no argument here")
            name = parameters[place] if place < len(parameters) else f"{place}"
            call.args[place] = ast.Name(f"argument_{len(arguments)}", ast.Load())
            arguments[depth, name] = argument
        for keyword in call.keywords:
            if keyword.arg is None or (depth, keyword.arg) in arguments:
                raise _unreadable("Give each argument once")
            value, keyword.value = keyword.value, ast.Name(f"argument_{len(arguments)}", ast.Load())
            arguments[depth, keyword.arg] = value
    return WrittenCall(shape, arguments, ast.unparse(tree), " ".join(text.split()))


def _unreadable(reason: str) -> RefusedError:
    return RefusedError(break_sentences.unreadable_call_sentence(reason))


def _list_parameters(exercise: Exercise, callee: ast.expr) -> list[str]:
    """Return the names of a callee's positional parameters in the solution."""
    name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "__call__")
    defined = [
        node
        for node in ast.walk(ast.parse(exercise.solution))
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name
    ]
    if defined and isinstance(defined[0], ast.ClassDef):
        methods = [node for node in defined[0].body if isinstance(node, ast.FunctionDef)]
        defined = [method for method in methods if method.name == "__init__"]
    if not defined or not isinstance(defined[0], ast.FunctionDef):
        return []
    names = [node.arg for node in (*defined[0].args.posonlyargs, *defined[0].args.args)]
    return names[1:] if names[:1] == ["self"] else names


def _check(argument: ast.expr) -> None:
    """Raise `RefusedError` unless an argument uses only plain data and NumPy's constructors."""
    for node in ast.walk(argument):
        match node:
            case ast.Attribute(value=ast.Name(id="np"), attr=name):
                is_plain = name in _PLAIN_NUMPY_NAMES
            case ast.Name(id=name):
                is_plain = name in {"np", "int", "float", "bool", "complex"}
            case ast.BinOp(left, ast.Pow(), power):  # bounded, since a page could not stop it
                number = power.operand if isinstance(power, ast.UnaryOp) else power
                value = number.value if isinstance(number, ast.Constant) else None
                is_nested = any(isinstance(part, ast.Pow) for part in ast.walk(left))
                is_small = isinstance(value, (int, float)) and value <= _MAX_POWER
                is_plain = is_small and not is_nested
            case ast.Constant(value=value):
                is_plain = isinstance(value, (int, float, complex, str, type(None)))
            case _:
                is_plain = isinstance(node, _NODES)
        if not is_plain:
            raise _unreadable(f"`{ast.unparse(node)[:40]}` is no plain data")
