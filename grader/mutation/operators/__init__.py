"""The mutation operators, by name. The docstring of each begins with the mistake it makes.

The order of the modules, and of the functions in them, matters where two operators make the same
program: the first one names the mutant. So special operators stand before general ones.
"""

from collections.abc import Mapping
from types import MappingProxyType

from grader.mutation.edits import Operator
from grader.mutation.operators import (
    arithmetic,
    axes,
    comparisons,
    constants,
    dtypes,
    epsilon,
    functions,
    indexing,
    memory,
    reshaping,
    statements,
)

_MODULES = (
    axes, reshaping, epsilon, comparisons, arithmetic, functions, dtypes, indexing, constants,
    statements, memory,
)  # fmt: skip

OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {
        value.name: value
        for module in _MODULES
        for value in vars(module).values()
        if isinstance(value, Operator)
    }
)

__all__ = ["OPERATORS", "Operator"]
