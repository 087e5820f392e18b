"""Language models that see a few tokens: counted pairs, and a network that reads a window.

In the shapes, n counts tokens, V the vocabulary, k the tokens of a window, and b the windows.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

LETTERS = " abcdefghijklmnopqrstuvwxyz"


def follower_probabilities(tokens: ArrayLike, V: int, alpha: float) -> NDArray[np.float64]:
    """Estimate from counts what follows each token.

        P_ij = (count of j after i + alpha) / (count of anything after i + alpha V)

    Args:
        tokens: Token numbers of shape (n,), from 0 to V - 1.
        V: The size of the vocabulary.
        alpha: What is added to each count, above 0.

    Returns:
        Probabilities of shape (V, V). Each row adds up to 1.

    Source:
        Jurafsky and Martin, "Speech and Language Processing", chapter on n-gram models.
    """
    counts = np.full((V, V), float(alpha))
    text = np.asarray(tokens)
    for before, after in pairwise(text):
        counts[before, after] += 1.0
    return counts / counts.sum(axis=1, keepdims=True)


def letter_numbers(text: str) -> NDArray[np.int64]:
    """Number the characters of a text: 0 for a space, 1 to 26 for the letters a to z.

    Args:
        text: n characters, each a space or a lower-case letter.

    Returns:
        Token numbers of shape (n,).
    """
    return np.array([LETTERS.index(letter) for letter in text], dtype=np.int64)


def bits_per_letter(text: str) -> float:
    """Measure how much a text surprises the letter pairs of `ferry.txt`.

    Args:
        text: At least two characters, each a space or a lower-case letter.

    Returns:
        The mean of -log2 P(letter | letter before), with add-one smoothing.

    Source:
        Shannon, "A Mathematical Theory of Communication" (1948), section 6.
    """
    with open("ferry.txt", encoding="ascii") as story:  # noqa: PTH123  a file of the exercise
        learned = " ".join(story.read().split())
    P = follower_probabilities(letter_numbers(learned), len(LETTERS), 1.0)
    numbers = letter_numbers(text)
    surprises = [-np.log2(P[a, b]) for a, b in pairwise(numbers)]
    return float(sum(surprises) / len(surprises))


def context_windows(tokens: ArrayLike, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Cut a text into windows and the tokens that come next.

    Args:
        tokens: Token numbers of shape (n,), with n above k.
        k: The number of tokens in a window, at least 1.

    Returns:
        Windows of shape (n - k, k), in the order of the text, and targets of shape (n - k,).
    """
    text = np.asarray(tokens)
    contexts = np.array([text[start : start + k] for start in range(len(text) - k)])
    return contexts, text[k:].copy()


def window_log_probabilities(
    contexts: ArrayLike, E: ArrayLike, W: ArrayLike, b: ArrayLike, U: ArrayLike
) -> NDArray[np.float64]:
    """Forecast the token after each window with a network of one hidden layer.

        log_softmax(tanh([e_1, ..., e_k] W + b) U)

    Args:
        contexts: Token numbers of shape (b, k), the oldest token first.
        E: Embeddings of shape (V, d).
        W: Weights of shape (k d, h).
        b: Biases of shape (h,).
        U: Weights of shape (h, V).

    Returns:
        Logarithms of probabilities, of shape (b, V).

    Source:
        Bengio, Ducharme, Vincent and Jauvin, "A Neural Probabilistic Language Model" (2003),
        without the direct connections and the output biases.
    """
    windows, table = np.asarray(contexts), np.asarray(E)
    side_by_side = np.array([np.concatenate([table[token] for token in row]) for row in windows])
    scores = np.tanh(side_by_side @ np.asarray(W) + b) @ np.asarray(U)  # (b, V)
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
