"""Gradients on their way to the optimiser: summed up from small batches, and kept short."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from reference.arrays import FloatArray
from reference.parameters import Tree, arrays_in, map_arrays


def accumulate_gradients(gradients: Sequence[Tree], counts: Sequence[int]) -> Tree:
    """Combine the mean gradients of small batches into that of all their tokens.

        g = sum_i counts_i g_i / sum_i counts_i

    A mean of the means would count a token in a short batch for more than one in a long batch.

    Args:
        gradients: The gradients of each small batch, each an average over its tokens, as an array
            or arrays in nested tuples, all of the same structure.
        counts: The number of tokens in each small batch.

    Returns:
        New gradients of the same structure, shapes and dtypes.

    Raises:
        ValueError: If structures or shapes differ, the numbers of batches differ, or there is no
            token.

    Source:
        The gradient of an average over tokens is the average of their gradients.
    """
    if len(gradients) != len(counts) or not sum(counts) > 0:
        raise ValueError(
            f"each small batch needs its number of tokens, got {len(gradients)} batches "
            f"and counts of {list(counts)}"
        )
    shares = [count / sum(counts) for count in counts]
    scaled = [_scaled(tree, share) for tree, share in zip(gradients, shares, strict=True)]
    return reduce(lambda one, other: map_arrays(np.add, one, other), scaled)


def global_norm(gradients: object) -> float:
    """Return the length of all gradients together, as one long vector.

        norm = sqrt(sum of the squares of all entries of all arrays)

    Args:
        gradients: An array, or arrays in nested tuples.

    Returns:
        A number of at least 0.

    Raises:
        TypeError: If there is anything but tuples and arrays.

    Source:
        Pascanu, Mikolov and Bengio, "On the difficulty of training Recurrent Neural Networks"
        (2012), arXiv:1211.5063, algorithm 1.
    """
    return float(
        np.sqrt(sum(np.sum(np.square(part, dtype=float)) for part in arrays_in(gradients)))
    )


def clip_by_global_norm(gradients: Tree, limit: float) -> tuple[Tree, float]:
    """Shorten gradients to a limit, all by the same factor, so that their direction stays.

        clipped = g * min(1, limit / norm)

    Args:
        gradients: An array, or arrays in nested tuples.
        limit: The largest norm that all gradients may have together, above 0.

    Returns:
        New gradients of the same structure, shapes and dtypes, and the norm before clipping.

    Raises:
        ValueError: If the limit is not above 0.

    Source:
        Pascanu, Mikolov and Bengio (2012), arXiv:1211.5063, algorithm 1.
    """
    if not limit > 0:
        raise ValueError(f"a limit of the norm is above 0, got {limit}")
    norm = global_norm(gradients)
    return _scaled(gradients, limit / norm if norm > limit else 1.0), norm


def _scaled(tree: Tree, factor: float) -> Tree:
    """Multiply every array by one number; dtypes stay."""

    def scaled(array: FloatArray) -> FloatArray:
        return (array * factor).astype(array.dtype)

    return map_arrays(scaled, tree)
