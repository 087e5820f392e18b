"""The mutation operators, by name.

Their order matters where two make the same program: the first gives the mutant its name, so the
special ones stand before the general ones.
"""

from collections.abc import Mapping
from types import MappingProxyType

from grader.mutation.operators import (
    arithmetic,
    axes,
    constants,
    dtypes,
    epsilon,
    functions,
    indexing,
    masks,
    memory,
    shapes,
    statements,
)
from grader.mutation.operators.operator import Operator

_MODULES = (
    axes, shapes, epsilon, masks, arithmetic, functions, dtypes, indexing, constants, statements,
    memory,
)  # fmt: skip

OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {operator.name: operator for module in _MODULES for operator in module.OPERATORS}
)

__all__ = ["OPERATORS", "Operator"]
