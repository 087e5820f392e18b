"""The parameters of a model as one value: arrays in tuples in tuples.

Gradients have the same structure, so what is done to one array can be done to all of them.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from reference.arrays import FloatArray

Tree = TypeVar("Tree")  # an array, or a (named) tuple of trees


def map_arrays(function: Callable[..., FloatArray], tree: Tree, *others: Tree) -> Tree:
    """Apply a function to every array of a tree, or to those in the same place of several trees.

    Args:
        function: Takes one array of each tree, all of the same shape, and returns an array.
        tree: Arrays in nested tuples; named tuples keep their type and their names.
        *others: Trees of the same structure.

    Returns:
        A tree of the same structure that holds the results.

    Raises:
        ValueError: If the structures or the shapes of two arrays differ; names both.
    """
    return _map(function, (tree, *others))  # type: ignore[no-any-return]  # as nested as the tree


def arrays_in(tree: object) -> Iterator[FloatArray]:
    """List the arrays of a tree from left to right.

    Args:
        tree: Arrays in nested tuples.

    Returns:
        An iterator over the arrays themselves, no copies.

    Raises:
        TypeError: If there is anything in the tree but tuples and arrays.
    """
    if isinstance(tree, tuple):
        for branch in tree:
            yield from arrays_in(branch)
    elif isinstance(tree, np.ndarray):
        yield tree
    else:
        raise TypeError(f"parameters are arrays in tuples, got {type(tree).__name__}")


def count_parameters(tree: object) -> int:
    """Count the numbers that a model learns.

    Args:
        tree: Arrays in nested tuples.

    Returns:
        The sum of the sizes of all arrays.

    Raises:
        TypeError: If there is anything in the tree but tuples and arrays.
    """
    return sum(array.size for array in arrays_in(tree))


def _map(function: Callable[..., FloatArray], trees: tuple[Any, ...]) -> Any:
    outlines = [
        f"a tuple of {len(tree)}"
        if isinstance(tree, tuple)
        else f"an array of shape {np.shape(tree)}"
        for tree in trees
    ]
    for other in outlines[1:]:
        if other != outlines[0]:
            raise ValueError(f"{outlines[0]} does not match {other}")
    first = trees[0]
    if not isinstance(first, tuple):
        return function(*trees)
    branches = [_map(function, branch) for branch in zip(*trees, strict=True)]
    return type(first)(*branches) if hasattr(first, "_fields") else tuple(branches)
