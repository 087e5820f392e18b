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
    log_p: ArrayLike, start: int, end: int, width: int, alpha: float = 0.6
) -> list[Hypothesis]:
    """Search for the most probable texts of a model in which each token depends on the one before.

    At each step every text of the beam is extended by every token, and of all these candidates the
    `width` with the largest sums of log-probabilities stay. Those that end with `end` leave the
    beam. After the last step the rest counts as it is. All are ordered by their sum divided by
    their length penalty.

    Args:
        log_p: Log-probabilities of shape (n, V, V): entry (t, a, b) is that of b after a, where t
            tokens stand after the first. A text has at most n tokens.
        start: The token before the text.
        end: The token that ends a text.
        width: The number of candidates that stay at each step.
        alpha: As for `length_penalty`.

    Returns:
        The texts that ended and those of the last beam, best first. Each has its tokens after
        `start`, `end` included, and its score after the length penalty.

    Raises:
        TypeError: If `log_p` does not hold real numbers.
        ValueError: If the tables are not square, or there is none, or `width` is below 1.

    Source:
        Wu et al. (2016), arXiv:1609.08144, section 7, without coverage penalty and pruning.
    """
    logs = as_floating(log_p)  # (n, V, V)
    if logs.ndim != 3 or logs.shape[1] != logs.shape[2] or not logs.shape[0]:  # noqa: PLR2004  steps of matrices
        raise ValueError(
            f"log_p needs a row and a column for each token, at each step, got shape {logs.shape}"
        )
    if width < 1:
        raise ValueError(f"a beam has a width of at least 1, got {width}")
    beam, finished = [Hypothesis([], 0.0)], list[Hypothesis]()
    for table in logs:
        sums = np.array(
            [text.score + table[text.tokens[-1] if text.tokens else start] for text in beam]
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
    return sorted(graded, key=lambda text: -text.score)
