"""Rules about numbers in tests: inputs that hide mistakes, values that prove little."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import LintedExercise
from grader.definitions.exercise import Literals, LiteralValue, Tolerance
from grader.definitions.wording import join_quoted, quote
from grader.definitions.yaml_source import ListNode, MappingNode, Node, Scalar
from grader.errors import Problem

_SATURATED: Final = 5e-5  # total of a row's other weights when the largest prints as 1.0000
_QUERIES, _KEYS = frozenset({"q", "query", "queries"}), frozenset({"k", "key", "keys"})
_SCORES: Final = frozenset({"x", "z", "s", "scores", "logits"})
_NO_SCORES: Final = frozenset({"v", "value", "values", "mask", "weights", "gamma", "beta"})
_MATRIX: Final = 2  # axes of a matrix
_SHAPED: Final = frozenset(
    {
        *("standard_normal", "normal", "uniform", "random", "integers", "exponential"),
        *("zeros", "ones", "full", "empty", "reshape", "broadcast_to"),
    }
)
# Their sizes are separate arguments, not a tuple.
_BY_ARGUMENTS: Final = frozenset({"randn", "rand"})
_MAX_RTOL: Final = 1e-2
_MIN_ROUNDED: Final = 3  # decimals; a number with fewer may be exact
_BINARY_DIGITS: Final = 10  # a multiple of 2 ** -10 is probably not rounded
_MISSING: Final = frozenset({"", "~", "null", "na", "n/a", "-nan", "+nan", "missing", "-"})
_NUMERIC: Final = frozenset(
    {
        "np", "numpy", "math", "array", "range", "complex", "float", "int", "tuple", "list", "set",
        "slice", "inf", "nan", "pi",
    }
)  # fmt: skip
_DECIMALS: Final = re.compile(r"[-+]?[0-9]*\.([0-9]+)")


@rule("ETU308", "warning")
def saturated_softmax(subject: LintedExercise) -> Iterator[Problem]:
    """Inputs lie so far apart that the softmax is 0 and 1."""
    exercise = subject.exercise
    words = [*exercise.concepts, *exercise.defines, exercise.title.lower()]
    nodes = subject.walk_nodes("exec", "solution")
    words += [_find_last_name(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute)]
    if not any("softmax" in word for word in words):
        return
    for index, test in enumerate(exercise.tests):
        name = _find_saturating(test.given.values) if isinstance(test.given, Literals) else None
        if name is not None:
            message = f"with {quote(name)} every row of weights is 0 and 1 to four digits"
            steps = ("tests", index, "given", name)
            yield subject.at_key(f"{message}; use numbers closer together", *steps)


def _find_last_name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _find_saturating(inputs: Mapping[str, Any]) -> str | None:
    """Return the input whose softmax saturates, either the keys or a single array, or None."""
    arrays = {name: value for name, value in inputs.items() if getattr(value, "size", 0)}
    queries = [name for name in arrays if name.lower() in _QUERIES]
    keys = [name for name in arrays if name.lower() in _KEYS]
    if queries and keys:
        Q, K = arrays[queries[0]], arrays[keys[0]]
        are_numbers = Q.dtype.kind in "if" and K.dtype.kind in "if"
        fit = Q.ndim == K.ndim == _MATRIX and Q.shape[-1] == K.shape[-1]
        saturates = are_numbers and fit and _is_saturating(Q @ K.T / K.shape[-1] ** 0.5)
        return keys[0] if saturates else None
    for name, array in arrays.items():
        word = name.lower()
        is_scores = array.dtype.kind == "f" or (word in _SCORES and array.dtype.kind == "i")
        if is_scores and word not in _NO_SCORES and _is_saturating(array):
            return name
    return None


def _is_saturating(scores: np.ndarray) -> bool:
    """Return whether every row with several finite scores gives all weight to one entry."""
    rows = (
        scores.reshape(-1, scores.shape[-1]).astype(float) if scores.ndim else scores.reshape(0, 1)
    )
    shared = [row[np.isfinite(row)] for row in rows]
    shared = [row for row in shared if row.size > 1]
    return bool(shared) and all(
        # The largest weight of each row.
        1.0 / np.exp(np.maximum(row - row.max(), -700.0)).sum() > 1 - _SATURATED
        for row in shared
    )


@rule("ETU309", "warning")
def same_sized_axes(subject: LintedExercise) -> Iterator[Problem]:
    """All axes of a test's inputs have the same size."""
    for index, test in enumerate(subject.exercise.tests):
        if isinstance(test.given, Literals):
            arrays = {name: v for name, v in test.given.values.items() if getattr(v, "ndim", 0)}
            shapes = [array.shape for array in arrays.values()]
            if (size := _find_only_size(shapes)) is not None:
                names = join_quoted(arrays, "and")
                steps = ("tests", index, "given", next(iter(arrays)))
                yield subject.at_key(f"every axis of {names} has size {size}{_ADVICE}", *steps)
            continue
        tree = subject.tree("exec", "tests", index, "given")
        shapes_in_code = None if tree is None else _find_shapes(tree)
        if shapes_in_code and (size := _find_only_size(list(shapes_in_code.values()))) is not None:
            first = next(iter(shapes_in_code))
            message = f"every axis of these inputs has size {size}{_ADVICE}"
            yield subject.in_text(message, first, "tests", index, "given")


