"""Assert statements in the body of a pytest test, with pytest or without it."""

import ast
import contextlib
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Asserts:
    """The parts of pytest that the body of a test needs.

    Attributes:
        rewrite: Changes the asserts of a parsed source so that their failures can be explained.
        names: Modules that the body can use without an import.
        fails: Exceptions that mean a failed test.
        ends_early: Exceptions that end a test without a failure.
        explain: Returns the explanation of a statement's failure, given the exception.
    """

    rewrite: Callable[[ast.Module, bytes], None]
    names: Mapping[str, ModuleType]
    fails: tuple[type[BaseException], ...]
    ends_early: tuple[type[BaseException], ...]
    explain: Callable[[str, BaseException], str]


_OPERAND: Final = "@{}"  # not a valid name in Python, so it never clashes with an author's name
_COMPARISONS: Final[dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], object]]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}


def _keep_operands(tree: ast.Module, _source: bytes) -> None:
    """Bind the operands of each asserted comparison to names, for `_explain` to read."""
    for node in ast.walk(tree):
        match node:
            case ast.Assert(test=ast.Compare() as compared):
                operands: list[ast.expr] = [
                    ast.NamedExpr(ast.Name(_OPERAND.format(number), ast.Store()), operand)
                    for number, operand in enumerate((compared.left, *compared.comparators))
                ]
                compared.left, *compared.comparators = operands


def _explain(statement: str, error: BaseException) -> str:
    """Return the assertion's message and, as pytest does, the values that were compared."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    names = {} if traceback is None else traceback.tb_frame.f_locals
    values = ""
    # Values of a comparison that cannot be repeated are omitted.
    with contextlib.suppress(Exception):
        match ast.parse(statement).body:
            case [ast.Assert(test=ast.Compare(ops=signs))]:
                # Lazy, since a chained comparison never evaluated the operands after its failure.
                operands = (names[_OPERAND.format(number)] for number in range(len(signs) + 1))
                for (left, right), kind in zip(pairwise(operands), signs, strict=True):
                    sign, holds = _COMPARISONS[type(kind)]
                    if not holds(left, right):
                        values = f"{left!r} {sign} {right!r}"
                        break
    return f"{error}\n{values}"


try:
    import pytest  # missing in a page

    # Our only private import of pytest: its public API rewrites nothing but files on disk.
    from _pytest.assertion.rewrite import rewrite_asserts
except ModuleNotFoundError:
    ASSERTS = Asserts(_keep_operands, {}, (AssertionError,), (), _explain)
else:
    ASSERTS = Asserts(
        rewrite_asserts,
        {"pytest": pytest},
        (AssertionError, pytest.fail.Exception),
        (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception),
        lambda _statement, error: str(error),
    )
"""pytest's asserts or, in a page without pytest, Python's own."""
