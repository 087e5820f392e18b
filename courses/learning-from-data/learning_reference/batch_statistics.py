"""Layers that differ between training and use: batch normalisation and inverted dropout."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def batch_norm(
    x: Floats,
    gain: Floats,
    bias: Floats,
    running_mean: Floats,
    running_variance: Floats,
    training: bool,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[Floats, Floats, Floats]:
    """Normalise each feature over the batch in training, and by the running numbers in use.

        y = gain * (x - mean) / sqrt(variance + eps) + bias
        running = (1 - momentum) * running + momentum * that of the batch

    The variance is divided by n everywhere.

    Args:
        x: Inputs of shape (n, d), n at least 1.
        gain: Of shape (d,).
        bias: Of shape (d,).
        running_mean: Of shape (d,).
        running_variance: Of shape (d,).
        training: Whether the numbers of the batch are used and remembered.
        momentum: How much of the batch enters the running numbers.
        eps: Keeps the division finite.

    Returns:
        The outputs of shape (n, d), and the new running mean and variance of shape (d,).

    Source:
        Ioffe and Szegedy (2015), arXiv:1502.03167, algorithms 1 and 2; running averages as Keras
        keeps them.
    """
    if training:
        mean, variance = x.mean(axis=0), x.var(axis=0)
        running_mean = (1 - momentum) * running_mean + momentum * mean
        running_variance = (1 - momentum) * running_variance + momentum * variance
    else:
        mean, variance = running_mean, running_variance
    outputs = gain * (x - mean) / np.sqrt(variance + eps) + bias  # (n, d)
    return outputs, running_mean.copy(), running_variance.copy()


def drop_units(x: Floats, draws: Floats, keep: float, training: bool) -> Floats:
    """Zero what is not kept and enlarge the rest in training; change nothing in use.

    Args:
        x: Inputs of any shape.
        draws: Numbers from 0 up to 1 of the same shape; below `keep` means kept.
        keep: The probability of being kept, above 0 and at most 1.
        training: Whether anything is dropped.

    Returns:
        An array of the shape of x.

    Source:
        Srivastava et al. (2014), Journal of Machine Learning Research 15, section 10.
    """
    return np.where(draws < keep, x / keep, 0.0) if training else x.copy()
