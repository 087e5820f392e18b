"""Calls of what a task describes, as `f(x)` and `Model(W).step(x)`: in tests, and a learner's own.

A learner's call is never run in the trusted process. Its arguments are data and NumPy's
constructors; they are computed in a child of the sandbox.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from grader.definitions.exercise import Exercise, TestCase
from grader.grading.diagnosis.input_values import python_of
from grader.grading.feedback import break_sentences
from grader.grading.program.author_code import evaluate

_MOST_CHARACTERS: Final = 2000
_LARGEST_POWER: Final = 999
_LINE: Final = 88  # characters of a call with its inputs; in a longer one they get their own lines

_OF_NUMPY: Final = frozenset({
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
"""A call of a chain such as `Model(W)(x)`, and the name of a parameter."""


class RefusedError(Exception):
    """A call does not count; the message is the sentence for the learner."""


@dataclass(frozen=True, slots=True)
class PlainCall:
    """A call whose arguments are computed from the inputs of a test alone.

    What a test does around the call does not belong to it, since it may say what the test looks
    for.
    """

    code: str
    names: frozenset[str]  # the inputs that it uses
    is_plain: bool = True  # else an expression of a test that discloses its inputs

    def in_line(self, inputs: Mapping[str, Any], named: Sequence[str] = ()) -> str:
        """Return the call with the values of its arguments.

        Args:
            named: Inputs that keep their names.

        Raises:
            NotWritableError: An input has no Python text.
        """
        tree = ast.parse(self.code, mode="eval").body

        def written(argument: ast.expr) -> ast.expr:
            if isinstance(argument, ast.Name) and argument.id in named:
                return argument
            text = python_of(evaluate(ast.unparse(argument), inputs))
            return ast.parse(text, mode="eval").body

        for call in _chain(tree)[1]:
            call.args = [written(each) for each in call.args]
            for keyword in call.keywords:
                keyword.value = written(keyword.value)
        return ast.unparse(tree)

    def written_out(self, inputs: Mapping[str, Any]) -> tuple[dict[str, str], str]:
        """Return the inputs that need lines of their own, as Python, and the call.

        Raises:
            NotWritableError: An input has no Python text.
        """
        if not self.is_plain:
            return {name: python_of(inputs[name]) for name in sorted(self.names)}, self.code
        whole = self.in_line(inputs)
        if len(whole) <= _LINE:
            return {}, whole
        chain = _chain(ast.parse(self.code, mode="eval").body)[1]
        arguments = [each for call in chain for each in _arguments(call)]
        names = [each.id for each in arguments if isinstance(each, ast.Name)]
        return {name: python_of(inputs[name]) for name in names}, self.in_line(inputs, names)


def plain_calls(exercise: Exercise, test: TestCase, inputs: Mapping[str, Any]) -> list[PlainCall]:
    """Return the different plain calls in the Python of a test, the outermost ones."""
    names = frozenset(inputs)

    def calls(node: ast.AST) -> Iterator[ast.Call]:
        if isinstance(node, ast.Call) and _is_plain(exercise, node, names):
            yield node
        else:
            for child in ast.iter_child_nodes(node):
                yield from calls(child)

    codes = dict.fromkeys(ast.unparse(call) for call in calls(ast.parse(test.code.strip())))
    return [PlainCall(code, _names(ast.parse(code)) & names) for code in codes]


def _is_plain(exercise: Exercise, node: ast.Call, names: frozenset[str]) -> bool:
    base, chain = _chain(node)
    makers = [
        each.func.value if isinstance(each.func, ast.Attribute) else each.func for each in chain
    ]
    if chain[0].func is not base or any(
        maker is not call for call, maker in zip(chain, makers[1:], strict=False)
    ):
        return False
    defined = exercise.defines.get(getattr(base, "id", ""))
    return (
        defined is not None
        and (defined.kind == "class") is (len(chain) > 1)
        and not any(isinstance(each, ast.Starred) for call in chain for each in call.args)
        and all(keyword.arg for call in chain for keyword in call.keywords)
        and all(_names(each) <= names | {"np"} for call in chain for each in _arguments(call))
    )


def _chain(tree: ast.expr) -> tuple[ast.expr, list[ast.Call]]:
    """Return what `Model(W).step(x)` begins with, and the calls in it, the first one first."""
    chain: list[ast.Call] = []
    while isinstance(tree, (ast.Call, ast.Attribute)):
        if isinstance(tree, ast.Call):
            chain.insert(0, tree)
        tree = tree.func if isinstance(tree, ast.Call) else tree.value
    return tree, chain


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def without_arguments(call: str) -> str:
    """Return a plain call without its arguments, the same for all calls of one thing."""
    tree = ast.parse(call, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.args, node.keywords = [], []
    return ast.unparse(tree)


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call and its arguments by their places."""

    shape: str  # the call without arguments
    arguments: dict[Place, ast.expr]
    code: str  # the call with the names `argument_0`, `argument_1`, ... for its arguments
    text: str

    @property
    def texts(self) -> list[str]:
        """The arguments as Python, in their order."""
        return [ast.unparse(each) for each in self.arguments.values()]


