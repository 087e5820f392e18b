"""Group-relative policy optimisation: a model learns from the rewards of several answers.

In the shapes, g counts the answers to one question and n the tokens of an answer with its padding.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.shapes import require_same_shape


def group_advantages(rewards: ArrayLike, eps: float = 1e-4) -> FloatArray:
    """Compare the reward of each answer with those of the other answers to the same question.

        advantage = (reward - mean) / (standard deviation + eps)

    Both are taken over the group; the variance is divided by g. In a group of equal rewards all
    advantages are 0.

    Args:
        rewards: Rewards of shape (..., g).
        eps: Keeps the division finite where all rewards are equal, above 0.

    Returns:
        Advantages of shape (..., g). Floating-point dtypes stay; integers become float64.

    Raises:
        TypeError: If `rewards` does not hold real numbers.
        ValueError: If there is no answer in a group; names the shape.

    Source:
        Shao et al., "DeepSeekMath" (2024), arXiv:2402.03300, section 4.1.2.
    """
    values = as_floating(rewards)  # (..., g)
    if not values.ndim or not values.shape[-1]:
        raise ValueError(f"a group needs at least one answer, got rewards of shape {values.shape}")
    mean = np.mean(values, axis=-1, keepdims=True)  # (..., 1)
    deviation = np.std(values, axis=-1, keepdims=True)  # (..., 1)
    return np.asarray((values - mean) / (deviation + values.dtype.type(eps)))  # (..., g)


def clipped_policy_loss(
    new: ArrayLike,
    old: ArrayLike,
    advantages: ArrayLike,
    is_answer: ArrayLike,
    clip: float = 0.2,
) -> FloatArray:
    """Compute the loss that makes good answers more probable, but not by much in one go.

        ratio = exp(new - old),
        gain = min(ratio A, max(1 - clip, min(ratio, 1 + clip)) A),
        loss = -mean over the answers of (mean over the tokens of the answer of gain)

    Where the minimum takes the clipped ratio, which is a constant, the gradient is 0.

    Args:
        new: The log-probability of each token in the model that learns, of shape (..., g, n).
            Outside the answers anything may stand.
        old: The same in the model that wrote the answers.
        advantages: A number A for each answer, of shape (..., g).
        is_answer: Booleans of shape (..., g, n): whether a token belongs to the answer. Each answer
            has at least one.
        clip: How far the ratio may be from 1 and still count, between 0 and 1.

    Returns:
        One number, in an array of shape (). The dtype follows the inputs.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If the shapes do not go together, naming both, or an answer has no token.

    Source:
        Shao et al. (2024), arXiv:2402.03300, equation 3, without the term of the divergence; the
        clipping is from Schulman et al., "Proximal Policy Optimization Algorithms" (2017),
        arXiv:1707.06347, equation 7.
    """
    after, before, A = as_floating(new), as_floating(old), as_floating(advantages)
    counted = np.asarray(is_answer, dtype=np.bool_)  # (..., g, n)
    require_same_shape("new", after.shape, "old", before.shape)
    require_same_shape("new", after.shape, "is_answer", counted.shape)
    require_same_shape("advantages", A.shape, "an answer of new", after.shape[:-1])
    tokens = np.sum(counted, axis=-1)  # (..., g)
    if not np.all(tokens):
        raise ValueError(f"each answer needs a token, got {tokens.tolist()}")
    ratio = np.exp(np.where(counted, after, 0) - np.where(counted, before, 0))  # (..., g, n)
    per_token = A[..., np.newaxis]  # (..., g, 1)
    gain = np.minimum(ratio * per_token, np.clip(ratio, 1 - clip, 1 + clip) * per_token)
    of_answers = np.sum(np.where(counted, gain, 0), axis=-1) / tokens  # (..., g)
    return np.asarray(-np.mean(of_answers), dtype=gain.dtype)  # ()
