"""Causal linear attention: a state of fixed size in the place of weights for all earlier positions.

A product of features replaces the exponential, so that the sums over the past can be carried along:

    output_i = f(q_i) S_i / (f(q_i) . z_i),
    S_i = sum_{j <= i} f(k_j)^T v_j,    z_i = sum_{j <= i} f(k_j)
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.batches import require_matrices


def positive_features(x: ArrayLike) -> FloatArray:
    """Make all numbers positive: elu(x) + 1.

        f(x) = x + 1 where x > 0, else e^x

    Args:
        x: Numbers of any shape.

    Returns:
        An array of the shape of `x`. Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `x` does not hold real numbers.

    Source:
        Katharopoulos et al., "Transformers are RNNs" (2020), arXiv:2006.16236, equation 7.
    """
    numbers = as_floating(x)
    return np.where(numbers > 0, numbers + 1, np.exp(np.minimum(numbers, 0)))


def linear_attention(Q: ArrayLike, K: ArrayLike, V: ArrayLike) -> FloatArray:
    """Attend causally in time and memory that grow with the length and not with its square.

        output_i = f(q_i) S_i / (f(q_i) . z_i),
        S_i = S_{i-1} + f(k_i)^T v_i,    z_i = z_{i-1} + f(k_i)

    Args:
        Q: Queries of shape (n, d_k).
        K: Keys of shape (n, d_k).
        V: Values of shape (n, d_v).

    Returns:
        The output, of shape (n, d_v). The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Katharopoulos et al. (2020), arXiv:2006.16236, equations 18 to 20.
    """
    queries, keys, values = positive_features(Q), positive_features(K), as_floating(V)
    require_matrices("Q", queries.shape, "K", keys.shape)
    if queries.shape != keys.shape or keys.shape[0] != values.shape[0]:
        raise ValueError(
            f"each position needs a query, a key and a value, got Q of shape {queries.shape}, "
            f"K of shape {keys.shape} and V of shape {values.shape}"
        )
    output = np.empty(values.shape, np.result_type(queries, keys, values))  # (n, d_v)
    state = np.zeros((keys.shape[1], values.shape[1]), output.dtype)  # (d_k, d_v)
    total = np.zeros(keys.shape[1], output.dtype)  # (d_k,)
    for i, (query, key, value) in enumerate(zip(queries, keys, values, strict=True)):
        state += np.outer(key, value)
        total += key
        output[i] = query @ state / (query @ total)
    return output