_ADVICE: Final = "; different sizes show a wrong axis and a missing transpose"


def _find_only_size(shapes: list[tuple[int, ...]]) -> int | None:
    """Return the common size of all axes if it is above 1 and there is a matrix, else None."""
    sizes = {size for shape in shapes for size in shape}
    if len(sizes) != 1 or max(map(len, shapes)) < _MATRIX:
        return None
    (size,) = sizes
    return size if size > 1 else None


def _find_shapes(tree: ast.AST) -> dict[ast.expr, tuple[int, ...]] | None:
    """Return the shapes of array constructors, or None if a shape is not a literal."""
    shapes: dict[ast.expr, tuple[int, ...]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
            continue
        name = _find_last_name(node.func)
        named = [word.value for word in node.keywords if word.arg in ("size", "shape")]
        tuples = [argument for argument in (*named, *node.args) if isinstance(argument, ast.Tuple)]
        sizes: tuple[int, ...] | None = None
        if name in _BY_ARGUMENTS:
            sizes = _find_constants(node.args)
        elif name not in _SHAPED:
            continue
        elif tuples or named:
            sizes = _find_constants(tuples[0].elts if tuples else named)
        elif all(isinstance(argument, ast.Constant | ast.UnaryOp) for argument in node.args):
            sizes = ()  # a single number
        if sizes is None:
            return None
        shapes[node] = sizes
    return shapes


def _find_constants(nodes: list[ast.expr]) -> tuple[int, ...] | None:
    sizes = tuple(
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, int)
    )
    return sizes if len(sizes) == len(nodes) else None


@rule("ETU310", "warning")
def tighter_than_written(subject: LintedExercise) -> Iterator[Problem]:
    """An expected value has fewer digits than its tolerance asks for."""
    for index, test in enumerate(subject.exercise.tests):
        if not isinstance(test.expect, LiteralValue):
            continue
        tolerance = test.tolerance or Tolerance()
        for leaf in _walk_leaves(subject.document.node("tests", index, "expect")):
            decimals = _DECIMALS.fullmatch(leaf.text)
            if decimals is None or not isinstance(leaf.value, float) or leaf.style != "plain":
                continue
            is_exact = (leaf.value * 2**_BINARY_DIGITS).is_integer()
            # A number that the solution contains is a constant of the task.
            is_exact |= leaf.text.lstrip("+-") in subject.exercise.solution
            if len(decimals[1]) < _MIN_ROUNDED or is_exact:
                continue
            needed = 0.5 * 10.0 ** -len(decimals[1])  # half a unit in the last place
            allowed = tolerance.atol + tolerance.rtol * abs(leaf.value)
            if allowed < needed * (1 - 1e-9):
                message = (
                    f"expect: {leaf.text} may be off by {needed:.0e} as it was rounded, "
                    f"and the tolerance allows {allowed:.0e}"
                )
                yield Problem(leaf.where, message)
                break


def _walk_leaves(node: Node) -> Iterator[Scalar]:
    match node:
        case Scalar():
            yield node
        case ListNode(items=items):
            for item in items:
                yield from _walk_leaves(item)


