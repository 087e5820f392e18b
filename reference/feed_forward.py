"""The feed-forward network of a transformer: the same small network at every position.

It widens the features from d_model to d_ff, usually four times as many, applies an activation
function, and narrows them again. Positions do not see each other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reference.activations import activation_named
from reference.arrays import FloatArray
from reference.linear import linear, linear_backward
from reference.shapes import require_same_shape


class FeedForwardParameters(NamedTuple):
    """The parameters of a feed-forward network."""

    W1: FloatArray  # (d_model, d_ff)
    b1: FloatArray  # (d_ff,)
    W2: FloatArray  # (d_ff, d_model)
    b2: FloatArray  # (d_model,)


class FeedForwardGradients(NamedTuple):
    """The gradients of `feed_forward`, each with the shape of what it belongs to."""

    x: FloatArray  # (..., d_model)
    W1: FloatArray  # (d_model, d_ff)
    b1: FloatArray  # (d_ff,)
    W2: FloatArray  # (d_ff, d_model)
    b2: FloatArray  # (d_model,)


class GatedFeedForwardParameters(NamedTuple):
    """The parameters of a gated feed-forward network."""

    W_gate: FloatArray  # (d_model, d_ff)
    W_up: FloatArray  # (d_model, d_ff)
    W_down: FloatArray  # (d_ff, d_model)


class GatedFeedForwardGradients(NamedTuple):
    """The gradients of `gated_feed_forward`, each with the shape of what it belongs to."""

    x: FloatArray  # (..., d_model)
    W_gate: FloatArray  # (d_model, d_ff)
    W_up: FloatArray  # (d_model, d_ff)
    W_down: FloatArray  # (d_ff, d_model)


def feed_forward(
    x: ArrayLike,
    W1: ArrayLike,
    b1: ArrayLike,
    W2: ArrayLike,
    b2: ArrayLike,
    *,
    activation: str = "relu",
) -> FloatArray:
    """Apply a two-layer network to every position.

        y = activation(x W1 + b1) W2 + b2

    Args:
        x: Inputs of shape (..., d_model).
        W1: Weights of shape (d_model, d_ff).
        b1: Bias of shape (d_ff,).
        W2: Weights of shape (d_ff, d_model).
        b2: Bias of shape (d_model,).
        activation: A name in `reference.activations.ACTIVATIONS`.

    Returns:
        An array of shape (..., d_model). The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together, naming both, or there is no such activation.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), arXiv:1706.03762, equation 2.
    """
    hidden = activation_named(activation).function(linear(x, W1, b1))  # (..., d_ff)
    return linear(hidden, W2, b2)  # (..., d_model)


def feed_forward_backward(
    d_output: ArrayLike,
    x: ArrayLike,
    W1: ArrayLike,
    b1: ArrayLike,
    W2: ArrayLike,
    *,
    activation: str = "relu",
) -> FeedForwardGradients:
    """Carry the gradient of a loss back through `feed_forward`.

        d_hidden = d_output W2^T,    d_before = d_hidden * activation'(x W1 + b1),
        d_x = d_before W1^T,    d_W1 = x^T d_before,    d_W2 = activation(x W1 + b1)^T d_output

    The gradients of the biases are d_before and d_output, summed over the positions.

    Args:
        d_output: The gradient with respect to the output, of shape (..., d_model).
        x: The inputs of the forward pass, of shape (..., d_model).
        W1: Weights of shape (d_model, d_ff).
        b1: Bias of shape (d_ff,).
        W2: Weights of shape (d_ff, d_model).
        activation: As given to `feed_forward`.

    Returns:
        The gradients with respect to x, W1, b1, W2 and b2.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together, naming both, or there is no such activation.

    Source:
        The chain rule applied to Vaswani et al. (2017), arXiv:1706.03762, equation 2.
    """
    function, derivative = activation_named(activation)
    before = linear(x, W1, b1)  # (..., d_ff)
    second = linear_backward(d_output, function(before), W2)
    first = linear_backward(second.x * derivative(before), x, W1)
    return FeedForwardGradients(first.x, first.W, first.b, second.W, second.b)


def gated_feed_forward(
    x: ArrayLike,
    W_gate: ArrayLike,
    W_up: ArrayLike,
    W_down: ArrayLike,
    *,
    activation: str = "silu",
) -> FloatArray:
    """Apply a network in which one half of the hidden layer gates the other.

        y = (activation(x W_gate) * (x W_up)) W_down

    With SiLU, the default, this is SwiGLU; it has no biases.

    Args:
        x: Inputs of shape (..., d_model).
        W_gate: Weights of shape (d_model, d_ff).
        W_up: Weights of shape (d_model, d_ff).
        W_down: Weights of shape (d_ff, d_model).
        activation: A name in `reference.activations.ACTIVATIONS`.

    Returns:
        An array of shape (..., d_model). The dtype follows the inputs; integers count as float64.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together, naming both, or there is no such activation.

    Source:
        Shazeer, "GLU Variants Improve Transformer" (2020), arXiv:2002.05202, equation 6.
    """
    require_same_shape("W_gate", np.shape(W_gate), "W_up", np.shape(W_up))
    gate = activation_named(activation).function(linear(x, W_gate))  # (..., d_ff)
    return linear(gate * linear(x, W_up), W_down)  # (..., d_model)


def gated_feed_forward_backward(
    d_output: ArrayLike,
    x: ArrayLike,
    W_gate: ArrayLike,
    W_up: ArrayLike,
    W_down: ArrayLike,
    *,
    activation: str = "silu",
) -> GatedFeedForwardGradients:
    """Carry the gradient of a loss back through `gated_feed_forward`.

        d_hidden = d_output W_down^T,    d_up = d_hidden * activation(x W_gate),
        d_gate = d_hidden * (x W_up) * activation'(x W_gate)

    From there on, the two projections of x are linear layers whose gradients for x add up.

    Args:
        d_output: The gradient with respect to the output, of shape (..., d_model).
        x: The inputs of the forward pass, of shape (..., d_model).
        W_gate: Weights of shape (d_model, d_ff).
        W_up: Weights of shape (d_model, d_ff).
        W_down: Weights of shape (d_ff, d_model).
        activation: As given to `gated_feed_forward`.

    Returns:
        The gradients with respect to x, W_gate, W_up and W_down.

    Raises:
        TypeError: If an input does not hold real numbers.
        ValueError: If shapes do not go together, naming both, or there is no such activation.

    Source:
        The chain rule applied to Shazeer (2020), arXiv:2002.05202, equation 6.
    """
    require_same_shape("W_gate", np.shape(W_gate), "W_up", np.shape(W_up))
    function, derivative = activation_named(activation)
    before, up = linear(x, W_gate), linear(x, W_up)  # (..., d_ff), (..., d_ff)
    gate = function(before)  # (..., d_ff)
    down = linear_backward(d_output, gate * up, W_down)
    through_gate = linear_backward(down.x * up * derivative(before), x, W_gate)
    through_up = linear_backward(down.x * gate, x, W_up)
    return GatedFeedForwardGradients(
        x=through_gate.x + through_up.x,  # (..., d_model)
        W_gate=through_gate.W,  # (d_model, d_ff)
        W_up=through_up.W,  # (d_model, d_ff)
        W_down=down.W,  # (d_ff, d_model)
    )


def init_feed_forward(
    rng: np.random.Generator, d_model: int, d_ff: int, scale: float = 0.02
) -> FeedForwardParameters:
    """Draw the parameters of a feed-forward network.

    Args:
        rng: The generator to draw from.
        d_model: The features of a position.
        d_ff: The features of the hidden layer.
        scale: The standard deviation of the weights; biases are zero.

    Returns:
        W1 of shape (d_model, d_ff), b1 (d_ff,), W2 (d_ff, d_model) and b2 (d_model,), float64.

    Raises:
        ValueError: If a number is negative.

    Source:
        Radford et al., "Improving Language Understanding by Generative Pre-Training" (2018),
        section 4.1, for the normal distribution with a standard deviation of 0.02.
    """
    return FeedForwardParameters(
        W1=rng.normal(0, scale, (d_model, d_ff)),
        b1=np.zeros(d_ff),
        W2=rng.normal(0, scale, (d_ff, d_model)),
        b2=np.zeros(d_model),
    )
