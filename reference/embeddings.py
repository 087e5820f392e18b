"""Embeddings: each token becomes the row of a table that is learned."""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import BoolArray, FloatArray, IntArray, as_floating
from reference.shapes import require_same_shape

_TABLE_AXES = 2  # tokens of the vocabulary, features


def embed(tokens: ArrayLike, E: ArrayLike) -> FloatArray:
    """Look the vectors of tokens up in a table.

        e_i = E[token_i]

    Args:
        tokens: Integers from 0 to v - 1, of shape (...).
        E: The embedding table, of shape (v, d_model): one row a token of the vocabulary.

    Returns:
        A new array of shape (..., d_model). Floating-point dtypes of `E` stay; integers become
        float64.

    Raises:
        TypeError: If `tokens` are not integers, or `E` does not hold real numbers.
        ValueError: If `E` does not have two axes, or a token is not in it; names token and shape.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.4, without
        its factor sqrt(d_model).
    """
    table = as_floating(E)  # (v, d_model)
    if table.ndim != _TABLE_AXES:
        raise ValueError(f"a table needs axes (vocabulary, features), got shape {table.shape}")
    rows = _require_tokens(tokens, table.shape[0])  # (...)
    vectors: FloatArray = np.take(table, rows, axis=0)  # (..., d_model)
    return vectors


def embed_backward(d_output: ArrayLike, tokens: ArrayLike, vocabulary: int) -> FloatArray:
    """Carry the gradient of a loss from looked-up vectors to the table.

        d_E[t] = sum of d_output_i over the positions i with token_i = t

    A token that occurs twice collects both gradients, one that does not occur gets zeros.

    Args:
        d_output: The gradient with respect to the vectors, of shape (..., d_model).
        tokens: The tokens that were looked up, of shape (...).
        vocabulary: The number of rows of the table, v.

    Returns:
        The gradient with respect to the table, of shape (v, d_model), with the dtype of `d_output`
        (float64 for integers).

    Raises:
        TypeError: If `tokens` are not integers, or `d_output` does not hold real numbers.
        ValueError: If the shapes do not go together (names both), or a token is not in the
            vocabulary.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), section 6.5.6, for a product with
        one-hot rows.
    """
    upstream = as_floating(d_output)  # (..., d_model)
    rows = _require_tokens(tokens, vocabulary)  # (...)
    expected = (*rows.shape, *upstream.shape[-1:])
    require_same_shape("d_output", upstream.shape, "the looked-up vectors", expected)
    gradient = np.zeros((vocabulary, upstream.shape[-1]), dtype=upstream.dtype)  # (v, d_model)
    np.add.at(gradient, rows, upstream)  # `gradient[rows] += ...` would count each token once
    return gradient


def one_hot(tokens: ArrayLike, vocabulary: int) -> FloatArray:
    """Write each token as a vector that is 1 at its number and 0 elsewhere.

        one_hot(t)_j = 1 if j = t, else 0,    one_hot(tokens) E = E[tokens]

    Args:
        tokens: Integers from 0 to v - 1, of shape (...).
        vocabulary: The number of tokens there are, v.

    Returns:
        A float64 array of shape (..., v).

    Raises:
        TypeError: If `tokens` are not integers.
        ValueError: If a token is not in the vocabulary.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), section 12.4.2.
    """
    rows = _require_tokens(tokens, vocabulary)  # (...)
    is_token: BoolArray = rows[..., None] == np.arange(vocabulary)  # (..., v)
    return is_token.astype(np.float64)  # (..., v)


def _require_tokens(tokens: ArrayLike, vocabulary: int) -> IntArray:
    """Refuse tokens that no row belongs to; negative ones would count from the end."""
    rows = np.asarray(tokens)  # (...)
    if not np.issubdtype(rows.dtype, np.integer):
        raise TypeError(f"tokens are integers, got an array of dtype {rows.dtype}")
    strange = rows[(rows < 0) | (rows >= vocabulary)]  # (number of strange tokens,)
    if strange.size:
        raise ValueError(
            f"token {strange[0]} of tokens of shape {rows.shape} "
            f"is not in a vocabulary of {vocabulary}"
        )
    return rows
