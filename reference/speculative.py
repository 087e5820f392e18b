"""Speculative decoding: a small model drafts tokens, a large one checks them all at once.

What is written has exactly the distribution of the large model. In the shapes, V counts the tokens
of the vocabulary and g the drafted tokens.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating


def leftover(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Return the distribution that a token is drawn from after a draft was rejected.

        r = max(p - q, 0) / sum(max(p - q, 0))

    Args:
        p: The probabilities of the large model, of shape (V,).
        q: The probabilities of the small model, of shape (V,).

    Returns:
        Probabilities of shape (V,); p itself if p and q are equal, where no draft is rejected.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If the shapes differ.

    Source:
        Leviathan, Kalman and Matias, "Fast Inference from Transformers via Speculative Decoding"
        (2022), arXiv:2211.17192, algorithm 1.
    """
    large, small = as_floating(p), as_floating(q)
    if large.shape != small.shape:
        raise ValueError(f"p and q need one shape, got {large.shape} and {small.shape}")
    missing = np.maximum(large - small, 0)
    total = missing.sum()
    return missing / total if total > 0 else large.copy()


def check_draft(P: ArrayLike, Q: ArrayLike, drafts: ArrayLike, u: ArrayLike, v: float) -> list[int]:
    """Accept drafted tokens up to the first that is rejected, and write one token more.

    Draft i is accepted if u_i q_i < p_i, which has the probability min(1, p_i / q_i). In the place
    of the first one that is not, a token is drawn from `leftover`. If all are accepted, one more is
    drawn from the last row of P.

    Args:
        P: The large model's probabilities at each place, of shape (g + 1, V).
        Q: The small model's, from which the drafts were drawn, of shape (g, V).
        drafts: The drafted tokens, of shape (g,).
        u: Numbers drawn uniformly from 0 to 1, of shape (g,), one for each draft.
        v: One such number, for the token that is drawn: the first whose running sum is above v.

    Returns:
        From 1 to g + 1 tokens.

    Raises:
        TypeError: If P or Q does not hold real numbers.
        ValueError: If shapes do not go together.

    Source:
        Leviathan, Kalman and Matias (2022), arXiv:2211.17192, algorithm 1; Chen et al.,
        "Accelerating Large Language Model Decoding with Speculative Sampling" (2023),
        arXiv:2302.01318, algorithm 2.
    """
    large, small = as_floating(P), as_floating(Q)  # (g + 1, V), (g, V)
    tokens, uniform = np.asarray(drafts), as_floating(u)  # (g,), (g,)
    if large.shape != (len(small) + 1, *small.shape[1:]) or not (
        len(tokens) == len(uniform) == len(small)
    ):
        raise ValueError(
            f"g drafts need P of g + 1 rows and Q of g, got P of shape {large.shape}, Q of shape "
            f"{small.shape}, drafts of shape {tokens.shape} and u of shape {uniform.shape}"
        )
    written: list[int] = []
    for token, p, q, threshold in zip(tokens.tolist(), large, small, uniform, strict=False):
        if threshold * q[token] >= p[token]:
            return [*written, _first_above(leftover(p, q), v)]
        written.append(token)
    return [*written, _first_above(large[-1], v)]


def _first_above(probabilities: FloatArray, v: float) -> int:
    return int(np.argmax(np.cumsum(probabilities) > v))
