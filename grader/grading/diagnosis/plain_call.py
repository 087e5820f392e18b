"""Plain calls in the tests of an exercise, and their text with the inputs written out."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import Exercise, TestCase
from grader.grading.program.author_code import evaluate

_LINE = 88  # characters of a call with its inputs; in a longer one they get lines of their own
_DEFAULT_DTYPES = ("bool", "int64", "float64", "complex128")  # dtypes that NumPy makes of a list


class NotWritableError(Exception):
    """A value has no short Python text that gives it again."""


@dataclass(frozen=True, slots=True)
class PlainCall:
    """A call of what the task describes: `f(x)`, or `Model(W)(x)` and `Model(W).step(x)`.

    Its arguments are computed from the inputs alone. What a test does around the call does not
    belong to it, since it may say what the test looks for.
    """

    code: str
    names: frozenset[str]  # the inputs that it uses
    is_plain: bool = True  # else an expression of a test that discloses its inputs

    def in_line(self, inputs: Mapping[str, Any]) -> str:
        """Return the call with the values of its arguments.

        Raises:
            NotWritableError: An input has no Python text.
        """
        return _text(ast.parse(self.code, mode="eval").body, inputs, {})

    def written_out(self, inputs: Mapping[str, Any]) -> tuple[dict[str, str], str]:
        """Return the inputs that need lines of their own, as Python, and the call.

        Raises:
            NotWritableError: An input has no Python text.
        """
        if not self.is_plain:
            return {name: python_of(inputs[name]) for name in sorted(self.names)}, self.code
        tree = ast.parse(self.code, mode="eval").body
        whole = self.in_line(inputs)
        if len(whole) <= _LINE:
            return {}, whole
        named = {
            argument.id: python_of(inputs[argument.id])
            for argument in _arguments(tree)
            if isinstance(argument, ast.Name)
        }
        return named, _text(tree, inputs, named)


def plain_calls(exercise: Exercise, test: TestCase, inputs: Mapping[str, Any]) -> list[PlainCall]:
    """Return the different plain calls in the Python of a test, the outermost ones."""
    names = frozenset(inputs)
    tree = ast.parse(test.code.strip())
    calls = dict.fromkeys(ast.unparse(node) for node in _calls(exercise, tree, names))
    return [PlainCall(code, _names(ast.parse(code)) & names) for code in calls]


def python_of(value: Any) -> str:  # noqa: PLR0911  any value; each kind returns
    """Return Python text that gives a value of numbers, texts, arrays and containers of them.

    Raises:
        NotWritableError: It is none.
    """
    kind = type(value)
    if kind in (float, complex):
        text = repr(value)
        if np.isfinite(value):
            return text
        if kind is complex:
            raise NotWritableError(text)
        return f"{'-' if text.startswith('-') else ''}np.{text.lstrip('-')}"
    if value is None or kind in (bool, int, str):
        return repr(value)
    if kind is np.ndarray and value.dtype.kind in "biufcU":
        return _array(value)
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        text = python_of(value.item())
        return text if value.dtype.name in _DEFAULT_DTYPES else f"np.{value.dtype.name}({text})"
    if kind is list:
        return f"[{', '.join(map(python_of, value))}]"
    if kind is tuple:
        return f"({', '.join(map(python_of, value))}{',' if len(value) == 1 else ''})"
    if kind is dict:
        return f"{{{', '.join(f'{python_of(k)}: {python_of(v)}' for k, v in value.items())}}}"
    raise NotWritableError(kind.__name__)


def _array(value: npt.NDArray[Any]) -> str:
    is_usual = value.dtype.name in _DEFAULT_DTYPES or value.dtype.kind == "U"
    dtype = "" if is_usual else f", dtype=np.{value.dtype.name}"
    if value.size == 0:
        return f"np.zeros({value.shape}, dtype=np.{value.dtype.name})"
    if value.dtype.kind == "f":  # as few digits as its dtype needs
        value = value.astype(str).astype(np.float64)
    return f"np.array({python_of(value.tolist())}{dtype})"


def _calls(exercise: Exercise, node: ast.AST, names: frozenset[str]) -> Iterator[ast.Call]:
    if isinstance(node, ast.Call) and _is_plain(exercise, node, names):
        yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from _calls(exercise, child, names)


def _is_plain(
    exercise: Exercise, node: ast.Call, names: frozenset[str], *, makes_object: bool = False
) -> bool:
    callee = node.func
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    if any(isinstance(each, ast.Starred) for each in node.args):
        return False
    if any(keyword.arg is None for keyword in node.keywords):
        return False
    if not all(_names(argument) <= names | {"np"} for argument in arguments):
        return False
    if isinstance(callee, ast.Name):
        defined = exercise.defines.get(callee.id)
        return defined is not None and (defined.kind == "class") is makes_object
    base = callee.value if isinstance(callee, ast.Attribute) else callee
    return isinstance(base, ast.Call) and _is_plain(exercise, base, names, makes_object=True)


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _arguments(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the arguments of a plain call, those that its object is made with first."""
    if isinstance(node, ast.Attribute):
        yield from _arguments(node.value)
    if isinstance(node, ast.Call):
        yield from _arguments(node.func)
        yield from node.args
        yield from (keyword.value for keyword in node.keywords)


def _text(node: ast.AST, inputs: Mapping[str, Any], named: Mapping[str, str]) -> str:
    """Return the text of a plain call with the values of its arguments, or the names of some."""
    if isinstance(node, ast.Attribute):
        return f"{_text(node.value, inputs, named)}.{node.attr}"
    if not isinstance(node, ast.Call):
        return ast.unparse(node)  # the name of what the task describes

    def argument(each: ast.expr) -> str:
        if isinstance(each, ast.Name) and each.id in named:
            return each.id
        return python_of(evaluate(ast.unparse(each), inputs))

    written = [argument(each) for each in node.args]
    written += [f"{keyword.arg}={argument(keyword.value)}" for keyword in node.keywords]
    return f"{_text(node.func, inputs, named)}({', '.join(written)})"
