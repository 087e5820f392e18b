"""Programs derived from misconceptions: two misconceptions at once, or with another number."""

import ast
import io
import itertools
import tokenize
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from grader.definitions.exercise import Exercise, Misconception

_Token: TypeAlias = tuple[int, str]
# The begin and end of a range of the solution's tokens, and the tokens that replace it.
_Edit: TypeAlias = tuple[int, int, Sequence[_Token]]

# Pairs of misconceptions, and misconceptions with another number, that are tried at most. Each is a
# program that has to run, and the time of a diagnosis is limited.
_MAX_PAIRS = 120
_MAX_FITTED = 24
_LAYOUT = (tokenize.NL, tokenize.COMMENT, tokenize.ENCODING)


def make_pairs(exercise: Exercise) -> Iterator[tuple[Misconception, Misconception, str]]:
    """Yield pairs of misconceptions that change separate parts, with the combined program."""
    base = _tokenize(exercise.solution)
    alone = {_without_layout(base)}
    edits: dict[str, list[_Edit]] = {}
    for misconception in exercise.misconceptions:
        tokens = _tokenize(misconception.code)
        alone.add(_without_layout(tokens))
        matcher = SequenceMatcher(None, base, tokens, autojunk=False)
        edits[misconception.id] = [
            (start, end, tokens[first:last])
            for tag, start, end, first, last in matcher.get_opcodes()
            if tag != "equal"
        ]
    for first, second in itertools.islice(
        itertools.combinations(exercise.misconceptions, 2), _MAX_PAIRS
    ):
        merged = _merge(base, edits[first.id], edits[second.id])
        if merged is None or _without_layout(merged) in alone:
            continue
        try:  # merged tokens may not form a valid program
            source = tokenize.untokenize(merged)
            ast.parse(source)
        except (IndexError, SyntaxError, ValueError):
            continue
        yield first, second, source


def with_other_numbers(
    exercise: Exercise, own_numbers: Sequence[float]
) -> Iterator[tuple[Misconception, float, float, str]]:
    """Yield misconceptions, their number, a submission's number, and the program with the latter.

    Both numbers are absent from the solution.
    """
    right = constants_in_source(exercise.solution)
    # Zero is excluded, since it disables a step, which is another mistake.
    new_numbers = [number for number in own_numbers if number and number not in right]
    if not new_numbers:
        return
    candidates = (
        (misconception, number, new_number)
        for misconception in exercise.misconceptions
        for number in constants_in_source(misconception.code)
        if number not in right
        for new_number in new_numbers
        if new_number != number
    )
    for misconception, number, new_number in itertools.islice(candidates, _MAX_FITTED):
        tree = ast.parse(misconception.code)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and _is_number(node) and node.value == number:
                is_int = new_number.is_integer() and type(node.value) is int
                node.value = int(new_number) if is_int else new_number
        yield misconception, number, new_number, ast.unparse(tree)


def constants_in_source(source: str) -> tuple[float, ...]:
    """Return the distinct numbers in a program, without signs."""
    nodes = ast.walk(ast.parse(source))
    # mypy does not infer from `_is_number` that the node is an `ast.Constant`.
    values = [float(node.value) for node in nodes if _is_number(node)]  # type: ignore[attr-defined]
    infinite = [float("inf")] if ".inf" in source else []
    return tuple(dict.fromkeys([*infinite, *values]))


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _tokenize(source: str) -> list[_Token]:
    """Return the tokens of a program in a normal form, so that similar programs differ little.

    Docstrings, comments and blank lines are removed, and values that are used once are inlined.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match getattr(node, "body", None):
            case [ast.Expr(ast.Constant(str())), _, *_] as body:
                del body[0]
        if isinstance(node, ast.FunctionDef):
            _inline(node)
    lines = io.StringIO(ast.unparse(tree) + "\n")
    tokens = tokenize.generate_tokens(lines.readline)
    return [(token.type, token.string) for token in tokens if token.type not in _LAYOUT]


def _inline(function: ast.FunctionDef) -> None:
    """Replace names that are read once by their values, in functions without side effects."""
    nodes = list(ast.walk(function))
    if any(isinstance(node, (ast.AugAssign, ast.Expr, ast.Delete, ast.Global)) for node in nodes):
        return
    if any(
        isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store)
        for node in nodes
    ):
        return
    for statement in list(function.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
                later = function.body[function.body.index(statement) + 1 :]
                once = [n for follower in later for n in _evaluated_once(follower) if n in names]
                if len(names) == len(once) + 1 == 2:  # noqa: PLR2004  set once and read once
                    function.body.remove(statement)
                    _Inliner(once[0], value).visit(function)


def _evaluated_once(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the parts of a statement that are evaluated exactly once when it runs."""
    if isinstance(statement, (ast.Assign, ast.Return)):
        waiting: list[ast.AST] = [statement]
        while waiting:
            node = waiting.pop()
            yield node
            if not isinstance(node, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp)):
                waiting += ast.iter_child_nodes(node)


class _Inliner(ast.NodeTransformer):
    def __init__(self, name: ast.AST, value: ast.expr) -> None:
        self._name, self._value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._value if node is self._name else node


def _without_layout(tokens: Sequence[_Token]) -> tuple[str, ...]:
    return tuple(text for _, text in tokens)


def _merge(
    base: list[_Token], edits: Sequence[_Edit], more: Sequence[_Edit]
) -> list[_Token] | None:
    """Apply two lists of edits; return None if they change the same place."""
    new_edits = [edit for edit in more if edit not in edits]
    merged: list[_Token] = []
    at = 0
    before = (-1, -1)
    for start, end, tokens in sorted([*edits, *new_edits], key=lambda edit: edit[:2]):
        if start < at or before == (start, end):
            return None
        before = start, end
        merged += base[at:start]
        merged += tokens
        at = end
    return [*merged, *base[at:]]
