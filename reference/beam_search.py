"""Beam search: the best text among a few that are kept at each step."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import as_floating


class Hypothesis(NamedTuple):
    """A text that beam search compares with others."""

    tokens: list[int]  # those after the first, which is given
    score: float  # the sum of their log-probabilities; divided by the length penalty at the end


def length_penalty(length: int, alpha: float) -> float:
    """Compute the number by which the score of a text is divided.

        penalty = ((5 + length) / 6)^alpha

    Args:
        length: The number of tokens, at least 1.
        alpha: How much longer texts are favoured; with 0 not at all.

    Returns:
        A number of at least 1 for an alpha of at least 0; 1 for a single token.

    Raises:
        ValueError: If the length is below 1.

    Source:
        Wu et al., "Google's Neural Machine Translation System" (2016), arXiv:1609.08144,
        equation 14.
    """
    if length < 1:
        raise ValueError(f"a text has at least one token, got {length}")
    return float(((5 + length) / 6) ** alpha)


def beam_search(
    log_p: ArrayLike, start: int, end: int, width: int, length: int, alpha: float = 0.6
) -> Hypothesis:
    """Search for the most probable text of a model in which each token depends on the one before.

    At each step every text of the beam is extended by every token, and of all these candidates the
    `width` with the largest sums of log-probabilities stay. Those that end with `end` leave the
    beam. After `length` steps the rest counts as it is. The text with the largest sum divided by
    its length penalty wins.

    Args:
        log_p: Log-probabilities of shape (V, V): entry (a, b) is that of b after a.
        start: The token before the text.
        end: The token that ends a text.
        width: The number of candidates that stay at each step.
        length: The largest number of tokens of a text, `end` included.
        alpha: As for `length_penalty`.

    Returns:
        The tokens after `start`, `end` included, and the score after the length penalty.

    Raises:
        TypeError: If `log_p` does not hold real numbers.
        ValueError: If `log_p` is not square, or `width` or `length` is below 1.

    Source:
        Wu et al. (2016), arXiv:1609.08144, section 7, without coverage penalty and pruning.
    """
    logs = as_floating(log_p)  # (V, V)
    if logs.ndim != 2 or logs.shape[0] != logs.shape[1]:  # noqa: PLR2004  a matrix
        raise ValueError(f"log_p needs a row and a column for each token, got shape {logs.shape}")
    if width < 1 or length < 1:
        raise ValueError(f"width and length are at least 1, got {width} and {length}")
    beam, finished = [Hypothesis([], 0.0)], list[Hypothesis]()
    for _ in range(length):
        sums = np.array(
            [text.score + logs[text.tokens[-1] if text.tokens else start] for text in beam]
        )
        best = np.argsort(-sums, axis=None, kind="stable")[:width]
        candidates: list[Hypothesis] = []
        for row, token in zip(*np.unravel_index(best, sums.shape), strict=True):
            text = Hypothesis([*beam[row].tokens, int(token)], float(sums[row, token]))
            (finished if token == end else candidates).append(text)
        beam = candidates
        if not beam:
            break
    graded = [
        Hypothesis(text.tokens, text.score / length_penalty(len(text.tokens), alpha))
        for text in finished + beam
    ]
    return max(graded, key=lambda text: text.score)