@rule("ETU311", "error")
def constant_passes(subject: LintedExercise) -> Iterator[Problem]:
    """The tolerance is so wide that one number in all places passes."""
    for index, test in enumerate(subject.exercise.tests):
        if not isinstance(test.expect, LiteralValue):
            continue
        value = test.expect.value
        if value is None or isinstance(value, bool | str | list | dict):
            continue
        numbers = np.asarray(value)
        if numbers.dtype.kind not in "if" or not numbers.size or not np.isfinite(numbers).all():
            continue
        tolerance = test.tolerance or Tolerance()
        slack = tolerance.atol + tolerance.rtol * np.abs(numbers)
        low, high = float((numbers - slack).max()), float((numbers + slack).min())
        constant = (low + high) / 2
        passes = low <= high and np.ptp(numbers) > 0
        if numbers.size == 1:
            constant = 0.0
            passes = low <= 0.0 <= high and numbers.item() != 0
        if passes:
            message = f"the tolerance is so wide that {constant:.3g} in every place passes"
            key = "tolerance" if subject.document.has("tests", index, "tolerance") else "expect"
            yield Problem(subject.document.key("tests", index, key), f"{key}: {message}")


@rule("ETU319", "warning")
def loose_tolerance(subject: LintedExercise) -> Iterator[Problem]:
    """A relative tolerance is above one percent, where many mistakes pass."""
    for index, test in enumerate(subject.exercise.tests):
        if test.tolerance is not None and test.tolerance.rtol > _MAX_RTOL:
            message = f"results that are off by {100 * test.tolerance.rtol:g} % pass"
            yield subject.problem(message, "tests", index, "tolerance", "rtol")


@rule("ETU316", "warning")
def text_for_numbers(subject: LintedExercise) -> Iterator[Problem]:
    """A value that reads like numbers is a text, or a list of objects."""
    for index in range(len(subject.exercise.tests)):
        for key in ("given", "expect"):
            if subject.document.has("tests", index, key):
                node = subject.document.node("tests", index, key)
                test = subject.exercise.tests[index]
                if isinstance(
                    test.given if key == "given" else test.expect, Literals | LiteralValue
                ):
                    yield from _find_slips(node, key)


def _find_slips(node: Node, label: str) -> Iterator[Problem]:
    match node:
        case Scalar(style="plain", value=str(text)) if _is_python(text):
            python = "`expression:` below `expect:`" if label == "expect" else "Python, `given: |`"
            message = f"{quote(text)} is a text in YAML; for its value write {python}"
            yield Problem(node.where, f"{label}: {message}")
        case MappingNode(entries=entries):
            for key, value in entries:
                yield from _find_slips(value, key.text if label == "given" else label)
        case ListNode(items=items):
            leaves = list(_walk_leaves(node))
            mappings: list[Node] = [item for item in items if isinstance(item, MappingNode)]
            yield from (slip for part in [*leaves, *mappings] for slip in _find_slips(part, label))
            numbers = [leaf for leaf in leaves if type(leaf.value) in {int, float}]
            for leaf in leaves if numbers else ():
                is_slip = leaf.style == "plain" and not isinstance(leaf.value, (int, float))
                if type(leaf.value) is bool or (is_slip and _is_no_word(leaf.text)):
                    message = (
                        f"{quote(leaf.text)} among numbers makes a list of objects, not an array; "
                        "write .nan for a missing number"
                    )
                    yield Problem(leaf.where, f"{label}: {message}")
                    break


def _is_no_word(text: str) -> bool:
    """Return whether a text in a list of numbers looks like a slip: null, N/A, 1.5m, (1."""
    is_missing = text.lower() in _MISSING
    return is_missing or (re.match(r"[-+(\[.]*[0-9]", text) is not None and not _is_python(text))


def _is_python(text: str) -> bool:
    """Return whether a text is a Python number expression: `1+2j`, `(1, 2)`, `np.eye(3)`."""
    # YAML may have cut the text at a comma, between its brackets.
    if text.count("(") != text.count(")"):
        text = text.strip("()")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    nodes = list(ast.walk(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    numbers = [n for n in nodes if isinstance(n, ast.Constant) and type(n.value) is not str]
    return names <= _NUMERIC and bool(numbers or names)
