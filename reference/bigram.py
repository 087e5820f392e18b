"""The smallest language model that learns: the next token depends on the last one alone.

It is softmax regression on one-hot vectors, and everything of training a large model is in it:
a loss, its gradient, and steps downhill. In the shapes, n counts tokens and V the vocabulary.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.embeddings import embed, embed_backward
from reference.language_model import next_token_pairs
from reference.losses import cross_entropy, cross_entropy_gradient
from reference.optimizers import gradient_descent_step

_MATRIX_AXES = 2


def bigram_logits(tokens: ArrayLike, W: ArrayLike) -> FloatArray:
    """Look up the scores of what may follow each token.

        logits_t = W[x_t]

    Args:
        tokens: Token numbers of shape (..., n), from 0 to V - 1.
        W: Scores of shape (V, V): row i holds those of the tokens after token i.

    Returns:
        Logits of shape (..., n, V). The dtype follows W; integers become float64.

    Raises:
        TypeError: If `tokens` are not integers or `W` not real numbers.
        ValueError: If `W` is not square or a token out of range.

    Source:
        Shannon, "A Mathematical Theory of Communication" (1948), section 3: his second-order
        approximations are bigram models, of letters and of words.
    """
    shape = np.shape(W)
    if len(shape) != _MATRIX_AXES or shape[0] != shape[1]:
        raise ValueError(f"W needs a row and a column for each token, got W of shape {shape}")
    return embed(tokens, W)  # (..., n, V)


def bigram_loss(W: ArrayLike, tokens: ArrayLike) -> FloatArray:
    """Compute the cross-entropy of each token given the one before.

        loss = -mean_t log softmax(W[x_t])[x_t+1]

    Args:
        W: Scores of shape (V, V).
        tokens: Token numbers of shape (..., n), with n at least 2.

    Returns:
        One number, in an array of shape ().

    Raises:
        TypeError: If `tokens` are not integers or `W` not real numbers.
        ValueError: If `W` is not square, a token out of range, or there are fewer than two.

    Source:
        As `reference.losses.cross_entropy`.
    """
    inputs, targets = next_token_pairs(tokens)  # (..., n - 1), (..., n - 1)
    return cross_entropy(bigram_logits(inputs, W), targets)  # ()


def bigram_gradient(W: ArrayLike, tokens: ArrayLike) -> FloatArray:
    """Differentiate `bigram_loss` with respect to W.

        gradient_i = sum of (softmax(W[i]) - one_hot(x_t+1)) / (n - 1) over all t with x_t = i

    Args:
        W: Scores of shape (V, V).
        tokens: Token numbers of shape (..., n), with n at least 2.

    Returns:
        An array of shape (V, V). The dtype follows W; integers become float64.

    Raises:
        TypeError: If `tokens` are not integers or `W` not real numbers.
        ValueError: If `W` is not square, a token out of range, or there are fewer than two.

    Source:
        The chain rule applied to the gradient of cross-entropy, Bishop (2006), equation 4.109.
    """
    inputs, targets = next_token_pairs(tokens)  # (..., n - 1), (..., n - 1)
    logits = bigram_logits(inputs, W)  # (..., n - 1, V)
    d_logits = cross_entropy_gradient(logits, targets)  # (..., n - 1, V)
    return embed_backward(d_logits, inputs, len(np.asarray(W)))  # (V, V)


def train_bigram(
    W: ArrayLike, tokens: ArrayLike, learning_rate: float, steps: int
) -> tuple[FloatArray, FloatArray]:
    """Train a bigram model by gradient descent on all of its tokens at once.

    Args:
        W: The scores to start from, of shape (V, V).
        tokens: Token numbers of shape (..., n), with n at least 2.
        learning_rate: The length of a step.
        steps: How many steps to take, at least 0.

    Returns:
        The trained scores, of shape (V, V), and the loss before each step, of shape (steps,).

    Raises:
        TypeError: If `tokens` are not integers or `W` not real numbers.
        ValueError: If `W` is not square, a token out of range, there are fewer than two, or
            `learning_rate` is negative.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), equation 4.5.
    """
    trained = as_floating(W).copy()  # (V, V)
    losses = []
    for _ in range(steps):
        losses.append(bigram_loss(trained, tokens))
        trained = gradient_descent_step(trained, bigram_gradient(trained, tokens), learning_rate)
    return trained, np.array(losses, dtype=trained.dtype)  # (V, V), (steps,)
