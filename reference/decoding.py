"""From the scores of the next token to the token: greedy, temperature, filters, sampling.

Every filter maps logits to logits, with -inf for what is ruled out, so that they can be chained:
temperature first, then top-k, then top-p. In the shapes, V counts the tokens of the vocabulary.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import BoolArray, FloatArray, IntArray, as_floating
from reference.shapes import require_same_shape
from reference.softmax import softmax


def greedy(logits: ArrayLike) -> IntArray:
    """Choose the most probable token.

        token = argmax_v logits_v

    Args:
        logits: Scores of shape (..., V).

    Returns:
        Token numbers of shape (...), integers. Of equal scores the first wins.

    Raises:
        TypeError: If `logits` does not hold real numbers.
        ValueError: If there are no tokens to choose from; names the shape.

    Source:
        Jurafsky and Martin, "Speech and Language Processing" (3rd edition draft), the chapter on
        large language models.
    """
    return np.asarray(np.argmax(_scores(logits), axis=-1))  # (...)


def apply_temperature(logits: ArrayLike, temperature: float) -> FloatArray:
    """Sharpen or flatten the distribution.

        softmax(logits / T)

    T below 1 favours the probable tokens more, T above 1 less; T = 1 changes nothing. Towards 0
    this becomes greedy decoding, for which there is `greedy`.

    Args:
        logits: Scores of shape (..., V).
        temperature: T, positive and finite.

    Returns:
        New logits of shape (..., V). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `logits` does not hold real numbers.
        ValueError: If T is not positive and finite, or there are no tokens.

    Source:
        Ackley, Hinton and Sejnowski, "A Learning Algorithm for Boltzmann Machines" (1985),
        equation 5; Holtzman et al. (2019), arXiv:1904.09751, section 3.3.
    """
    scores = _scores(logits)  # (..., V)
    if not 0 < temperature < np.inf:
        raise ValueError(f"a temperature is positive and finite, got {temperature}")
    return scores / float(temperature)  # (..., V)


def top_k_filter(logits: ArrayLike, k: int) -> FloatArray:
    """Rule out all but the k most probable tokens.

        filtered_v = logits_v if v is among the k largest, else -inf

    Exactly k stay: of equal scores the first win.

    Args:
        logits: Scores of shape (..., V).
        k: How many tokens stay, at least 1; with V or more, all do.

    Returns:
        New logits of shape (..., V). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `logits` does not hold real numbers.
        ValueError: If k is less than 1, or there are no tokens.

    Source:
        Fan, Lewis and Dauphin, "Hierarchical Neural Story Generation" (2018), arXiv:1805.04833,
        section 5.4.
    """
    scores = _scores(logits)  # (..., V)
    if k < 1:
        raise ValueError(f"top-k keeps at least one token, got k = {k}")
    order = _from_most_probable(scores)  # (..., V)
    stays_in_order = np.broadcast_to(np.arange(scores.shape[-1]) < k, scores.shape)  # (..., V)
    return _filtered(scores, order, stays_in_order)  # (..., V)


def top_p_filter(logits: ArrayLike, p: float) -> FloatArray:
    """Rule out the improbable tail; also called nucleus sampling.

        The smallest set of most probable tokens whose probabilities sum to p or more stays.

    A token stays if those more probable than itself sum to less than p. The most probable always
    stays, and with p = 1 all do. Of equal scores the first counts as more probable.

    Args:
        logits: Scores of shape (..., V).
        p: The probability to keep, above 0 and at most 1.

    Returns:
        New logits of shape (..., V). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `logits` does not hold real numbers.
        ValueError: If p is not above 0 and at most 1, or there are no tokens.

    Source:
        Holtzman et al., "The Curious Case of Neural Text Degeneration" (2019), arXiv:1904.09751,
        equation 2.
    """
    scores = _scores(logits)  # (..., V)
    if not 0 < p <= 1:
        raise ValueError(f"top-p keeps a probability above 0 and at most 1, got p = {p}")
    if p == 1:
        return scores.copy()  # (..., V)  a rounded sum may reach 1 before the last token
    order = _from_most_probable(scores)  # (..., V)
    probabilities = softmax(np.take_along_axis(scores, order, axis=-1).astype(np.float64))
    sum_before = np.zeros_like(probabilities)  # (..., V)
    sum_before[..., 1:] = np.cumsum(probabilities, axis=-1)[..., :-1]
    stays_in_order = sum_before < p  # (..., V)
    return _filtered(scores, order, stays_in_order)  # (..., V)


def min_p_filter(logits: ArrayLike, share: float) -> FloatArray:
    """Rule out the tokens that are much less probable than the most probable one.

        filtered_v = logits_v if p_v >= share * max p, else -inf

    The comparison needs no softmax: p_v / max p = exp(logits_v - max logits).

    Args:
        logits: Scores of shape (..., V), at least one of each distribution finite.
        share: Above 0 and at most 1. With 1 only the most probable stay, all of them if several
            are equal.

    Returns:
        New logits of shape (..., V). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `logits` does not hold real numbers.
        ValueError: If the share is not above 0 and at most 1, or there are no tokens.

    Source:
        Nguyen et al., "Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs"
        (2024), arXiv:2407.01082, section 3.
    """
    scores = _scores(logits)  # (..., V)
    if not 0 < share <= 1:
        raise ValueError(f"min-p needs a share above 0 and at most 1, got {share}")
    lowest = scores.max(axis=-1, keepdims=True) + scores.dtype.type(np.log(share))  # (..., 1)
    return np.where(scores >= lowest, scores, -np.inf)  # (..., V)


def draw_from_nucleus(logits: ArrayLike, p: float, u: ArrayLike) -> IntArray:
    """Draw one token from each nucleus, with a uniform number that the caller brings.

        token = the first, best first, with running sum > u * (sum over the nucleus)

    Args:
        logits: Scores of shape (..., V).
        p: The probability of the nucleus, as in `top_p_filter`.
        u: Numbers from 0 and below 1, of shape (...).

    Returns:
        Token numbers of shape (...), integers.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If p is out of range, there are no tokens, or there is not one u for each
            distribution; names both shapes.

    Source:
        Holtzman et al. (2019), arXiv:1904.09751, section 3.1.
    """
    scores, uniform = _scores(logits), as_floating(u)  # (..., V), (...)
    require_same_shape("u", uniform.shape, "a score of each of the logits", scores.shape[:-1])
    order = _from_most_probable(scores)  # (..., V)
    mass = softmax(np.take_along_axis(top_p_filter(scores, p), order, axis=-1).astype(np.float64))
    sums = np.cumsum(mass, axis=-1)  # (..., V)
    place = np.argmax(sums > uniform[..., np.newaxis] * sums[..., -1:], axis=-1)  # (...)
    return np.take_along_axis(order, place[..., np.newaxis], axis=-1)[..., 0]  # (...)


def next_token_probabilities(
    logits: ArrayLike,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> FloatArray:
    """Turn logits into the distribution to sample from.

        softmax(top_p(top_k(logits / T)))

    Args:
        logits: Scores of shape (..., V).
        temperature: T, positive and finite.
        top_k: How many tokens stay; all if None.
        top_p: The probability to keep of what top-k left; everything if None.

    Returns:
        Probabilities of shape (..., V) that add up to one. Floating-point dtypes stay; integers
        become float64.

    Raises:
        TypeError: If `logits` does not hold real numbers.
        ValueError: If a setting is out of range, or there are no tokens.

    Source:
        Holtzman et al. (2019), arXiv:1904.09751, section 3.
    """
    scores = apply_temperature(logits, temperature)  # (..., V)
    if top_k is not None:
        scores = top_k_filter(scores, top_k)  # (..., V)
    if top_p is not None:
        scores = top_p_filter(scores, top_p)  # (..., V)
    return softmax(scores)  # (..., V)


def sample(probabilities: ArrayLike, rng: np.random.Generator) -> IntArray:
    """Draw one token from each distribution.

        token = the first v with p_0 + ... + p_v > u,    u uniform between 0 and 1

    Args:
        probabilities: Numbers of at least 0, of shape (..., V). They are divided by their sum.
        rng: The generator to draw from; one uniform number for each distribution.

    Returns:
        Token numbers of shape (...), integers. A token of probability 0 is never drawn.

    Raises:
        TypeError: If `probabilities` does not hold real numbers.
        ValueError: If there are no tokens, or a sum is not positive and finite, or a probability
            negative.

    Source:
        Devroye, "Non-Uniform Random Variate Generation" (1986), chapter III, section 2.
    """
    weights = _scores(probabilities).astype(np.float64)  # (..., V)
    sums = np.cumsum(weights, axis=-1)  # (..., V)
    total = sums[..., -1:]  # (..., 1)
    if not np.all((weights >= 0) & (total > 0) & np.isfinite(total)):
        raise ValueError("probabilities are not negative and have a positive, finite sum")
    threshold = rng.random(total.shape) * total  # (..., 1)
    return np.asarray(np.sum(sums <= threshold, axis=-1))  # (...)


def choose_token(
    logits: ArrayLike,
    rng: np.random.Generator | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> IntArray:
    """Choose the next token: greedily without a generator, by sampling with one.

    Args:
        logits: Scores of shape (..., V).
        rng: The generator to sample with; None means greedy, and then the rest has no effect.
        temperature: As in `apply_temperature`.
        top_k: As in `top_k_filter`; None leaves it out.
        top_p: As in `top_p_filter`; None leaves it out.

    Returns:
        Token numbers of shape (...), integers.

    Raises:
        TypeError: If `logits` does not hold real numbers.
        ValueError: If a setting is out of range, or there are no tokens.

    Source:
        Holtzman et al. (2019), arXiv:1904.09751, section 3.
    """
    if rng is None:
        return greedy(logits)  # (...)
    return sample(next_token_probabilities(logits, temperature, top_k, top_p), rng)  # (...)


def _scores(logits: ArrayLike) -> FloatArray:
    scores = as_floating(logits)  # (..., V)
    if not scores.ndim or not scores.shape[-1]:
        raise ValueError(f"the last axis needs at least one token, got shape {scores.shape}")
    return scores


def _from_most_probable(scores: FloatArray) -> IntArray:
    """Number the tokens from the most to the least probable, equal ones in their order."""
    return np.argsort(-scores, axis=-1, kind="stable")  # (..., V)


def _filtered(scores: FloatArray, order: IntArray, stays_in_order: BoolArray) -> FloatArray:
    """Put -inf where a token does not stay; `stays_in_order` follows `order`."""
    stays = np.empty(scores.shape, dtype=np.bool_)  # (..., V)
    np.put_along_axis(stays, order, stays_in_order, axis=-1)
    return np.where(stays, scores, -np.inf)  # (..., V)
