"""Direct preference optimisation: a model learns from pairs of answers which people compared.

In the shapes, b counts the pairs and n the tokens of a question with its answer and its padding.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.shapes import require_same_shape


def answer_log_probabilities(token_logs: ArrayLike, is_answer: ArrayLike) -> FloatArray:
    """Add up the log-probabilities of the tokens of each answer.

        log p(answer) = sum over its tokens of log p(token)

    Args:
        token_logs: The log-probability of each token, of shape (..., n). Outside the answer
            anything may stand, infinities and NaN too.
        is_answer: Booleans of the same shape: whether a token belongs to the answer.

    Returns:
        Sums of shape (...). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `token_logs` does not hold real numbers.
        ValueError: If the shapes differ; names both.

    Source:
        The chain rule of probabilities.
    """
    logs, counted = as_floating(token_logs), np.asarray(is_answer, dtype=np.bool_)  # (..., n)
    require_same_shape("token_logs", logs.shape, "is_answer", counted.shape)
    return np.asarray(np.sum(np.where(counted, logs, 0), axis=-1))  # (...)


def dpo_margins(
    policy: ArrayLike, frozen: ArrayLike, is_answer: ArrayLike, beta: float = 0.1
) -> FloatArray:
    """Compute by how much the model has come to favour the better answer of each pair.

        reward = beta (log p_policy(answer) - log p_frozen(answer)),
        margin = reward of the better answer - reward of the worse answer

    Args:
        policy: Log-probabilities of the tokens in the model that learns, of shape (b, 2, n): first
            the better answer, then the worse.
        frozen: The same in the model as it was before.
        is_answer: Booleans of the same shape: whether a token belongs to the answer.
        beta: How strongly the model is held to what it was, above 0.

    Returns:
        Margins of shape (b,). The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If the shapes differ, or do not have two answers; names them.

    Source:
        Rafailov et al., "Direct Preference Optimization" (2023), arXiv:2305.18290, equation 7.
    """
    require_same_shape("policy", np.shape(policy), "frozen", np.shape(frozen))
    rewards = beta * (
        answer_log_probabilities(policy, is_answer) - answer_log_probabilities(frozen, is_answer)
    )  # (b, 2)
    if rewards.ndim != 2 or rewards.shape[1] != 2:  # noqa: PLR2004  pairs of answers
        raise ValueError(f"policy needs the axes (b, 2, n), got shape {np.shape(policy)}")
    return rewards[:, 0] - rewards[:, 1]  # (b,)


def dpo_loss(
    policy: ArrayLike, frozen: ArrayLike, is_answer: ArrayLike, beta: float = 0.1
) -> FloatArray:
    """Average the losses of pairs of answers, each small where the better one is favoured.

        loss = mean of -log sigmoid(margin) = mean of log(1 + exp(-margin))

    Args:
        policy: As for `dpo_margins`.
        frozen: As for `dpo_margins`.
        is_answer: As for `dpo_margins`.
        beta: As for `dpo_margins`.

    Returns:
        One number, in an array of shape (). The dtype follows the inputs.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: As `dpo_margins`.

    Source:
        Rafailov et al. (2023), arXiv:2305.18290, equation 7.
    """
    margins = dpo_margins(policy, frozen, is_answer, beta)  # (b,)
    return np.asarray(np.mean(np.logaddexp(np.zeros_like(margins), -margins)))  # ()
