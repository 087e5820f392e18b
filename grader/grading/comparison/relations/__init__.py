"""The relation of a wrong result to the right one, such as scaled, transposed or not normalised.

A relation counts if it holds for all values to nearly full precision, and if the expected values
vary enough to make a coincidence unlikely.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from grader.grading.comparison.nested_values import iter_pairs
from grader.grading.comparison.relations.factors import (
    find_factor,
    find_missing_shift,
    find_negation,
    find_rounding,
)
from grader.grading.comparison.relations.order import find_reorder, find_reshape, find_transpose
from grader.grading.comparison.relations.pair import Pair, Relation, make_pair
from grader.grading.comparison.relations.reductions import find_reduction
from grader.grading.comparison.relations.weights import find_weights_relation

_MAX_LEAVES = 32  # parts of a container in which a relation is searched

# The first relation that holds is reported, so special and likely ones come first.
_FINDERS: Final[tuple[Callable[[Pair], Relation | None], ...]] = (
    find_negation, find_factor, find_transpose, find_reorder, find_weights_relation,
    find_missing_shift, find_rounding,
)  # fmt: skip


def find_relation(expected: object, got: object, inputs: Mapping[str, Any]) -> Relation | None:
    """Return the relation of a result to the expected value.

    Args:
        expected: An array or a number, or a list, tuple or dict of them.
        inputs: The test's inputs by name. The lengths of their axes can explain a factor.

    Returns:
        The relation of the first part that has one, or None.
    """
    with np.errstate(all="ignore"):
        if relation := _find_swapped_items(expected, got):
            return relation
        for where, one, other in itertools.islice(iter_pairs(expected, got), _MAX_LEAVES):
            both = make_pair(one, other, inputs)
            if both is None:
                continue
            if both.expected.shape != both.got.shape:
                relation = find_reshape(both)
            elif not both.agree(both.got, both.expected):
                relation = next(filter(None, (find(both) for find in _FINDERS)), None)
            relation = relation or find_reduction(both, inputs)
            if relation is not None:
                return replace(relation, path=where)
    return None


def _find_swapped_items(expected: object, got: object) -> Relation | None:
    """Return the relation for two or three arrays in another order."""
    if not isinstance(expected, (list, tuple)) or not isinstance(got, (list, tuple)):
        return None
    if len(expected) != len(got) or not 2 <= len(expected) <= 3:  # noqa: PLR2004  longer ones are lists of numbers
        return None
    if not all(isinstance(item, np.ndarray) and item.size > 1 for item in (*expected, *got)):
        return None
    _, *orders = itertools.permutations(range(len(expected)))
    for order in orders:
        pairs = [make_pair(one, got[i], {}) for one, i in zip(expected, order, strict=True)]
        if all(p is not None and p.agree(p.got, p.expected) for p in pairs):
            return Relation("items-swapped")
    return None


__all__ = ["Relation", "find_relation"]
