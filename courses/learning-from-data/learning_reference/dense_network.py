"""A network of dense layers: first weights, loss, gradients and training."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Integers = NDArray[np.integer]
Parameters = tuple[Floats, Floats, Floats, Floats]


def dense_backward(d_output: Floats, x: Floats, W: Floats) -> tuple[Floats, Floats, Floats]:
    """Carry a gradient back through `x @ W + b`.

    Args:
        d_output: The gradient with respect to the output, of shape (n, d_out).
        x: The inputs of the layer, of shape (n, d_in).
        W: The weights, of shape (d_in, d_out).

    Returns:
        The gradients with respect to x, W and b, of shapes (n, d_in), (d_in, d_out) and (d_out,).

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), algorithm 6.4.
    """
    return d_output @ W.T, x.T @ d_output, d_output.sum(axis=0)


def initial_layers(sizes: Sequence[int], seed: int) -> list[tuple[Floats, Floats]]:
    """Draw the first weights of layers that are followed by relu; biases begin at 0.

        W = z sqrt(2 / d_in),    z standard normal

    Args:
        sizes: The number of features before and after each layer, at least two numbers.
        seed: The seed of the one generator that all layers draw from, in order.

    Returns:
        A pair (W, b) for each layer, of shapes (d_in, d_out) and (d_out,).

    Source:
        He, Zhang, Ren and Sun (2015), arXiv:1502.01852, equation 10.
    """
    rng = np.random.default_rng(seed)
    return [
        (rng.standard_normal((d_in, d_out)) * np.sqrt(2 / d_in), np.zeros(d_out))
        for d_in, d_out in pairwise(sizes)
    ]


def network_loss(parameters: Parameters, x: Floats, labels: Integers) -> tuple[float, Parameters]:
    """Compute the mean cross-entropy of a network with one hidden relu layer, and its gradients.

        h = relu(x W1 + b1),    logits = h W2 + b2

    Args:
        parameters: W1, b1, W2, b2 of shapes (d, h), (h,), (h, c), (c,).
        x: Inputs of shape (n, d), n at least 1.
        labels: The right class of each input, of shape (n,).

    Returns:
        The loss, and its gradients in the order and shapes of the parameters.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), section 6.5.
    """
    W1, b1, W2, b2 = parameters
    rows = np.arange(len(x))
    before = x @ W1 + b1  # (n, h)
    hidden = np.maximum(before, 0)  # (n, h)
    logits = hidden @ W2 + b2  # (n, c)
    shifted = logits - logits.max(axis=1, keepdims=True)  # (n, c)
    log_shares = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))  # (n, c)
    loss = -log_shares[rows, labels].mean()
    d_logits = np.exp(log_shares)  # (n, c)
    d_logits[rows, labels] -= 1
    d_logits /= len(x)
    d_hidden, d_W2, d_b2 = dense_backward(d_logits, hidden, W2)
    _, d_W1, d_b1 = dense_backward(d_hidden * (before > 0), x, W1)
    return float(loss), (d_W1, d_b1, d_W2, d_b2)


def train_reader(
    parameters: Parameters,
    x: Floats,
    labels: Integers,
    rate: float,
    epochs: int,
    batch: int,
) -> Parameters:
    """Train by gradient descent on batches, taken in order.

    Args:
        parameters: As in `network_loss`.
        x: Inputs of shape (n, d).
        labels: Of shape (n,).
        rate: The learning rate.
        epochs: How often to go through all inputs.
        batch: How many inputs make a step; the last batch of an epoch may be smaller.

    Returns:
        New parameters; the given ones stay as they are.
    """
    for _ in range(epochs):
        for start in range(0, len(x), batch):
            part = slice(start, start + batch)
            _, gradients = network_loss(parameters, x[part], labels[part])
            W1, b1, W2, b2 = (
                value - rate * gradient
                for value, gradient in zip(parameters, gradients, strict=True)
            )
            parameters = (W1, b1, W2, b2)
    return parameters


def read_classes(parameters: Parameters, x: Floats) -> Integers:
    """Return the class with the largest logit for each input.

    Args:
        parameters: As in `network_loss`.
        x: Inputs of shape (n, d).

    Returns:
        Integers of shape (n,).
    """
    W1, b1, W2, b2 = parameters
    logits = np.maximum(x @ W1 + b1, 0) @ W2 + b2  # (n, c)
    return np.asarray(logits.argmax(axis=1))
