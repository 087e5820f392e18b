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

    Docstrings, comments and blank lines are removed.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match getattr(node, "body", None):
            case [ast.Expr(ast.Constant(str())), _, *_] as body:
                del body[0]
    lines = io.StringIO(ast.unparse(tree) + "\n")
    tokens = tokenize.generate_tokens(lines.readline)
    return [(token.type, token.string) for token in tokens if token.type not in _LAYOUT]


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
