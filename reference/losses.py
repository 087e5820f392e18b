"""Cross-entropy and perplexity: how surprised a model is by what really came.

In the shapes, V counts the classes, in a language model the vocabulary. Logits are scores before
softmax. A target that equals `ignore_index` counts for nothing, as padding should.
"""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import BoolArray, FloatArray, IntArray, as_floating
from reference.softmax import log_softmax, softmax

IGNORE_INDEX = -100  # PyTorch's choice: no class has a negative number


def token_losses(
    logits: ArrayLike,
    targets: ArrayLike,
    ignore_index: int = IGNORE_INDEX,
    label_smoothing: float = 0.0,
) -> FloatArray:
    """Compute the cross-entropy of every position on its own.

        loss = -sum_v q_v log p_v,    p = softmax(logits),
        q_v = (1 - s) [v = target] + s / V

    where s is the label smoothing. With s = 0 this is -log p_target.

    Args:
        logits: Scores of shape (..., V).
        targets: Class numbers of shape (...), from 0 to V - 1, or `ignore_index`.
        ignore_index: The target that marks a position to leave out.
        label_smoothing: The share s of the target that is spread over all classes, from 0 to 1.

    Returns:
        Losses of shape (...), 0 where ignored. The dtype follows the logits; integers count as
        float64.

    Raises:
        TypeError: If the logits are not real numbers or the targets not integers.
        ValueError: If the shapes do not go together, naming both, or a target or
            `label_smoothing` is out of range.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), section 6.2.2.3; label smoothing
        is from Szegedy et al. (2015), arXiv:1512.00567, section 7.
    """
    scores, classes, counted = _checked(logits, targets, ignore_index)  # (..., V), (...), (...)
    _require_share(label_smoothing)
    logs = log_softmax(scores)  # (..., V)
    at_target = np.take_along_axis(logs, classes[..., np.newaxis], axis=-1)[..., 0]  # (...)
    losses = 0 - at_target  # (...)  and not -at_target: a certain target costs 0.0, not -0.0
    if label_smoothing:
        spread = -np.mean(logs, axis=-1)  # (...)
        losses = (1 - label_smoothing) * losses + label_smoothing * spread  # (...)
    return np.where(counted, losses, 0)  # (...)


def cross_entropy(
    logits: ArrayLike,
    targets: ArrayLike,
    ignore_index: int = IGNORE_INDEX,
    label_smoothing: float = 0.0,
) -> FloatArray:
    """Average the cross-entropy over all positions that are not ignored.

        loss = (sum of the losses of the positions) / (number of positions that count)

    Args:
        logits: Scores of shape (..., V).
        targets: Class numbers of shape (...), from 0 to V - 1, or `ignore_index`.
        ignore_index: The target that marks a position to leave out.
        label_smoothing: The share of the target that is spread over all classes, from 0 to 1.

    Returns:
        One number, in an array of shape (). The dtype follows the logits; integers count as
        float64.

    Raises:
        TypeError: If the logits are not real numbers or the targets not integers.
        ValueError: If the shapes do not go together, naming both, a target or `label_smoothing`
            is out of range, or no position counts.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), section 6.2.2.3. For a language
        model it is the negative of Radford et al. (2018), "Improving Language Understanding by
        Generative Pre-Training", equation 1, divided by the number of tokens.
    """
    losses = token_losses(logits, targets, ignore_index, label_smoothing)  # (...)
    count = _number_counted(np.asarray(targets) != ignore_index)
    return np.asarray(np.sum(losses) / count, dtype=losses.dtype)  # ()