def read_call(exercise: Exercise, text: str) -> WrittenCall:
    """Read the call that a learner wrote.

    Raises:
        RefusedError: It is none, or uses more than plain data and NumPy's constructors.
    """
    if len(text) > _MOST_CHARACTERS:
        raise _unreadable("The call is too long")
    try:
        call = written_call(exercise, text)
        for argument in call.arguments.values():
            _check(argument)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable("This is no Python call") from None
    return call


def written_call(exercise: Exercise, text: str) -> WrittenCall:
    """Return the arguments of a call of what the exercise defines.

    Raises:
        RefusedError: It is a call of something else.
        SyntaxError: It is no Python.
    """
    tree = ast.parse(text.strip(), mode="eval").body
    base, chain = _chain(tree)
    if not isinstance(tree, ast.Call) or not isinstance(base, ast.Name):
        raise _unreadable("This is no Python call")
    if base.id not in exercise.defines:
        names = " or ".join(f"`{name}`" for name in exercise.defines)
        raise _unreadable(f"Call {names}, nothing else")
    shape = without_arguments(ast.unparse(tree))
    arguments: dict[Place, ast.expr] = {}
    for depth, call in enumerate(chain):
        parameters = _parameters(exercise, call.func)
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
    return RefusedError(break_sentences.unreadable(reason))


def _parameters(exercise: Exercise, callee: ast.expr) -> list[str]:
    """Return the positional parameters of a callee, as the solution names them."""
    name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "__call__")
    defined = [
        node
        for node in ast.walk(ast.parse(exercise.solution))
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name
    ]
    if defined and isinstance(defined[0], ast.ClassDef):
        body = [each for each in defined[0].body if isinstance(each, ast.FunctionDef)]
        defined = [each for each in body if each.name == "__init__"]
    if not defined or not isinstance(defined[0], ast.FunctionDef):
        return []
    names = [each.arg for each in (*defined[0].args.posonlyargs, *defined[0].args.args)]
    return names[1:] if names[:1] == ["self"] else names


def _check(argument: ast.expr) -> None:
    """Refuse what is neither plain data nor a constructor of NumPy."""
    for node in ast.walk(argument):
        match node:
            case ast.Attribute(value=ast.Name(id="np"), attr=name):
                is_plain = name in _OF_NUMPY
            case ast.Name(id=name):
                is_plain = name in {"np", "int", "float", "bool", "complex"}
            case ast.BinOp(left, ast.Pow(), power):  # a page cannot stop one that takes for ever
                number = power.operand if isinstance(power, ast.UnaryOp) else power
                value = number.value if isinstance(number, ast.Constant) else None
                is_nested = any(isinstance(each, ast.Pow) for each in ast.walk(left))
                is_small = isinstance(value, (int, float)) and value <= _LARGEST_POWER
                is_plain = is_small and not is_nested
            case ast.Constant(value=value):
                is_plain = isinstance(value, (int, float, complex, str, type(None)))
            case _:
                is_plain = isinstance(node, _NODES)
        if not is_plain:
            raise _unreadable(f"`{ast.unparse(node)[:40]}` is no plain data")
