"""A sparse mixture of experts: a router sends each token to a few of many networks.

In the shapes, n counts the tokens, d their features, E the experts, and h the hidden features of
one expert.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.decoding import top_k_filter
from reference.softmax import softmax


def route(scores: ArrayLike, k: int) -> FloatArray:
    """Give each token its k best experts, with weights that add up to one.

        weights = softmax(top_k(scores))

    Args:
        scores: The router's scores, of shape (n, E).
        k: How many experts a token has, at least 1; all of them if it is E or more.

    Returns:
        Weights of shape (n, E), exactly zero for experts that were not chosen. Of equal scores the
        first win.

    Raises:
        TypeError: If `scores` does not hold real numbers.
        ValueError: If k is less than 1, or there is no expert.

    Source:
        Shazeer et al., "Outrageously Large Neural Networks" (2017), arXiv:1701.06538, equations 3
        and 5, without the noise; Jiang et al., "Mixtral of Experts" (2024), arXiv:2401.04088,
        section 2.1.
    """
    return softmax(top_k_filter(scores, k))  # (n, E)


def mixture_of_experts(
    x: ArrayLike, router: ArrayLike, W_1: ArrayLike, W_2: ArrayLike, k: int
) -> FloatArray:
    """Mix the outputs of the experts that the router chose for each token.

        y_i = sum_e w_ie relu(x_i W_1[e]) W_2[e],   w = route(x router, k)

    Args:
        x: Tokens of shape (n, d).
        router: The weights of the router, of shape (d, E).
        W_1: The first layer of each expert, of shape (E, d, h).
        W_2: The second layer of each expert, of shape (E, h, d).
        k: How many experts a token has, at least 1.

    Returns:
        An array of shape (n, d). The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If k is less than 1, or shapes do not go together.

    Source:
        Shazeer et al. (2017), arXiv:1701.06538, equation 1.
    """
    tokens, first, second = as_floating(x), as_floating(W_1), as_floating(W_2)
    weights = route(tokens @ as_floating(router), k)  # (n, E)
    output = np.zeros(tokens.shape, np.result_type(tokens, weights, first, second))  # (n, d)
    for expert, weight in enumerate(weights.T):
        its_own = np.flatnonzero(weight)  # (t,)
        hidden = np.maximum(tokens[its_own] @ first[expert], 0)  # (t, h)
        output[its_own] += weight[its_own, np.newaxis] * (hidden @ second[expert])
    return output


def balance_loss(scores: ArrayLike, k: int) -> float:
    """Measure how unevenly the router loads the experts: 1 if evenly, up to E if one gets all.

        loss = E * sum_e f_e P_e

    f_e is the share of all n * k choices that went to expert e, and P_e is the mean of its
    probability, softmax(scores), over the tokens.

    Args:
        scores: The router's scores, of shape (n, E), with at least one token.
        k: How many experts a token has, at least 1.

    Returns:
        The loss.

    Raises:
        TypeError: If `scores` does not hold real numbers.
        ValueError: If k is less than 1, or there is no expert or no token.

    Source:
        Fedus, Zoph and Shazeer, "Switch Transformers" (2021), arXiv:2101.03961, equations 4 to 6,
        where k is 1.
    """
    numbers = as_floating(scores)  # (n, E)
    if not numbers.size:
        raise ValueError(f"a load needs tokens and experts, got scores of shape {numbers.shape}")
    chosen = np.isfinite(top_k_filter(numbers, k))  # (n, E)
    shares = chosen.sum(axis=0) / chosen.sum()  # (E,)
    return float(numbers.shape[1] * (shares @ softmax(numbers).mean(axis=0)))