def cross_entropy_gradient(
    logits: ArrayLike,
    targets: ArrayLike,
    ignore_index: int = IGNORE_INDEX,
    label_smoothing: float = 0.0,
) -> FloatArray:
    """Differentiate `cross_entropy` with respect to the logits.

        gradient = (softmax(logits) - q) / (number of positions that count)

    where q is the smoothed target of `token_losses`; ignored positions have gradient zero.

    Args:
        logits: Scores of shape (..., V).
        targets: Class numbers of shape (...), from 0 to V - 1, or `ignore_index`.
        ignore_index: The target that marks a position to leave out.
        label_smoothing: The share of the target that is spread over all classes, from 0 to 1.

    Returns:
        An array of the shape of `logits`. The dtype follows the logits; integers count as float64.

    Raises:
        TypeError: If the logits are not real numbers or the targets not integers.
        ValueError: As `cross_entropy`.

    Source:
        Bishop, "Pattern Recognition and Machine Learning" (2006), equation 4.109, without the
        factor of the features.
    """
    scores, classes, counted = _checked(logits, targets, ignore_index)  # (..., V), (...), (...)
    _require_share(label_smoothing)
    count = _number_counted(counted)
    probabilities = softmax(scores)  # (..., V)
    is_target = np.arange(scores.shape[-1]) == classes[..., np.newaxis]  # (..., V)
    q = (1 - label_smoothing) * is_target + label_smoothing / scores.shape[-1]  # (..., V)
    gradient = np.where(counted[..., np.newaxis], (probabilities - q) / count, 0)  # (..., V)
    return gradient.astype(scores.dtype)


def perplexity(
    logits: ArrayLike, targets: ArrayLike, ignore_index: int = IGNORE_INDEX
) -> FloatArray:
    """Return the number of equally likely tokens among which the model hesitates, on average.

        perplexity = exp(cross_entropy)

    A model that knows nothing has perplexity V, one that is always right and sure has 1.

    Args:
        logits: Scores of shape (..., V).
        targets: Token numbers of shape (...), from 0 to V - 1, or `ignore_index`.
        ignore_index: The target that marks a position to leave out.

    Returns:
        One number of at least 1, in an array of shape (). The dtype follows the logits; integers
        count as float64.

    Raises:
        TypeError: If the logits are not real numbers or the targets not integers.
        ValueError: As `cross_entropy`.

    Source:
        Jelinek et al., "Perplexity - a measure of the difficulty of speech recognition tasks"
        (1977), Journal of the Acoustical Society of America 62.
    """
    with np.errstate(over="ignore"):  # a hopeless model has perplexity inf
        return np.asarray(np.exp(cross_entropy(logits, targets, ignore_index)))  # ()


def _checked(
    logits: ArrayLike, targets: ArrayLike, ignore_index: int
) -> tuple[FloatArray, IntArray, BoolArray]:
    """Return the logits, the targets with 0 for those ignored, and which positions count."""
    scores, classes = as_floating(logits), np.asarray(targets)  # (..., V), (...)
    if classes.dtype.kind not in "iu":
        raise TypeError(f"targets are whole numbers, got an array of dtype {classes.dtype}")
    if not scores.ndim or not scores.shape[-1] or scores.shape[:-1] != classes.shape:
        raise ValueError(
            "logits need one more axis than targets, with at least one class, "
            f"got logits of shape {scores.shape} and targets of shape {classes.shape}"
        )
    counted = np.asarray(classes != ignore_index)  # (...)
    used = np.where(counted, classes, 0)  # (...)
    outside = used[(used < 0) | (used >= scores.shape[-1])]  # (number of bad targets,)
    if outside.size:
        raise ValueError(
            f"a target lies between 0 and {scores.shape[-1] - 1}, got {outside[0]} "
            f"for logits of shape {scores.shape}"
        )
    return scores, used, counted


def _require_share(label_smoothing: float) -> None:
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label smoothing is a share from 0 to 1, got {label_smoothing}")


def _number_counted(counted: BoolArray) -> int:
    count = int(np.count_nonzero(counted))
    if not count:
        raise ValueError(
            f"there is nothing to average: of targets of shape {counted.shape}, none counts"
        )
    return count
