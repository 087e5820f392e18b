"""The assert statements of a pytest body, by pytest or without it."""

import ast
import contextlib
import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Asserts:
    """The parts of pytest that a body needs."""

    rewrite: Callable[[ast.Module, bytes], None]  # so that a failure can be explained
    names: Mapping[str, ModuleType]  # that are there for a body
    fails: tuple[type[BaseException], ...]  # a test by them
    ends_early: tuple[type[BaseException], ...]  # without a failure
    explain: Callable[[str, BaseException], str]  # a statement that failed with an error


_OPERAND: Final = "@{}"  # as no author can call anything
_COMPARISONS: Final[dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], object]]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}


def _keep_operands(tree: ast.Module, _source: bytes) -> None:
    """Give names to the operands of each assert of a comparison."""
    for node in ast.walk(tree):
        match node:
            case ast.Assert(test=ast.Compare() as compared):
                operands: list[ast.expr] = [
                    ast.NamedExpr(ast.Name(_OPERAND.format(number), ast.Store()), operand)
                    for number, operand in enumerate((compared.left, *compared.comparators))
                ]
                compared.left, *compared.comparators = operands


def _explain(statement: str, error: BaseException) -> str:
    """Return the author's own words and, as pytest does, the values that were compared."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    names = {} if traceback is None else traceback.tb_frame.f_locals
    values = ""
    with contextlib.suppress(Exception):  # a comparison that cannot be repeated is left out
        match ast.parse(statement).body:
            case [ast.Assert(test=ast.Compare(ops=signs))]:
                # A generator: a chain evaluates no operand behind the comparison that fails.
                operands = (names[_OPERAND.format(number)] for number in range(len(signs) + 1))
                for (left, right), kind in zip(pairwise(operands), signs, strict=True):
                    sign, holds = _COMPARISONS[type(kind)]
                    if not holds(left, right):
                        values = f"{left!r} {sign} {right!r}"
                        break
    return f"{error}\n{values}"


@functools.cache
def asserts() -> Asserts:
    """Return pytest's asserts or, in a page without pytest, Python's own."""
    try:
        import pytest  # a page has none

        # The only way to rewrite what is no file on disk; the one thing of pytest's not public.
        from _pytest.assertion.rewrite import rewrite_asserts
    except ModuleNotFoundError:
        return Asserts(_keep_operands, {}, (AssertionError,), (), _explain)
    return Asserts(
        rewrite_asserts,
        {"pytest": pytest},
        (AssertionError, pytest.fail.Exception),
        (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception),
        lambda _statement, error: str(error),
    )
