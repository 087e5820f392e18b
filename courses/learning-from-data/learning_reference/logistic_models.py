"""Logistic and softmax regression: probabilities, losses and gradients."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.floating]


def sigmoid(z: ArrayLike) -> Floats:
    """Return 1 / (1 + exp(-z)) for `z` of any shape, in that shape, without overflow."""
    numbers = np.asarray(z)
    decay = np.exp(-np.abs(numbers))  # between 0 and 1
    chances: Floats = np.where(numbers >= 0, 1.0, decay) / (1.0 + decay)
    return chances


def logistic_loss_and_gradient(
    X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float
) -> tuple[float, Floats, float]:
    """Return the mean cross-entropy of logistic regression and its gradient.

    Args:
        X: One row for each example, shape (n, d).
        y: Labels 0 and 1, shape (n,).
        w: Weights, shape (d,).
        b: The intercept.

    Returns:
        The loss, its gradient with respect to `w`, shape (d,), and with respect to `b`.
    """
    rows, labels = np.asarray(X), np.asarray(y)
    z = rows @ np.asarray(w) + b  # (n,)
    loss = np.mean(np.logaddexp(0.0, z) - labels * z)
    error = (sigmoid(z) - labels) / len(labels)  # (n,)
    return float(loss), rows.T @ error, float(error.sum())


def softmax_rows(Z: ArrayLike) -> Floats:
    """Return the softmax of each row of `Z`, shape (n, k)."""
    scores = np.asarray(Z)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = exponentials / exponentials.sum(axis=1, keepdims=True)
    return shares


def softmax_loss(X: ArrayLike, y: ArrayLike, W: ArrayLike, b: ArrayLike) -> float:
    """Return the mean cross-entropy of softmax regression.

    Args:
        X: One row for each example, shape (n, d).
        y: Classes from 0 to k - 1, shape (n,).
        W: Weights, shape (d, k).
        b: Intercepts, shape (k,).
    """
    labels = np.asarray(y)
    Z = np.asarray(X) @ np.asarray(W) + np.asarray(b)  # (n, k)
    peak = Z.max(axis=1)
    log_sum = peak + np.log(np.exp(Z - peak[:, np.newaxis]).sum(axis=1))  # (n,)
    return float(np.mean(log_sum - Z[np.arange(len(labels)), labels]))


def softmax_step(
    X: ArrayLike, y: ArrayLike, W: ArrayLike, b: ArrayLike, rate: float
) -> tuple[Floats, Floats]:
    """Return `W` and `b` after one step of gradient descent on `softmax_loss`.

    The arguments have the shapes of `softmax_loss`; `rate` is the length of the step.
    """
    rows, labels = np.asarray(X), np.asarray(y)
    weights, intercepts = np.asarray(W), np.asarray(b)
    error = softmax_rows(rows @ weights + intercepts)  # (n, k)
    error[np.arange(len(labels)), labels] -= 1.0
    error /= len(labels)
    return weights - rate * (rows.T @ error), intercepts - rate * error.sum(axis=0)
