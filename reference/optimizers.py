"""Gradient descent and AdamW: how parameters follow their gradients downhill."""

from typing import Generic, NamedTuple

import numpy as np

from reference.arrays import FloatArray
from reference.parameters import Tree, map_arrays


class AdamWState(NamedTuple, Generic[Tree]):
    """The state of AdamW between two steps."""

    step: int  # how many steps were taken
    mean: Tree  # the running mean of the gradients
    square: Tree  # the running mean of their squares


def gradient_descent_step(parameters: Tree, gradients: Tree, learning_rate: float) -> Tree:
    """Take one step against the gradient.

        new = parameters - learning_rate * gradients

    Args:
        parameters: An array, or arrays in nested tuples.
        gradients: The gradients of the loss, with the same structure and shapes.
        learning_rate: The length of the step, at least 0.

    Returns:
        New parameters of the same structure, shapes and dtypes.

    Raises:
        ValueError: If structures or shapes differ, naming both, or the learning rate is negative.

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), equation 4.5.
    """
    if not learning_rate >= 0:
        raise ValueError(f"a learning rate is at least 0, got {learning_rate}")

    def moved(value: FloatArray, gradient: FloatArray) -> FloatArray:
        return (value - learning_rate * gradient).astype(value.dtype)

    return map_arrays(moved, parameters, gradients)


def init_adamw(parameters: Tree) -> AdamWState[Tree]:
    """Start AdamW with no memory of any gradient.

    Args:
        parameters: An array, or arrays in nested tuples.

    Returns:
        A state of zero steps and zeros in the structure of the parameters.

    Source:
        Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2014), arXiv:1412.6980,
        algorithm 1.
    """
    zeros = map_arrays(np.zeros_like, parameters)
    return AdamWState(0, zeros, zeros)


def adamw_step(
    parameters: Tree,
    gradients: Tree,
    state: AdamWState[Tree],
    learning_rate: float = 1e-3,
    *,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0.01,
) -> tuple[Tree, AdamWState[Tree]]:
    """Take one step of a length that adapts to each parameter, and let all shrink a little.

        m = beta_1 m + (1 - beta_1) g,    v = beta_2 v + (1 - beta_2) g^2,
        new = (1 - lr decay) w - lr (m / (1 - beta_1^t)) / (sqrt(v / (1 - beta_2^t)) + eps)

    where t counts the steps, this one included.

    Args:
        parameters: An array, or arrays in nested tuples.
        gradients: The gradients of the loss, with the same structure and shapes.
        state: What the previous step returned; `init_adamw(parameters)` at the first.
        learning_rate: lr, at least 0.
        betas: How much of the running means of g and of g^2 stays, each at least 0 and below 1.
        eps: Keeps the division finite.
        weight_decay: How strongly parameters shrink.

    Returns:
        New parameters of the same structure, shapes and dtypes, and the new state.

    Raises:
        ValueError: If structures or shapes differ, naming both, or a setting is out of range.

    Source:
        Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2017), arXiv:1711.05101,
        algorithm 2.
    """
    first, second = betas
    if not (learning_rate >= 0 and 0 <= first < 1 and 0 <= second < 1):
        raise ValueError(f"out of range: learning rate {learning_rate} or betas {betas}")
    step = state.step + 1
    mean = map_arrays(lambda m, g: first * m + (1 - first) * g, state.mean, gradients)
    square = map_arrays(lambda v, g: second * v + (1 - second) * g * g, state.square, gradients)

    def moved(value: FloatArray, m: FloatArray, v: FloatArray) -> FloatArray:
        direction: FloatArray = (m / (1 - first**step)) / (np.sqrt(v / (1 - second**step)) + eps)
        shrunk = (1 - learning_rate * weight_decay) * value
        return np.asarray(shrunk - learning_rate * direction, dtype=value.dtype)

    return map_arrays(moved, parameters, mean, square), AdamWState(step, mean, square)
