"""The parts of a language model beside its layers: its head, and the pairs that it learns from.

In the shapes, n counts positions and V the tokens of the vocabulary.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, IntArray, as_floating
from reference.linear import linear
from reference.losses import token_losses
from reference.softmax import softmax

_TOKENS_OF_A_PAIR = 2


def language_model_logits(
    hidden: ArrayLike, W_out: ArrayLike, b_out: ArrayLike | None = None
) -> FloatArray:
    """Score every token of the vocabulary at every position.

        logits = H W_out + b_out

    Args:
        hidden: What the stack gives, H, of shape (..., n, d_model).
        W_out: Weights of shape (d_model, V).
        b_out: Bias of shape (V,); nothing is added without one.

    Returns:
        Logits of shape (..., n, V). The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, section 3.4.
    """
    return linear(hidden, W_out, b_out)  # (..., n, V)


def tied_logits(hidden: ArrayLike, embedding: ArrayLike) -> FloatArray:
    """Score every token by how well its own embedding fits.

        logits = H E^T

    The output weights are the embedding matrix, so they are learned once and stored once.

    Args:
        hidden: What the stack gives, H, of shape (..., n, d_model).
        embedding: One row for each token, E, of shape (V, d_model).

    Returns:
        Logits of shape (..., n, V). The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Press and Wolf, "Using the Output Embedding to Improve Language Models" (2016),
        arXiv:1608.05859, section 3; Radford et al. (2018), equation 2.
    """
    states, rows = as_floating(hidden), as_floating(embedding)  # (..., n, d_model), (V, d_model)
    if not states.ndim or states.shape[-1:] != rows.shape[1:]:
        raise ValueError(
            "an embedding has two axes, the second as long as the last of hidden, "
            f"got hidden of shape {states.shape} and embedding of shape {rows.shape}"
        )
    logits: FloatArray = states @ rows.T  # (..., n, V)
    return logits


def next_token_distribution(
    hidden: ArrayLike, W_out: ArrayLike, b_out: ArrayLike | None = None
) -> FloatArray:
    """Turn what the stack gives into the probabilities of the next token.

        P(next token | tokens so far) = softmax(H W_out + b_out)

    Args:
        hidden: What the stack gives, H, of shape (..., n, d_model).
        W_out: Weights of shape (d_model, V).
        b_out: Bias of shape (V,); nothing is added without one.

    Returns:
        Probabilities of shape (..., n, V); each row adds up to one.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together; names both.

    Source:
        Radford et al., "Improving Language Understanding by Generative Pre-Training" (2018),
        equation 2.
    """
    return softmax(language_model_logits(hidden, W_out, b_out))  # (..., n, V)


def next_token_pairs(tokens: ArrayLike) -> tuple[IntArray, IntArray]:
    """Split a sequence into what the model reads and what it should say next.

        inputs = (x_1, ..., x_n-1),    targets = (x_2, ..., x_n)

    Args:
        tokens: Token numbers of shape (..., n), with n at least 2.

    Returns:
        Inputs and targets, each of shape (..., n - 1), with the dtype of `tokens`.

    Raises:
        TypeError: If `tokens` are not integers.
        ValueError: If there are fewer than two tokens; names the shape.

    Source:
        Radford et al. (2018), equation 1.
    """
    sequence = np.asarray(tokens)  # (..., n)
    if sequence.dtype.kind not in "iu":
        raise TypeError(f"tokens are whole numbers, got an array of dtype {sequence.dtype}")
    if not sequence.ndim or sequence.shape[-1] < _TOKENS_OF_A_PAIR:
        raise ValueError(f"a pair needs two tokens, got tokens of shape {sequence.shape}")
    return sequence[..., :-1].copy(), sequence[..., 1:].copy()  # (..., n - 1), (..., n - 1)


def sequence_log_probability(logits: ArrayLike, targets: ArrayLike) -> FloatArray:
    """Return the probability that a model gives a whole sequence.

        log P(x) = sum_t log P(x_t | x_1, ..., x_t-1)

    Args:
        logits: Scores of shape (..., n, V), of which row t was computed from the tokens before
            target t.
        targets: Token numbers of shape (..., n).

    Returns:
        Logarithms of shape (...), at most 0. The dtype follows the logits.

    Raises:
        TypeError: If the logits are not real numbers or the targets not integers.
        ValueError: If the shapes do not go together, naming both, or a target is out of range.

    Source:
        Radford et al. (2018), equation 1.
    """
    losses = token_losses(logits, targets)  # (..., n)
    return np.asarray(0 - np.sum(losses, axis=-1))  # (...)  0.0 and not -0.0 for certainty
